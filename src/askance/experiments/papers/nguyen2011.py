"""Nguyen et al. 2011, distribution-aware online classifiers: table 1, with every label used."""

from askance.experiments.papers.sweep_table import SweepTable

PAPER = "nguyen2011"
PENALTIES = tuple(2.0**power for power in range(-5, 6))
CONFIDENCES = (0.55, 0.6, 0.7, 0.8, 0.9, 0.95)
FULL = {"PA-II": "PA-II", "CW": "CW", "PAM-II": "PAM-II"}
DIAGONAL = {"PA-II": "PA-II", "CW": "CW-diag", "PAM-II": "PAM-II-diag"}
FEW_FEATURES = {name: (name, PAPER) for name in ("bupa", "crx", "usps")}
MANY_FEATURES = {name: (name, PAPER) for name in ("mnist", "webkb_course")}
ORDERINGS = (("PAM-II", "CW"), ("CW", "PA-II"), ("PAM-II", "PA-II"))
WIDE_PENALTIES = tuple(2.0**power for power in range(-20, 6))
WIDE_CONFIDENCES = (0.505, 0.51, 0.52, *CONFIDENCES)
GRID = {"PA-II": {"C": PENALTIES}, "PAM-II": {"C": PENALTIES}, "CW": {"eta": CONFIDENCES}}

POSITIVE = SweepTable(
    paper=PAPER,
    name="1",
    title="F1 of the positive class, every label used",
    data=FEW_FEATURES,
    algorithms=FULL,
    rates=(1.0,),
    metric="f",
    permutations=10,
    grid=GRID,
    orderings=ORDERINGS,
    published={
        "bupa": {"PAM-II": (64.28,), "CW": (61.79,), "PA-II": (61.21,)},
        "crx": {"PAM-II": (80.37,), "CW": (78.28,), "PA-II": (68.54,)},
        "usps": {"PAM-II": (95.26,), "CW": (94.81,), "PA-II": (94.08,)},
        "mnist": {"PAM-II": (59.51,), "CW": (58.64,), "PA-II": (57.85,)},
        "webkb_course": {"PAM-II": (78.90,), "CW": (76.49,), "PA-II": (77.02,)},
    },
    notes=(
        "The paper does not say which CW it uses; here it is the form with variances. On USPS, one random class "
        "is compared with as many rows of the others. The paper draws again for each run, so its standard "
        "deviations are two to three points.",
    ),
)
ON_DIAGONALS = POSITIVE._replace(
    name="1-diagonal",
    title="F1 of the positive class, every label used, with a diagonal Σ",
    data={**FEW_FEATURES, **MANY_FEATURES},
    algorithms=DIAGONAL,
    notes=(
        "The paper uses a full Σ, which would take minutes per pass for 784 or more features. On USPS and MNIST, "
        "one random class is positive.",
    ),
)
WIDE = POSITIVE._replace(
    name="1-wide",
    title="F1 of the positive class, every label used, with wider grids, and features of one scale on CRX",
    data={"bupa": ("bupa", PAPER), "crx": ("crx", f"{PAPER}-scaled")},
    grid={
        "PA-II": {"C": WIDE_PENALTIES},
        "PAM-II": {"C": WIDE_PENALTIES},
        "CW": {"eta": WIDE_CONFIDENCES},
    },
    notes=("The paper does not say whether it scales features.",),
)

TABLES = (
    POSITIVE,
    WIDE,
    ON_DIAGONALS,
    ON_DIAGONALS._replace(
        name="figure",
        title="Cumulative error, every label used",
        metric="error",
        points=50,
        published={},
    ),
)
