"""What is used to build and check the package, and is not part of it."""
