"""Judging, numbers and reports: everything that turns transcripts into evidence.

Rule judges are code, rubric judges ask a model, and every number comes with its interval.
Imports only `core`.
"""
