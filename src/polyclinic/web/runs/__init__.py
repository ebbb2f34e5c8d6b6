"""Runs: what ran, what it showed, and the episodes behind every figure."""
