"""What the user asked for: settings, the cast, the episodes.

It is parsed and checked once; nothing is opened or built here.
"""
