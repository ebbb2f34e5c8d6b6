"""Auditions: what a model makes of each role, on a few small scenes, before anybody pays for a run."""
