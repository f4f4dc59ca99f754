"""Few labels and many rows without one."""

from askance.semi.rossel import Rossel

__all__ = ["Rossel"]
