"""Finding text: embedders, vector indexes, chunking, and search by words."""
