"""Gradient descent on a choice of losses: plain, without learning rates, and with L1 regularization."""

import math
from collections.abc import Mapping
from typing import Any

from askance.algorithms.entry import (
    ADAPTIVE,
    CLICKS,
    COIN_BETTING,
    DUAL_AVERAGING,
    LOSSES_OF_SGD,
    TRUNCATED,
    Build,
    Entry,
    entry,
)
from askance.algorithms.second_order import meaning
from askance.rules.query import Always
from askance.rules.update import COCOB, FTRL, RDA, SGD, AdaFOBOS, AdaRDA, TruncatedGradient
from askance.rules.update.losses import LOSSES
from askance.rules.update.sgd import POWERS


def _loss(name: str) -> Any:
    return meaning("loss", name, LOSSES)()


def adaptive(rule: type) -> Build:
    """A rule with a step size per feature, and L1."""
    return lambda loss="hinge", delta=1.0, eta=1.0, l1=1e-4: (rule(_loss(loss), delta, eta, l1), Always())


ENTRIES: Mapping[str, Entry] = {
    "SGD": entry(
        LOSSES_OF_SGD,
        "",
        lambda loss="hinge", eta=1.0, schedule="sqrt": (
            SGD(_loss(loss), eta, meaning("schedule", schedule, POWERS)),
            Always(),
        ),
    ),
    "TG": entry(
        TRUNCATED,
        "section 3.3",
        lambda loss="hinge", eta=0.1, gravity=1e-3, every=10, theta=math.inf: (
            TruncatedGradient(_loss(loss), eta, gravity, every, theta),
            Always(),
        ),
    ),
    "FTRL": entry(
        CLICKS,
        "algorithm 1",
        lambda loss="logistic", alpha=0.1, beta=1.0, l1=1.0, l2=0.0: (
            FTRL(_loss(loss), alpha, beta, l1, l2),
            Always(),
        ),
    ),
    "Ada-FOBOS": entry(ADAPTIVE, "section 5.1", adaptive(AdaFOBOS)),
    "Ada-RDA": entry(ADAPTIVE, "section 5.1", adaptive(AdaRDA)),
    "COCOB": entry(
        COIN_BETTING, "algorithm 2", lambda loss="hinge", alpha=100.0: (COCOB(_loss(loss), alpha), Always())
    ),
    "RDA": entry(
        DUAL_AVERAGING,
        "algorithm 2",
        lambda loss="hinge", gamma=1.0, l1=1e-4, rho=0.0: (RDA(_loss(loss), gamma, l1, rho), Always()),
    ),
}
