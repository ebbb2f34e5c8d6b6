"""The tasks of a shift: what each message is for, and the checklist that says whether the task was done."""
