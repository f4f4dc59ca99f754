"""Cesa-Bianchi, Gentile and Zaniboni 2006, selective sampling: the share of labels by b, and F by the share.

The paper uses the first 40,000 stories of RCV1, once for each of the 50 most frequent topics. That corpus cannot
be redistributed. Here one newswire task with the features of LIBSVM replaces it, so values cannot be compared, but
orderings can.
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
    notes=("The second-order learner is diagonal: 47,236 features would need a matrix of 9 GB.",),
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
