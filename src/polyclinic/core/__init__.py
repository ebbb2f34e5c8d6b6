"""The engine's types and loop. It knows no provider, database or network: these are passed in through protocols."""
