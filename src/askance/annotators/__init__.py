"""Annotators: people and models that vote on the class of items, how reliable they are, and what they cost."""

from askance.annotators.buying import Offer, VoteBuyer, information
from askance.annotators.crowd import Crowd, Vote
from askance.annotators.ledger import Ledger
from askance.annotators.prices import Oracle
from askance.annotators.reliability import Prior, Reliability, confidence_bin

__all__ = [
    "Crowd",
    "Ledger",
    "Offer",
    "Oracle",
    "Prior",
    "Reliability",
    "Vote",
    "VoteBuyer",
    "confidence_bin",
    "information",
]
