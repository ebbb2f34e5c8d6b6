"""What is learned between episodes: reflection, prompt edits, identity."""
