"""What was asked: settings, the cast, the episodes. Parsed and checked once; nothing is opened or built here."""
