"""What several parties use: the multi-step validation of answers and questions."""
