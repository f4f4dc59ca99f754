"""Lu, Zhao and Hoi 2016, passive-aggressive active learning: tables 2 and 3, figures 1, 2, 4 and 5.

The names of the data sets in tables 2 and 3 are not available, so their values cannot be compared with ours. The
claimed orderings can.
"""

from askance.experiments.papers.sweep_table import SweepTable

PAPER = "lu2016"
RANDOM = ("RPE", "RPA", "RPA-I", "RPA-II")
ACTIVE = ("PEA", "PAA", "PAA-I", "PAA-II")
ALL = ("PEA", "SEL-ADA", "SEL-2ND", *RANDOM, "PAA", "PAA-I", "PAA-II")
SETS = ("a8a", "magic04", "spambase", "svmguide1", "w8a", "german", "splice")
WHOLE_RANGE = (0.02, 0.05, 0.1, 0.2, 0.4, 0.8)
PAIRS = (("PEA", "RPE"), ("PAA", "RPA"), ("PAA-I", "RPA-I"), ("PAA-II", "RPA-II"))
SOFT = (("PAA-I", "PAA"), ("PAA-II", "PAA"), ("PAA-II", "PEA"))

TABLE_2 = SweepTable(
    paper=PAPER,
    name="2",
    title="F of binary tasks at 10 % and 20 % of the labels",
    data={name: (name, PAPER) for name in SETS},
    algorithms={name: name for name in ALL},
    rates=(0.1, 0.2),
    metric="f",
    permutations=20,
    grid={"C": tuple(2.0**power for power in range(-5, 6))},
    orderings=(*PAIRS, *SOFT, ("PEA", "SEL-ADA"), ("SEL-2ND", "PEA")),
    notes=("Tables 2 and 3 of the paper have twelve data sets whose names are not available.",),
)


def _figure(name: str, title: str, data: dict[str, tuple[str, str | None]], metric: str) -> SweepTable:
    many = "M" if metric == "accuracy" else ""
    return TABLE_2._replace(
        name=name,
        title=title,
        data=data,
        algorithms={many + one: many + one for one in (*RANDOM, *ACTIVE)},
        rates=WHOLE_RANGE,
        metric=metric,
        orderings=tuple((many + better, many + worse) for better, worse in (*PAIRS, ("PAA-II", "PEA"))),
        notes=(),
    )


TEXT: dict[str, tuple[str, str | None]] = {
    "comp against rec": ("20newsgroups", "lu2016-comp-rec"),
    "rec against sci": ("20newsgroups", "lu2016-rec-sci"),
    "rcv1": ("rcv1_binary", None),
}
IMAGES: dict[str, tuple[str, str | None]] = {
    "letter": ("letter", None),
    "satimage": ("satimage", PAPER),
    "segment": ("segment", PAPER),
}


def _cost_sensitive(name: str, data: dict[str, tuple[str, str | None]], ratio: float) -> SweepTable:
    """Return the comparison of CSPAA; `ratio` is that of negative to positive rows, the value of ρ and C."""
    both = {"C": ratio, "rho": ratio}
    return SweepTable(
        paper=PAPER,
        name=name,
        title="Balanced accuracy of cost-sensitive learning, C = ρ = T_n / T_p",
        data=data,
        algorithms={
            "LEPE": "LEPE",
            "CSRND": ("CSRND", both),
            "CSPAA": ("CSPAA", both),
            "CSPAA(a)": ("CSPAA(a)", both),
            "PE": "PE",
            "PA": "PA",
            "PAUM": ("PAUM", {"tau_pos": ratio}),
            "CPA": ("CPA", both),
        },
        rates=(0.02, 0.1),
        metric="sum",
        permutations=20,
        orderings=(
            ("CSPAA", "CSRND"),
            ("CSPAA", "LEPE"),
            ("CSPAA(a)", "CSPAA"),
            ("PAUM", "PE"),
            ("CPA", "PA"),
        ),
        notes=("The values of the paper's tables 6 to 8, on addresses of one and two months, are not available.",),
    )


TABLES = (
    TABLE_2,
    _figure("figure1", "F against the share of labels", dict(TABLE_2.data), "f"),
    _figure("figure2", "F against the share of labels, text", TEXT, "f"),
    _figure("figure4", "Accuracy against the share of labels", IMAGES, "accuracy"),
    _figure(
        "figure5",
        "Accuracy against the share of labels, text",
        {"20newsgroups": ("20newsgroups_words", PAPER)},
        "accuracy",
    )._replace(permutations=3, tuning=1, rates=(0.1, 0.2), grid={"C": (0.25, 2.0)}),
    _cost_sensitive("cost-url", {"url": ("url", PAPER)}, 2.02),
    _cost_sensitive("cost-w8a", {"w8a": ("w8a", PAPER)}, 32.6),
    _cost_sensitive("cost-w8a-filled", {"w8a": ("w8a", f"{PAPER}-filled")}, 33.5),
)
