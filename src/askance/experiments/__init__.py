"""Experiments: sweeps of algorithms over data sets, and what came of them as tables and figures."""
