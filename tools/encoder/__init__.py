"""Makes `src/polyclinic/reading/data/encoder.npz` again: the network that reads whole sentences. See `README.md`."""
