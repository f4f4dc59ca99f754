"""Beyond one model and one machine: fleets of personal models, and the engines that parts of work are sent to."""

from askance.scale.fleet import Fleet

__all__ = ["Fleet"]
