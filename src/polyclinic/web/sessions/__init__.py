"""Live conversations of the counsel clinic over HTTP: sessions, and the queue of cases for people."""
