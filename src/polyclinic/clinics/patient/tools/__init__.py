"""The multi-step validation of answers and questions, which several parts of the clinic use."""
