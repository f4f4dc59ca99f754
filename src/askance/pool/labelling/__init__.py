"""Labelling a file: which row to ask about next, what the answers teach, and when to stop."""
