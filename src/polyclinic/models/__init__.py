"""Who speaks: language models, understudies, people, recordings; and the wrappers that keep their calls in bounds."""
