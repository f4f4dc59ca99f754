"""Yan 2016, chapter 4 of the thesis, AL-LUPI: figures 4.1 to 4.3, and the seconds of table 4.1."""

import itertools
from collections.abc import Callable
from functools import partial
from typing import Any

from askance.experiments.papers.pool_table import PoolTable
from askance.experiments.papers.pools import Family
from askance.experiments.papers.views import Pair
from askance.pool import CoTesting, EntropySampling, MarginSampling, PrivilegedSelector, RandomSampling, SVMPlus

PAPER = "yan2016-lupi"
HERO = "AL-LUPI-max"
DATA = {
    "Wikipedia": ("wiki_xmodal", Pair(1, 2)),
    "WebKB course": ("webkb_course", Pair(2, 1)),
    "mfeat": ("mfeat", Pair(1, 4)),
    "20 newsgroups": ("20newsgroups", Pair(rows=1500)),
}
NAMED = {name: DATA[name] for name in ("Wikipedia", "WebKB course", "mfeat")}
COMBINATIONS = ("max", "sum", "min", "product", "distance")
SVM_PLUS = tuple({"C": C, "gamma": gamma} for C, gamma in itertools.product((0.1, 1.0, 10.0), (0.01, 1.0, 100.0)))
PENALTIES = tuple({"C": C} for C in (0.1, 1.0, 10.0, 100.0))


def _selector(_random_state: int, C: float = 1.0, gamma: float = 1.0, **how: Any) -> PrivilegedSelector:
    return PrivilegedSelector(SVMPlus(C, gamma), **how)


def _seeded(strategy: Callable[..., Any], **how: Any) -> Callable[..., Any]:
    return partial(_make_seeded, strategy, how)


def _make_seeded(strategy: Callable[..., Any], how: dict[str, Any], random_state: int, **setting: Any) -> Any:
    return strategy(random_state=random_state, **how, **setting)


def _lupi(*, suffix: str = "", **how: Any) -> dict[str, Callable[..., Any]]:
    return {f"AL-LUPI-{one}{suffix}": partial(_selector, combine=one, **how) for one in COMBINATIONS}


BASELINES = (
    Family({"random": _seeded(RandomSampling)}),
    Family({"margin": _seeded(MarginSampling)}, PENALTIES),
    Family({"entropy": _seeded(EntropySampling)}, PENALTIES),
    Family(
        {
            "co-testing, aggressive": _seeded(CoTesting, manner="aggressive"),
            "co-testing, conservative": _seeded(CoTesting, manner="conservative"),
        },
        PENALTIES,
    ),
)
DIVERSITY = Family({"diversity": partial(_selector, use="diversity")})
NOTES = (
    "Features and privileged features are, on Wikipedia, the histogram of the image and the topics of the text; "
    "on WebKB, the text of the page and of the links to it; on mfeat, the Fourier coefficients and the pixels of "
    "a digit; on 20 newsgroups, two random halves of the words. WebQueries, Pascal Sentences, MSCOCO and the "
    "thesis' features of Wikipedia are not available here.",
    "The thesis seems to ask once for 10, 20, … or 100 rows. Here a loop asks ten times for ten rows and learns "
    "in between. Rows are scaled to length 1 if most features are 0; otherwise features are scaled to the same "
    "spread.",
    "All AL-LUPI strategies share the C and γ of SVM+ that are best for AL-LUPI-max, or for the first line.",
)

TABLES = (
    PoolTable(
        PAPER,
        "4.1",
        "AL-LUPI against other strategies",
        DATA,
        (*BASELINES, DIVERSITY, Family({HERO: partial(_selector, combine="max")}, SVM_PLUS)),
        HERO,
        notes=(
            *NOTES,
            "Margin, entropy and co-testing stand for the thesis' single-view and two-view methods; pKNN, LOD, "
            "Quire and HSE are not repeated here.",
        ),
    ),
    PoolTable(
        PAPER,
        "4.2",
        "ways to combine the two uncertainties",
        NAMED,
        (
            Family(
                {
                    **_lupi(),
                    "prediction": partial(_selector, combine="prediction"),
                    "correcting": partial(_selector, combine="correcting"),
                },
                SVM_PLUS,
            ),
        ),
        HERO,
        notes=NOTES,
    ),
    PoolTable(
        PAPER,
        "4.3",
        "uncertainty and diversity, each alone",
        NAMED,
        (
            Family(
                {
                    HERO: partial(_selector, combine="max"),
                    **_lupi(suffix="-u", use="uncertainty"),
                    "prediction-u": partial(_selector, combine="prediction", use="uncertainty"),
                    "correcting-u": partial(_selector, combine="correcting", use="uncertainty"),
                },
                SVM_PLUS,
            ),
            DIVERSITY,
        ),
        HERO,
        notes=NOTES,
    ),
)
