"""Libraries and norms: what was learned, where from, how it changed a prompt, and the way back."""
