"""Askance's own contenders, and how eager their query rule is."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

import askance
from askance.engine import passes
from askance.engine.machine import Machine
from askance.jit.coins import coins
from askance.learners.inputs import as_rows
from askance.rules.query import Margin
from askance.rules.update import PassiveAggressive2
from bench.datasets import Dataset

FLOAT32 = np.dtype(np.float32)
WANTED_SHARE = 0.2
HALVINGS = 8


def choose_delta(dataset: Dataset) -> float:
    """The delta with which PAA-II asks for about a fifth of the labels, to two digits."""
    low, high = 1e-3, 1e1
    for _ in range(HALVINGS):
        delta = float(f"{np.sqrt(low * high):.2g}")
        share = learner(delta).run(dataset.X, dataset.y).asked.mean()
        low, high = (delta, high) if share < WANTED_SHARE else (low, delta)
    return delta


def learner(delta: float) -> askance.Learner:
    """A fresh learner."""
    return askance.make("PAA-II", delta=delta)


def public_run(dataset: Dataset) -> Callable[[askance.Learner], askance.Trace]:
    """What users call, with validation, coins and trace; to be called with a fresh learner."""
    return lambda fresh: fresh.run(dataset.X, dataset.y)


def compiled_pass(dataset: Dataset, delta: float) -> Callable[[NDArray[np.float32]], None]:
    """The machine code of the pass alone, which checks the rows on its way; to be called with zero weights."""
    width = dataset.X.shape[1]
    rows, labels = as_rows(dataset.X, FLOAT32), dataset.y.astype(FLOAT32)
    machine = Machine(PassiveAggressive2(C=1.0), Margin(b=delta), FLOAT32, 1.0)
    machine.make_room(width)
    rest = (rows, width, labels, coins(0, 0, len(labels)), passes.blank_outcome(len(labels), FLOAT32))
    function = passes.bind("run", (machine.core, *rest), exact=False)
    state = type(machine.core.state)
    return lambda weights: function(machine.core._replace(state=state(weights)), *rest)
