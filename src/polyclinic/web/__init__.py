"""HTTP services. No logic of their own: what happens in a session is the clinic's flow."""
