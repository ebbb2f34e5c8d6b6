"""Rate: what `polyclinic audit` does, in the browser."""
