"""Libraries and norms: what was learned, its origin, how it changed a prompt, and how to roll it back."""
