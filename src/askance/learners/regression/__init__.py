"""Regression on streams, with questions."""
