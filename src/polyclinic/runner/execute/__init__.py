"""Many episodes: bounded, leased, resumable; also estimating a run before it, and scoring one again."""
