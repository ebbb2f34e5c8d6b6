"""Pure rules of a teaching round: who fits whom, what leaks, what counts as a question, how the tutor's thinking is
read.
"""
