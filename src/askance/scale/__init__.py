"""Beyond one model and one machine: fleets of personal models, and work that is spread over clusters."""

from askance.scale.fleet import Fleet

__all__ = ["Fleet"]
