"""Fleets: one small model for each of very many keys."""

from askance.fleet.fleet import Fleet

__all__ = ["Fleet"]
