"""Where simulated persons come from."""
