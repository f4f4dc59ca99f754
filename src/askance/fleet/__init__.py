"""Fleets: one small model per key, for very many keys."""

from askance.fleet.fleet import Fleet

__all__ = ["Fleet"]
