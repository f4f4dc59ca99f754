"""The papers in plain Python: update rules, query rules, and the states they change."""

from askance.rules import costs, imbalance, kernel, query, state, update

__all__ = ["costs", "imbalance", "kernel", "query", "state", "update"]
