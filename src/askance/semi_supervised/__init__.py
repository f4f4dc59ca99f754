"""Semi-supervised learning: few labels and many rows without one."""

from askance.semi_supervised.rossel import Rossel

__all__ = ["Rossel"]
