"""The engine's types and loop. It knows no provider, database or network: those come in through protocols."""
