"""Selective sampling beyond the Perceptron: an adaptive query rule, Winnow, and the p-norm Perceptron."""

from collections.abc import Mapping

from askance.algorithms.entry import SELECTIVE, Entry, entry
from askance.rules.query import Adaptive, Margin
from askance.rules.update import Perceptron, PNorm, Winnow

ENTRIES: Mapping[str, Entry] = {
    "SEL-ADA": entry(SELECTIVE, "figure 2", lambda beta=1.0: (Perceptron(), Adaptive(beta)), sgn0=-1),
    "SEL-WINNOW": entry(SELECTIVE, "figure 4", lambda b=0.1, eta=0.5: (Winnow(eta), Margin(b)), sgn0=-1),
    "SEL-PNORM": entry(SELECTIVE, "section 3", lambda b=1.0, p=4.0, eta=1.0: (PNorm(p, eta), Margin(b)), sgn0=-1),
}
