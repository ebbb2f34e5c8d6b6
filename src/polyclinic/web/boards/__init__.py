"""Boards: clinics that can be watched as an operation, by their simulated clock."""
