"""The costs that OMCSL has chosen, and those that were best with all labels known."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from askance.cli.contest.contest import Contestant
from askance.cli.contest.methods import FULL
from askance.learners.core import LearnerCore
from askance.learners.from_rules import with_core
from askance.learners.omcsl import OMCSL
from askance.rules.query import Always


class Advice(NamedTuple):
    """The costs of each classifier, its measure and its probability; the chosen c₊ and the best one."""

    measure: str
    costs: NDArray[np.float64]
    measures: NDArray[np.float64]
    chances: NDArray[np.float64]
    with_all_labels: NDArray[np.float64]  # the measures with all labels known
    settled: float
    best: float

    def as_dict(self) -> dict[str, Any]:
        """The fields as JSON can hold them."""
        lists = {name: value.tolist() for name, value in self._asdict().items() if isinstance(value, np.ndarray)}
        return {**self._asdict(), **lists, "error": abs(self.settled - self.best)}

    def sentence(self) -> str:
        """The costs in one sentence."""
        return (
            f"Recently, a missed positive cost {self.settled:.3f} and a false alarm {1 - self.settled:.3f}. "
            f"With all labels known, {self.best:.3f} and {1 - self.best:.3f} give the best {self.measure}, "
            f"{self.with_all_labels.max():.4f}."
        )

    def table(self) -> Table:
        """One line per classifier."""
        result = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
        for heading in ("missed\npositive", "false\nalarm", self.measure, "probability", "with all\nlabels"):
            result.add_column(heading, justify="right")
        for cost, *found in zip(self.costs, self.measures, self.chances, self.with_all_labels, strict=True):
            measure, chance, known = found
            mark = " *" if measure == self.measures.max() else ""
            result.add_row(
                f"{cost[0]:.3f}", f"{cost[1]:.3f}", f"{measure:.4f}{mark}", f"{chance:.3f}", f"{known:.4f}"
            )
        return result


def advice(contestants: Sequence[Contestant]) -> Advice:
    """The costs of the first contestant, an OMCSL learner."""
    main = _learner(contestants[0])
    full = main if isinstance(main.query, Always) else _learner(next(c for c in contestants if c.name == FULL))
    best = float(main.costs_[np.argmax(full.measures_), 0])
    found = (main.costs_, main.measures_, main.chances_, full.measures_)
    return Advice(main.measure, *found, main.recent_costs()[0], best)


def _learner(contestant: Contestant) -> OMCSL:
    assert isinstance(contestant.learner, LearnerCore)
    learner = with_core(contestant.learner)
    assert isinstance(learner, OMCSL)
    return learner
