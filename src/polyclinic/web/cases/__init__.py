"""Cases that people write: forms, the linter beside them, and a folder with their files."""
