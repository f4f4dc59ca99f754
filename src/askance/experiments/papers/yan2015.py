"""Yan 2017, chapter 2, maximum-margin factorisation of ratings: table 2.2, figures 2.1 and 2.2."""

from askance.experiments.papers.convergence_table import ConvergenceTable
from askance.experiments.papers.ratings import RatingsMethod, RatingsPlan
from askance.experiments.papers.ratings_table import Printed, RatingsGrid, RatingsTable
from askance.ratings.synthetic import SyntheticRatings

PAPER = "yan2015"
ARSS, BNRCG = "ARSS", "BNRCG"
METHODS = (
    RatingsMethod(ARSS, {}),
    RatingsMethod(BNRCG, {}, rank_given=True),
    RatingsMethod("ARSS, squared sum", {"loss": "sq_sum"}),
    RatingsMethod("ARSS, users' thresholds", {"thresholds": "user"}),
)
SMALL, LARGE = SyntheticRatings(1000, 1000, 20), SyntheticRatings(20_000, 20_000, 50)
BINARY = SMALL._replace(levels=2)
SYNTHETIC_GRID = (1e-5, 3e-5, 1e-4, 3e-4, 1e-3)
MOVIE_GRID = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2)
PATH = (1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3, 0.9)

# Of table 2.2: RMSE and seconds on the small and the large synthetic data and on MovieLens 1M.
_PRINTED = {
    ARSS: (0.3693, 5.33, 0.3684, 542, 0.9222, 9.5482),
    BNRCG: (0.3698, 5.34, 0.3915, 635, 0.9285, 13.4437),
    "FM3F": (0.3811, 11.99, 0.3899, 2186, 0.9344, 212.2051),
    "GROUSE": (0.4718, 27.84, 0.512, 11214, 0.9225, 39.4184),
    "LMAFIT": (0.4701, 6.08, 0.4973, 827, 0.9373, 19.9465),
    "ScGrassMC": (0.4638, 10.19, 0.4714, 2149, 0.9372, 21.3109),
    "LRGeomCG": (0.4679, 6.01, 0.4904, 814, 0.9321, 10.2484),
    "RTRMC": (0.4676, 8.68, 0.4715, 884, 0.9311, 14.1038),
}


def _column(place: int) -> dict[str, Printed]:
    return {name: Printed(*values[2 * place : 2 * place + 2]) for name, values in _PRINTED.items()}


def _by_regularization(label: str, values: tuple[float, ...]) -> tuple[RatingsMethod, ...]:
    return tuple(
        RatingsMethod(label.format(value), {"regularization": value, "max_iter": 1000}, rank_given=True)
        for value in values
    )


BINS = (
    "The thesis does not define its five bins. Here each has the same number of ratings; with bins of equal "
    "width, the middle one had 77 to 89 % of all ratings in three draws."
)
RANKS = (
    "BNRCG has the true rank on synthetic data, and on MovieLens the rank that ARSS found on the same split. The "
    "thesis found rank 8 for MovieLens 1M and 42 for the large synthetic data of rank 50."
)
GRIDS = (
    "λ is one of 1e-5, 3e-5, 1e-4, 3e-4 and 1e-3 on synthetic data, and of 0.005, 0.01, 0.02, 0.05, 0.1 and 0.2 "
    "on MovieLens. All fits have tol = 1e-3."
)
VARIANTS = (
    "The squared sum is the loss of eq. 2.1 of the thesis; the others use the sum of squares, which matches its "
    "gradients. Users' thresholds are separate for each user, shrunk towards their mean."
)
OTHERS = (
    "FM3F, GROUSE, LMAFIT, ScGrassMC, LRGeomCG and RTRMC are not repeated here, nor are Netflix, Yahoo! Music and "
    "MovieLens 10M. The thesis measured its times with Matlab on another machine."
)

TABLES = (
    RatingsTable(
        PAPER,
        "2.2",
        "RMSE on test ratings, and time",
        {
            "synthetic, small": ("synthetic", SMALL),
            "MovieLens 100k": ("ml100k", None),
            "MovieLens 1M": ("ml1m", None),
        },
        METHODS,
        {
            "synthetic, small": RatingsGrid(SYNTHETIC_GRID, 10),
            "MovieLens 100k": RatingsGrid(MOVIE_GRID, 5),
            "MovieLens 1M": RatingsGrid(MOVIE_GRID, 5),
        },
        {"synthetic, small": _column(0), "MovieLens 1M": _column(2)},
        (BINS, RANKS, GRIDS, VARIANTS, OTHERS, "MovieLens 100k is not in the thesis."),
    ),
    RatingsTable(
        PAPER,
        "2.2-large",
        "the large synthetic data",
        {"synthetic, large": ("synthetic", LARGE)},
        METHODS[:2],
        {"synthetic, large": RatingsGrid((1e-4,), 2)},
        {"synthetic, large": _column(1)},
        (BINS, RANKS, "λ is the better of 1e-4 and 2e-4 on another draw. All fits have tol = 1e-3."),
        only_if_named=True,
    ),
    ConvergenceTable(
        PAPER,
        "overfitting",
        "figure 2.1, how much regularisation",
        {"synthetic, small, binary": ("synthetic", BINARY)},
        {"synthetic, small, binary": _by_regularization("{:g}", PATH)},
        "errors",
        RatingsPlan(splits=3, tol=5e-4),
        ("BNRCG with the true rank. Ratings are -1 and +1: an RMSE of 1 is a quarter of them wrong.",),
    ),
    ConvergenceTable(
        PAPER,
        "convergence",
        "figure 2.2, how fast the objective falls",
        {"a) binary, BNRCG": ("synthetic", BINARY), "b) ordinal": ("synthetic", SMALL)},
        {
            "a) binary, BNRCG": _by_regularization("λ = {:g}", (1e-3, 0.01, 0.1, 0.9)),
            "b) ordinal": (
                RatingsMethod(BNRCG, {"regularization": 3e-4}, rank_given=True),
                RatingsMethod(ARSS, {"regularization": 3e-4, "max_rank": SMALL.rank}),
            ),
        },
        "objectives",
        RatingsPlan(splits=3, tol=5e-4),
        (
            "The objective is relative to that at X = 0; the picture has the first draw. The thesis has FM3F too.",
            "ARSS grows by 2 ranks at a time, up to the true one: no ratings are held back to stop it earlier.",
        ),
    ),
)
