"""Who plays a role: language models, understudies, people, recordings; and the wrappers that limit their calls."""
