"""Class: an educator opens one, trainees join by its code, and everybody's session is seen as it happens."""
