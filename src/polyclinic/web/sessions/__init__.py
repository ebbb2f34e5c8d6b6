"""Live sessions of a clinic over HTTP, and the queue of cases for people.

The clinic's own flow decides what is said.
"""
