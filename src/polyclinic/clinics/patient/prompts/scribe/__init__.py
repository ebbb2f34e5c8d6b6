"""The prompts of the scribe, who summarises a long conversation."""
