"""Experiments: sweeps of algorithms over data sets, their tables and figures, and the tables of papers."""
