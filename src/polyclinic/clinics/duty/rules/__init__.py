"""Pure domain rules: norms, triggers, markers, drift, scoring, knowledge."""
