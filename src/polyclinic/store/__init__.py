"""The store keeps each run as a journal in a database: SQLite by default, PostgreSQL by URL, one schema for both."""
