"""The papers in plain Python: update rules, query rules, and the states they change."""

from askance.rules import api, costs, imbalance, kernel, query, state, update

__all__ = ["api", "costs", "imbalance", "kernel", "query", "state", "update"]
