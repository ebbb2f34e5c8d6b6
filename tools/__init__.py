"""Tools to build and check the package; they are not part of it."""
