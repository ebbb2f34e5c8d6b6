"""Live sessions of a clinic over HTTP, and the queue of cases for people. What is said there is the clinic's own."""
