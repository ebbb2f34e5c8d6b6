"""The types and the loop. Knows no provider, no database and no network: what it needs arrives as a protocol."""
