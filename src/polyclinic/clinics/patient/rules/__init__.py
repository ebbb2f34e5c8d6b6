"""The clinic's rules, pure: what may be disclosed, what a question is, what a leak is, how validation decides."""
