"""Shared by several parts of the clinic: the multi-step validation of answers and questions."""
