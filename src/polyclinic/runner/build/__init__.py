"""Names to objects: models, judges, records and libraries of one run, closed when it is over."""
