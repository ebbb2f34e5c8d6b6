"""Duty: staff who keep hard norms with soft traits, reflect, and evolve."""
