"""How roles learn between episodes: reflection, prompt edits, identity."""
