"""Rules for imbalanced streams, and the measures that they optimise. `RULES` and `MEASURES` are the registers.

`askance.OMCSL` is the learner that uses `ManyCosts`. The other rules are those that it is compared with.
"""

from askance.rules.imbalance.bagging import OnlineBagging
from askance.rules.imbalance.many_costs import ManyCosts
from askance.rules.imbalance.measures import AUPRC, AUROC, MEASURES, F
from askance.rules.imbalance.ofo import OFO
from askance.rules.imbalance.opauc import OPAUC

RULES: tuple[type, ...] = (ManyCosts, OFO, OPAUC, OnlineBagging)

__all__ = ["AUPRC", "AUROC", "F", "MEASURES", "ManyCosts", "OFO", "OPAUC", "OnlineBagging"]  # noqa: RUF022
