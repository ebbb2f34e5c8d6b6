"""Traits: how they sound, how far a person has drifted from them, which norms they put at risk."""
