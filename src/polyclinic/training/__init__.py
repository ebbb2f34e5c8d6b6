"""From transcripts to training data: rows, filters, splits, a data card, and the files."""
