"""What every HTTP server of ours does: which hosts it answers, how long it waits, what it counts."""
