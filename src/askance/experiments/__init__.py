"""Experiments: plans, sweeps, and what came of them."""
