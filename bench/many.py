"""Many classes: MPAA-II beside scikit-learn's passive-aggressive learner, which has a learner for each class."""

from typing import Any

import numpy as np

import askance
from bench.clock import Contender, race
from bench.datasets import Dataset, Shape, make_dataset
from bench.peers import BATCH, passive_aggressive
from bench.report import Report, at_least
from bench.setting import Setting

SECONDS = 15.0
CLASSES = 20
SHAPE, QUICK_SHAPE = Shape(100_000, 10_000, 60, random_state=4), Shape(4_000, 10_000, 60, random_state=4)

GROUP = "20 classes"
OURS, ALL, SGD = "MPAA-II, public run", "MPA-II, partial_fit", "scikit-learn SGD pa2, one against rest"


def measure(setting: Setting, report: Report) -> None:
    """Both learn in one pass; ours asks for some of the labels, and once for all."""
    dataset = of_many_classes(make_dataset("many", QUICK_SHAPE if setting.quick else SHAPE))
    batches = [slice(start, start + BATCH) for start in range(0, len(dataset.y), BATCH)]
    parts = [(dataset.X[part], dataset.y[part]) for part in batches]
    contenders = [
        Contender(OURS, lambda model: model.run(dataset.X, dataset.y), lambda: askance.make("MPAA-II", k=CLASSES)),
        Contender(
            ALL, lambda model: model.partial_fit(dataset.X, dataset.y), lambda: askance.make("MPA-II", k=CLASSES)
        ),
        Contender(SGD, lambda model: feed(model, parts), passive_aggressive),
    ]
    timings = race(contenders, setting.seconds(SECONDS)).processor
    report.keep(GROUP, timings)
    trace = askance.make("MPAA-II", k=CLASSES).run(dataset.X, dataset.y)
    report.compare(GROUP, SGD, OURS, at_least(20), f"{trace.asked.mean():.1%} asked")
    report.compare(GROUP, SGD, ALL, None, "every label learned, as scikit-learn does")


def of_many_classes(dataset: Dataset) -> Dataset:
    """The same rows with the sides of several random hyperplanes for labels."""
    planted = np.random.default_rng(5).standard_normal((dataset.X.shape[1], CLASSES)).astype(np.float32)
    return dataset._replace(y=np.argmax(dataset.X @ planted, axis=1))


def feed(model: Any, parts: list[tuple[Any, Any]]) -> None:
    """Learn from every batch in turn."""
    for X, y in parts:
        model.partial_fit(X, y, classes=range(CLASSES))
