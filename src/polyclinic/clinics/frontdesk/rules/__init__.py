"""Pure rules: the earliest feasible slot, the waiting list, the passage of time, and the rubrics."""
