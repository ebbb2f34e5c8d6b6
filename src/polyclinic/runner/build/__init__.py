"""Turn names into objects: the models, judges, records and libraries of one run. They are closed when it ends."""
