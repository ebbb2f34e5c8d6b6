"""The clinic's rules as pure functions: disclosure, kinds of questions, leaks, and the decisions of validation."""
