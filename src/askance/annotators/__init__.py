"""Annotators: people and models that vote on the class of items, and how reliable they are."""

from askance.annotators.buying import Offer, VoteBuyer, information
from askance.annotators.crowd import Crowd, Vote
from askance.annotators.reliability import Prior, Reliability, confidence_bin

__all__ = ["Crowd", "Offer", "Prior", "Reliability", "Vote", "VoteBuyer", "confidence_bin", "information"]
