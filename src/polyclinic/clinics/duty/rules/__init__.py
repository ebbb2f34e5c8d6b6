"""Pure domain rules, in four rooms: `norms`, the `triggers` that check them, `traits`, and the `tasks` of a shift."""
