"""Pure rules of a teaching round: which persona fits a script, what leaks, what counts as a question, how the tutor's
thinking is read.
"""
