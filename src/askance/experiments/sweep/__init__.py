"""Sweeps: algorithms compared on data sets at the same share of labels."""
