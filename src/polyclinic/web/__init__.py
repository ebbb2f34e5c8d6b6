"""HTTP services. They have no logic of their own: the clinic's flow decides what happens in a session."""
