"""The clinics: sibling packages with the same rooms. A clinic is found by its folder name."""
