"""Streams with rare positive rows, and measures that no single cost vector serves. These lists are the register.

`askance.OMCSL` is the learner made of `ManyCosts`; the other names are the rules of what it is compared with.
"""

from askance.rules.imbalance.bagging import OnlineBagging
from askance.rules.imbalance.many_costs import ManyCosts
from askance.rules.imbalance.measures import AUPRC, AUROC, MEASURES, F
from askance.rules.imbalance.ofo import OFO
from askance.rules.imbalance.opauc import OPAUC

RULES: tuple[type, ...] = (ManyCosts, OFO, OPAUC, OnlineBagging)

__all__ = ["AUPRC", "AUROC", "F", "MEASURES", "ManyCosts", "OFO", "OPAUC", "OnlineBagging"]  # noqa: RUF022
