"""Classes: an educator opens one, trainees join by its code, and the educator follows all sessions live."""
