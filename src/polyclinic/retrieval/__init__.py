"""Finding text: embedders, vector indexes, chunking, and a lexical channel beside the vectors."""
