"""The automatic learner as a task uses it: hashed rows, classes that are known, and the budget of the task."""

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from askance._util.sealed_file import header_of
from askance.auto import codec
from askance.auto.contents import contents
from askance.auto.contributions import scores_of_parts
from askance.auto.core import AutoCore
from askance.auto.settings import AutoSettings
from askance.learners.classes import MulticlassEncoder
from askance.learners.core import Decision
from askance.rules.rows import Row
from askance.service.state.item_model import ItemModel, Numbers, RecordRow
from askance.service.state.layout import Layout

PARAMETERS = ("audit", "memory")
AUDIT = 0.3  # of the questions are drawn at random: a task shows estimates, which need them


class AutoModel(ItemModel):
    """An automatic learner with the methods of `LearnerCore` that a task needs."""

    core: AutoCore

    @classmethod
    def of(
        cls, layout: Layout, classes: Sequence[str], random_state: int, parameters: Mapping[str, float | str]
    ) -> Self:
        """The learner before its first row; ValueError if a parameter is not valid."""
        unknown = [name for name in parameters if name not in PARAMETERS]
        if unknown:
            hint = "set budget.rate" if unknown[0] == "rate" else f"its parameters are {', '.join(PARAMETERS)}"
            raise ValueError(f"auto has no parameter {unknown[0]!r} in a task: {hint}")
        given = {name: _number(name, value) for name, value in parameters.items()}
        own: dict[str, Any] = {"audit": AUDIT, **given}
        return cls(AutoCore(AutoSettings(random_state=random_state, classes=sorted(classes), **own)), layout)

    @classmethod
    def decode(cls, content: bytes, layout: Layout) -> Self:
        """The learner that `encode` wrote, apart from the burst of its budget."""
        header = header_of(content)
        return cls(codec.decode(content), layout, header["columns"], header.get("from_unit", 0.0))

    def encode(self, name_of: Callable[[str], str] | None = None) -> bytes:
        """The content of a model file of `AutoLearner`, with the names of its dense columns beside the layout.

        Classes can have other names there.
        """
        core = self.core
        if name_of is not None:
            core = copy(core)
            core.encoder = MulticlassEncoder(
                np.array([name_of(label) for label in core.encoder.observed.tolist()]), core.encoder.dtype
            )
            core.settings = core.settings._replace(classes=sorted(core.encoder.observed.tolist()))
            core.forgetting = None  # its models know the classes by their other names
        return codec.encode(core, self._about_rows())

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All numbers that the model has learned and that must be finite; thresholds of leaves are infinite.

        The models that know only recent labels have forests, too.
        """
        return {name: array for name, array in contents(self.core)[1].items() if "forest/" not in name}

    def keep_to(self, rate: float | None, burst: int) -> Self:
        """Ask for at most `burst` + `rate` × rows labels from now on. Without a rate, for a tenth of the rows."""
        if rate is None:
            self.core.steer(AutoSettings().rate)
        else:
            self.core.steer(rate, burst)
        return self

    # ------------------------------------------------------------------ the labelling loop

    def ask(self, row: Row | RecordRow, *, granted: bool = True) -> Decision:
        """Predict a row and decide whether to ask for its label. Before any label, predict the first class."""
        self._prepare_for(row)
        decision = self.core.ask(self._mixed(row), granted=granted)
        known = decision.prediction is not None
        return decision if known else decision._replace(prediction=self.core.encoder.label(0))

    def pass_over(self, rows: Sequence[Row | RecordRow]) -> None:
        """Do as `ask` does for each of these rows without a grant, much faster. They must be rows of texts."""
        self.core.pass_over(self._stacked(rows))

    def tell(self, row: Row | RecordRow, label: str, ask_probability: float = 1.0) -> Self:
        """Learn the label of a row."""
        self._prepare_for(row)
        self.core.tell(self._mixed(row), np.array([label]), ask_probability)
        return self

    def relabel(self, item: int, label: str) -> None:
        """Replace the label of an item, if its row is remembered; otherwise nothing changes."""
        if item in self.items:
            self.core.relabel(self.items.index(item), label)

    # ------------------------------------------------------------------ predictions

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes, sorted."""
        return np.sort(self.core.encoder.observed)

    def predict(self, rows: Sequence[Row | RecordRow]) -> NDArray[Any]:
        """The predicted classes of the rows."""
        return self.core.encoder.observed[self.core.shares(self._stacked(rows)).argmax(axis=1)]

    def decision_function(self, rows: Sequence[Row | RecordRow]) -> Numbers:
        """Log-odds of the larger of two classes, or the share of every class."""
        return self.core.decision_function(self._stacked(rows))

    def shares(self, rows: Sequence[Row | RecordRow]) -> tuple[NDArray[Any], Numbers]:
        """The classes, sorted, and what the models say together of each row, by which questions are chosen."""
        found = self.core.shares(self._stacked(rows))
        return self.classes_, found[:, np.argsort(self.core.encoder.observed)]

    def probabilities(self, rows: Sequence[Row | RecordRow]) -> tuple[NDArray[Any], Numbers]:
        """The classes, sorted, and their probabilities for each row."""
        found = self.core.probabilities(self._stacked(rows))
        return self.classes_, found[:, np.argsort(self.core.encoder.observed)]

    def scores_of_terms(self, terms: sp.csr_array) -> Numbers:
        """Like `decision_function`, for rows whose numbers are all at their means."""
        return self.core.decision_function(self._at_means(terms))

    def scores_without(self, row: Row | RecordRow, features: Mapping[str, NDArray[Any]]) -> Numbers:
        """Scores as `decision_function` returns them: of a row, and of the same row without each of some features.

        Features have their hashed columns. A number that is left out is at its mean. The length of hashed features
        stays, so that no other feature becomes stronger.
        """
        X = self._mixed(row)
        kept = np.ones((1 + len(features), len(X.indices)), bool)
        dense = np.repeat(X.dense, len(kept), axis=0)
        for place, (name, hashed) in enumerate(features.items(), 1):
            column = self._places.get(name, self.columns.get(name))
            if column is None:
                kept[place] = ~np.isin(X.indices, hashed)
            else:
                dense[place, column] = self.core.models.scales.means[column]
        return scores_of_parts(self.core, X, kept, dense)


def _number(name: str, value: float | str) -> float:
    """A parameter as a number. Settings do not tell whole numbers from others."""
    if isinstance(value, str):
        raise ValueError(f"auto: {name} must be a number, not {value!r}")
    return int(value) if float(value).is_integer() else value
