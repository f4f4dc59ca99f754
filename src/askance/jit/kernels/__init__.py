"""Compiled kernels for single purposes: svmlight files, ratings, support sets, keys of fleets."""
