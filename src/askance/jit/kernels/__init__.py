"""Compiled kernels of single domains: svmlight files, ratings, kernels in dual form, keys of fleets."""
