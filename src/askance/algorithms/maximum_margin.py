"""First-order rules that approximate the classifier of the largest margin."""

from collections.abc import Mapping

from askance.algorithms.entry import LARGE_MARGIN, PRIMAL_SVM, RELAXED_MARGIN, Entry, entry
from askance.rules.query import Always
from askance.rules.update import ALMA, ROMMA, Pegasos

ENTRIES: Mapping[str, Entry] = {
    "ROMMA": entry(RELAXED_MARGIN, "", lambda: (ROMMA(), Always())),
    "aROMMA": entry(RELAXED_MARGIN, "", lambda: (ROMMA(aggressive=True), Always())),
    "ALMA": entry(
        LARGE_MARGIN,
        "figure 1",
        lambda alpha=0.9, b=8**0.5, C=2**0.5: (ALMA(alpha, b, C), Always()),
    ),
    "Pegasos": entry(PRIMAL_SVM, "figure 1", lambda lam=1e-3, projected=True: (Pegasos(lam, projected), Always())),
}
