"""Makes the two networks of the reader that read whole sentences, and the counsel guard's. See `README.md`."""
