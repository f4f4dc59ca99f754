"""Cesa-Bianchi, Gentile and Zaniboni 2006, selective sampling: how b sets the share of labels, and F at a share.

The paper goes through the first 40,000 stories of RCV1, once for each of the 50 most frequent topics. That corpus
may not be passed on; here one task on newswire with LIBSVM's features stands for it, so figures cannot be
compared, the orderings can.
"""

from askance.experiments.papers.sweep_table import SweepTable

PAPER = "cesabianchi2006"
DATA: dict[str, tuple[str, str | None]] = {"newswire": ("rcv1_binary", None)}

CURVES = SweepTable(
    paper=PAPER,
    name="figures",
    title="F against the share of labels",
    data=DATA,
    algorithms={"SEL-P": "SEL-P", "SEL-ADA": "SEL-ADA", "SEL-2ND-diag": "SEL-2ND-diag", "RPE": "RPE", "PE": "PE"},
    rates=(0.02, 0.05, 0.1, 0.2, 0.4),
    metric="f",
    permutations=10,
    orderings=(("SEL-P", "RPE"), ("SEL-2ND-diag", "SEL-P"), ("SEL-ADA", "RPE")),
    note="The second-order learner keeps a diagonal: 47,236 features would need a matrix of 9 GB.",
)
RATES = SweepTable(
    paper=PAPER,
    name="rates",
    title="The share of labels that a parameter b asks for",
    data=DATA,
    algorithms={"SEL-P": "SEL-P", "SEL-2ND-diag": "SEL-2ND-diag"},
    rates=None,
    metric="f",
    permutations=5,
    grid={"b": tuple(2.0**power for power in range(-7, 4))},
)

TABLES = (CURVES, RATES)
