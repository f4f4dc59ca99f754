"""The learner of several labels as a multilabel task uses it: whole items are asked about.

The label of an item is the text of a set of labels (`set_text`).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from askance._util.sealed_file import header_of
from askance.jit.coins import coins
from askance.learners.core import Decision
from askance.multilabel import codec
from askance.multilabel.contents import contents
from askance.multilabel.core import MultiLabelCore
from askance.multilabel.settings import ITEMS, MultiLabelSettings
from askance.rules.rows import Row
from askance.service.set_text import joined, parted
from askance.service.state.item_model import ItemModel, Numbers, RecordRow
from askance.service.state.layout import Layout

PARAMETERS = ("C", "memory")


class MultiLabelModel(ItemModel):
    """A learner of several labels with the methods of `LearnerCore` that a task needs.

    A score is the lead of the least certain label: how much more probable one side of it is than the other.
    """

    core: MultiLabelCore

    @classmethod
    def of(
        cls, layout: Layout, classes: Sequence[str], random_state: int, parameters: Mapping[str, float | str]
    ) -> Self:
        """The learner before its first row; ValueError if a parameter is not valid."""
        for name, value in parameters.items():
            if name not in PARAMETERS:
                hint = "set budget.rate" if name == "rate" else f"its parameters are {', '.join(PARAMETERS)}"
                raise ValueError(f"multilabel has no parameter {name!r} in a task: {hint}")
            if isinstance(value, str):
                raise ValueError(f"multilabel: {name} must be a number, not {value!r}")
        settings = MultiLabelSettings(questions=ITEMS, random_state=random_state, classes=sorted(classes))
        given: dict[str, Any] = dict(parameters)
        if float(given.get("memory", 0)).is_integer():  # settings do not tell whole numbers from others
            given["memory"] = int(given.get("memory", settings.memory))
        core = MultiLabelCore(settings._replace(**given))
        core.add_labels(sorted(classes))
        return cls(core, layout)

    @classmethod
    def decode(cls, content: bytes, layout: Layout) -> Self:
        """The learner that `encode` wrote."""
        header = header_of(content)
        return cls(codec.decode(content), layout, header["columns"], header.get("from_unit", 0.0))

    def encode(self, name_of: Callable[[str], str] | None = None) -> bytes:
        """The content of a model file of `MultiLabelLearner`. Labels can have other names there."""
        return codec.encode(self.core, self._about_rows(), name_of)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All numbers that the model has learned and that must be finite."""
        return contents(self.core)[1]

    def keep_to(self, rate: float | None, burst: int) -> Self:  # noqa: ARG002 - the ledger keeps to the burst
        """Write this rate into model files: a task decides itself what is asked about."""
        self.core.settings = self.core.settings._replace(rate=MultiLabelSettings().rate if rate is None else rate)
        return self

    # ------------------------------------------------------------------ the labelling loop

    def ask(self, row: Row | RecordRow, *, granted: bool = True) -> Decision:  # noqa: ARG002 - nothing is on arrival
        """Predict a row. Questions are chosen when somebody wants one, so it is not asked about."""
        self._prepare_for(row)
        coin = coins(self.core.settings.random_state, self.core.spending.rows, 1)
        self.core.pass_over(self._mixed(row))
        predictions, leads = self.predicted([row])
        return Decision(predictions[0], float(leads[0]), 0.0, False, float(coin[0]))

    def pass_over(self, rows: Sequence[Row | RecordRow]) -> None:
        """Do as `ask` does for each of these rows. They must be rows of texts."""
        self.core.pass_over(self._stacked(rows))

    def tell(self, row: Row | RecordRow, label: str, ask_probability: float = 1.0) -> Self:
        """Learn all labels of a row."""
        self._prepare_for(row)
        sides = self._sides(label)
        self.core.tell(self._mixed(row), sides, np.full(len(sides), ask_probability), whole=True)
        return self

    def relabel(self, item: int, label: str) -> None:
        """Replace the labels of an item, if its row is remembered; otherwise nothing changes."""
        if item in self.items:
            self.core.relabel(self.items.index(item), self._sides(label))

    def _sides(self, label: str) -> NDArray[np.int8]:
        """The sides of all labels, of which some may be new."""
        carried = set(parted(label))
        self.core.add_labels(sorted(carried - set(self.core.names)))
        return np.array([1 if name in carried else -1 for name in self.core.names], np.int8)

    # ------------------------------------------------------------------ predictions

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels, sorted."""
        return np.sort(self.core.names)

    def predicted(self, rows: Sequence[Row | RecordRow]) -> tuple[list[str], Numbers]:
        """The predicted sets of labels, and the leads of the least certain label of each row."""
        names, shares = self.probabilities(rows)
        sets = [joined(names[row].tolist()) for row in shares > 0.5]
        leads: Numbers = np.abs(2 * shares - 1).min(axis=1)
        return sets, leads

    def predict(self, rows: Sequence[Row | RecordRow]) -> NDArray[Any]:
        """The predicted sets of labels."""
        return np.array(self.predicted(rows)[0])

    def probabilities(self, rows: Sequence[Row | RecordRow]) -> tuple[NDArray[Any], Numbers]:
        """The labels, sorted, and their probabilities for each row: one half before anything was learned."""
        core = self.core
        margins = core.margins(self._stacked(rows)) if core.remembered else np.zeros((len(rows), len(core.names)))
        return self.classes_, core.probabilities(margins)[:, np.argsort(core.names)]

    def decision_function(self, rows: Sequence[Row | RecordRow]) -> Numbers:
        """Scores of all labels, positive for those that are predicted."""
        return self.core.margins(self._stacked(rows))[:, np.argsort(self.core.names)]

    def scores_of_terms(self, terms: sp.csr_array) -> Numbers:
        """Like `decision_function`, for rows whose numbers are all at their means."""
        return self.core.margins(self._at_means(terms))[:, np.argsort(self.core.names)]
