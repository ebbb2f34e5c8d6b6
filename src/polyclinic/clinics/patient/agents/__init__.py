"""The cast: the patient and those who help it answer, the doctors and those who put the patient to the test."""
