"""ROSSEL compared with one fit of LIBLINEAR per annotator, each on all rows with all labels."""

import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from askance.datasets import load
from askance.errors import DataError, DataWarning
from askance.semi_supervised import Rossel
from askance.semi_supervised.inputs import with_short_indices
from bench.clock import Contender, race
from bench.processes import child
from bench.report import Line, Report, at_most
from bench.setting import Setting

SECONDS = 60.0
LABELLED = 0.05
STAND_IN = 20_000  # rows of A, where rcv1 is not found: they are as wide and as long


class Rows(NamedTuple):
    """Rows, all their labels, and the few labels that ROSSEL is given; the classes are 0 and 1."""

    name: str
    X: Any
    y: NDArray[np.int64]
    known: NDArray[np.int64]


def rows_of(setting: Setting) -> Rows:
    """rcv1 with two classes if it is installed, otherwise a part of data set A."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            name, (X, y) = "rcv1", load("rcv1_binary", None, 0)
    except DataError:
        dataset = setting.dataset("A")
        name, X, y = "A", dataset.X[:STAND_IN], dataset.y[:STAND_IN]
    if setting.quick:
        X, y = X[:500], y[:500]
    X = with_short_indices(X.astype(np.float64))
    labels = (y > 0).astype(np.int64)
    return Rows(name, X, labels, np.where(np.arange(len(y)) < LABELLED * len(y), labels, -1))


def measure(setting: Setting, report: Report) -> None:
    """Ten and fifty annotators, the same penalty for all, and the peak memory of fifty."""
    rows = rows_of(setting)
    group = f"rossel {rows.name}"
    for members in (10, 50):
        for C in (0.1, 1.0):
            ours, theirs = f"Rossel, M = {members}, C = {C:g}", f"{members} LIBLINEAR fits, C = {C:g}"
            contenders = [
                Contender(ours, lambda _, m=members, c=C: fitted(rows, m, c)),
                Contender(theirs, lambda _, m=members, c=C: [liblinear(rows, c) for _ in range(m)]),
            ]
            timings = race(contenders, setting.seconds(SECONDS)).processor
            report.keep(group, timings)
            report.compare(group, ours, theirs, at_most(2.5), "to a gap of 1e-6, annotators included")
    peak = child("rossel", "quick" if setting.quick else "whole", str(setting.directory))["peak"]
    report.add(
        Line(group, "peak of a process, M = 50", peak, peak, "MB", False, at_most(1000), "imports included")
    )


def fitted(rows: Rows, members: int, C: float) -> Rossel:
    """ROSSEL with few labels."""
    return Rossel(n_estimators=members, C=C, C1=C, C2=C).fit(rows.X, rows.known)


def liblinear(rows: Rows, C: float) -> LinearSVC:
    """A linear SVM with all labels, as scikit-learn stops it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return LinearSVC(loss="hinge", C=C, fit_intercept=False).fit(rows.X, rows.y)
