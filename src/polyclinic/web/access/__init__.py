"""Who may do what in the browser: one table, one dependency for every route, and the owner of each object."""
