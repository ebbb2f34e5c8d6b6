"""Runs: config (what was asked), build (names to objects), batch (many episodes, resumable), results (what came out)."""
