"""Streams with rare positive rows, and measures that no single cost vector serves. These lists are the register.

`OMCSL` is the learner; the other names are the rules that it and its comparators are made of.
"""

from typing import TYPE_CHECKING, Any

from askance.imbalance.bagging import OnlineBagging
from askance.imbalance.many_costs import ManyCosts
from askance.imbalance.measures import AUPRC, AUROC, MEASURES, F
from askance.imbalance.ofo import OFO
from askance.imbalance.opauc import OPAUC

if TYPE_CHECKING:
    from askance.imbalance.omcsl import OMCSL

RULES: tuple[type, ...] = (ManyCosts, OFO, OPAUC, OnlineBagging)

__all__ = ["AUPRC", "AUROC", "F", "MEASURES", "ManyCosts", "OFO", "OMCSL", "OPAUC", "OnlineBagging"]  # noqa: RUF022


def __getattr__(name: str) -> Any:
    # It is a learner, and learners know these rules: it cannot be there before they are.
    if name == "OMCSL":
        from askance.imbalance.omcsl import OMCSL

        return OMCSL
    raise AttributeError(f"module 'askance.imbalance' has no attribute {name!r}")
