"""Annotators: people and models that vote on the class of items, and how reliable they are."""

from askance.annotators.reliability import Prior, Reliability, confidence_bin

__all__ = ["Prior", "Reliability", "confidence_bin"]
