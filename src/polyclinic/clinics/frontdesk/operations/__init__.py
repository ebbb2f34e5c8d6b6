"""The hospital as an operation: demand, an appointment book, clinic days and a desk, without the words."""
