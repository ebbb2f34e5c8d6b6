"""Run many episodes: with limits, leases and resuming. Also estimate a run beforehand, and score a run again."""
