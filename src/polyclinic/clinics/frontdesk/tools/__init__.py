"""What the desk can do: find times, find the caller's own appointment, and keep the hospital's FHIR records."""
