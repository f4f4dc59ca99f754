"""Other learners over A in memory: scikit-learn's passive-aggressive one, and Vowpal Wabbit from its cache."""

from typing import Any

from bench.clock import Contender, race
from bench.datasets import Dataset
from bench.files import text_file
from bench.memory import PASS, RUN, zeros
from bench.ours import compiled_pass, learner, public_run
from bench.report import Report, at_least
from bench.setting import Setting
from bench.vowpal import vowpal_run

SECONDS = 15.0
BATCH = 1000

GROUP, GROUP_BY_PROCESSOR = "peers A", "peers A, processor time"
SGD, VOWPAL = "scikit-learn SGD pa2, batches of 1000", "Vowpal Wabbit from its cache"


def measure(setting: Setting, report: Report) -> None:
    """How far a pass is ahead of the peers."""
    dataset, delta = setting.dataset("A"), setting.delta("A")
    contenders = [
        Contender(PASS, compiled_pass(dataset, delta), lambda: zeros(dataset)),
        Contender(RUN, public_run(dataset), lambda: learner(delta)),
        Contender(SGD, lambda model: feed(model, batches), passive_aggressive),
    ]
    batches = in_batches(dataset)
    text = text_file(dataset, "vw", setting.directory).path
    from_cache = vowpal_run(text, text.with_suffix(".vw.cache"))
    if from_cache is None:
        report.left_out("Vowpal Wabbit", "it is not installed")
    else:
        contenders.append(Contender(VOWPAL, from_cache))
    wall, processor = race(contenders, setting.seconds(SECONDS))
    report.keep(GROUP, wall)
    report.keep(GROUP_BY_PROCESSOR, processor)
    report.compare(GROUP_BY_PROCESSOR, SGD, PASS, at_least(20))
    report.compare(GROUP_BY_PROCESSOR, SGD, RUN)
    if VOWPAL in wall:
        report.compare(GROUP, VOWPAL, PASS, at_least(25), "Vowpal Wabbit has two threads")
        report.compare(GROUP, VOWPAL, RUN)


def passive_aggressive() -> Any:
    """PA-II as scikit-learn spells it since 1.8: eta0 is its C. Not to shuffle saves it time."""
    from sklearn.linear_model import SGDClassifier

    return SGDClassifier(
        loss="hinge", penalty=None, learning_rate="pa2", eta0=1.0, fit_intercept=False, shuffle=False
    )


def in_batches(dataset: Dataset) -> list[tuple[Any, Any]]:
    """The data set cut up, so that cutting it is no part of the work."""
    starts = range(0, len(dataset.y), BATCH)
    return [(dataset.X[start : start + BATCH], dataset.y[start : start + BATCH]) for start in starts]


def feed(model: Any, batches: list[tuple[Any, Any]]) -> None:
    """Learn from every batch in turn."""
    for X, y in batches:
        model.partial_fit(X, y, classes=[-1, 1])
