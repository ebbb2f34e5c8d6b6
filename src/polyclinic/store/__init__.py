"""A run is a journal in a database: SQLite by default, PostgreSQL by URL, one schema for both."""
