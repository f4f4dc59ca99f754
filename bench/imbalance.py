"""OMCSL, nine learners side by side that judge themselves, beside a single one of them."""

from typing import Any

from askance.engine import passes
from askance.engine.machine import Machine, copied
from askance.jit.coins import coins
from askance.learners.inputs import as_rows
from askance.rules.imbalance import AUPRC, AUROC, F, ManyCosts
from askance.rules.query import Always
from askance.rules.update import OGD
from bench.clock import Contender, race
from bench.datasets import Dataset
from bench.ours import FLOAT32
from bench.report import Report, at_most
from bench.setting import Setting

SECONDS = 30.0
GOALS: tuple[tuple[Any, float | None], ...] = ((F(), 3.0), (AUROC(), 6.0), (AUPRC(), None))
LOSSES = {"hinge": False, "logistic": True}


def measure(setting: Setting, report: Report) -> None:
    """Data set A, both losses, each beside the single learner with the same loss."""
    dataset = setting.dataset("A")
    for loss, logistic in LOSSES.items():
        single = compiled_pass(dataset, f"one pass of OGD, {loss}", OGD(logistic=logistic))
        panels = [
            compiled_pass(
                dataset, f"OMCSL for {type(measure).__name__}, K=9, {loss}", ManyCosts(measure, logistic=logistic)
            )
            for measure, _ in GOALS
        ]
        timings = race([single, *panels], setting.seconds(SECONDS)).processor
        group = f"imbalance {loss}"
        report.keep(group, timings)
        for panel, (_, goal) in zip(panels, GOALS, strict=True):
            report.compare(group, panel.name, single.name, None if goal is None else at_most(goal))


def compiled_pass(dataset: Dataset, name: str, update: Any) -> Contender:
    """The machine code of the pass alone, with every label learned; each turn begins with a fresh core."""
    width = dataset.X.shape[1]
    rows, labels = as_rows(dataset.X, FLOAT32), dataset.y.astype(FLOAT32)
    machine = Machine(update, Always(), FLOAT32, -1.0)
    machine.make_room(width)
    rest = (rows, width, labels, coins(0, 0, len(labels)), passes.blank_outcome(len(labels), FLOAT32))
    function: Any = passes.bind("run", (machine.core, *rest), exact=False)
    return Contender(name, lambda core: function(core, *rest), lambda: copied(machine.core))
