"""Classes: an educator opens a class, trainees join by its code, and the educator follows all sessions live."""
