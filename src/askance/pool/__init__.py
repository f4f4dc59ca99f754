"""A pool to choose from: which rows to label next, with features that only the labelling sees."""
