"""The front desk: a hospital outpatient administration, simulated end to end."""
