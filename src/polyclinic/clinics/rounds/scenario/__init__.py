"""What a round starts from: cases (shipped, from files, from other collections), their pictures, and their linter."""
