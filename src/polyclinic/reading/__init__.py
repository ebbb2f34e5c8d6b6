"""The built-in reader: features of a text and a question, trained weights, training and measuring. Offline, in
microseconds.
"""
