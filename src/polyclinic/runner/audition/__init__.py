"""Auditions: how well a model plays each role, on a few small scenes, before anybody pays for a run."""
