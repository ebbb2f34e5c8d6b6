"""Responsibility norms: their files, the checker that finds broken ones, and the scores that follow."""
