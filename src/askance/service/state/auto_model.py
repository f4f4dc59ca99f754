"""The automatic learner as a task uses it: hashed rows, classes that are known, and the budget of the task."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from askance._util.sealed_file import header_of
from askance.auto import codec
from askance.auto.contributions import scores_of_parts
from askance.auto.core import AutoCore, AutoSettings
from askance.auto.rows import plain
from askance.data.hashing import places_of
from askance.jit.kernels.mixed import Mixed
from askance.learners.core import Decision
from askance.rules.rows import Row

Numbers = NDArray[np.float64]

PARAMETERS = ("audit", "memory")
AUDIT = 0.3  # of the questions are drawn at random: a task shows estimates, which need them
# The numbers in the first records become columns with scales of their own, up to a limit. Later ones are hashed:
# there is no end of them if a record is, say, a list of words with their counts.
FIRST_RECORDS, MOST_COLUMNS = 10, 1000
LARGEST = 1e100  # the squares of larger numbers would have no sum


class RecordRow(NamedTuple):
    """A record: its hashed categories, and its numbers by name, NaN where a field is null."""

    categories: Row
    numbers: dict[str, float]


class AutoModel:
    """An automatic learner with the methods of `LearnerCore` that a task needs."""

    def __init__(self, core: AutoCore, bits: int, columns: Sequence[str] = ()) -> None:
        self.core = core
        self.columns = {name: place for place, name in enumerate(columns)}
        self._bits = bits
        core.start(plain(sp.csr_array((0, 1 << bits))))

    @classmethod
    def of(
        cls, bits: int, classes: Sequence[str], random_state: int, parameters: Mapping[str, float | str]
    ) -> Self:
        """The learner before its first row; ValueError if a parameter is not valid."""
        unknown = [name for name in parameters if name not in PARAMETERS]
        if unknown:
            hint = "set budget.rate" if unknown[0] == "rate" else f"its parameters are {', '.join(PARAMETERS)}"
            raise ValueError(f"auto has no parameter {unknown[0]!r} in a task: {hint}")
        given = {name: _number(name, value) for name, value in parameters.items()}
        own: dict[str, Any] = {"audit": AUDIT, **given}
        return cls(AutoCore(AutoSettings(random_state=random_state, classes=sorted(classes), **own)), bits)

    @classmethod
    def decode(cls, content: bytes, bits: int) -> Self:
        """The learner that `encode` wrote, apart from the burst of its budget."""
        return cls(codec.decode(content), bits, header_of(content)["columns"])

    def encode(self) -> bytes:
        """The content of a model file of `AutoLearner`, with the names of its dense columns."""
        return codec.encode(self.core, {"columns": list(self.columns)})

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
        self._add_columns(row)
        decision = self.core.ask(self._mixed(row), granted=granted)
        known = decision.prediction is not None
        return decision if known else decision._replace(prediction=self.core.encoder.label(0))

    def tell(self, row: Row | RecordRow, label: str, ask_probability: float = 1.0) -> Self:
        """Learn the label of a row."""
        self._add_columns(row)
        self.core.tell(self._mixed(row), np.array([label]), ask_probability)
        return self

    # ------------------------------------------------------------------ predictions

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes, sorted."""
        return np.sort(self.core.encoder.observed)

    def predict(self, rows: Sequence[Row | RecordRow]) -> NDArray[Any]:
        """The predicted classes of the rows."""
        return self.core.encoder.observed[self.core.probabilities(self._stacked(rows)).argmax(axis=1)]

    def decision_function(self, rows: Sequence[Row | RecordRow]) -> Numbers:
        """Log-odds of the larger of two classes, or the probability of every class."""
        return self.core.decision_function(self._stacked(rows))

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
            if name in self.columns:
                dense[place, self.columns[name]] = self.core.models.scales.means[self.columns[name]]
            else:
                kept[place] = ~np.isin(X.indices, hashed)
        return scores_of_parts(self.core, X, kept, dense)

    # ------------------------------------------------------------------ rows

    def _add_columns(self, row: Row | RecordRow) -> None:
        """Make room for the numbers of one of the first records."""
        if isinstance(row, Row) or self.core.models.scales.rows[0] >= FIRST_RECORDS:
            return
        known = [name for name, value in row.numbers.items() if not math.isnan(value)]  # null may be a category
        fresh = [name for name in known if name not in self.columns][: MOST_COLUMNS - len(self.columns)]
        if fresh:
            self.columns |= {name: place for place, name in enumerate(fresh, len(self.columns))}
            self.core = self.core.with_columns(len(self.columns))

    def _mixed(self, row: Row | RecordRow) -> Mixed:
        if isinstance(row, Row):
            dense, entries = np.empty((1, 0)), row
        else:
            dense, entries = self._numbers(row.numbers), self._with_others(row)
        count = len(entries.indices)
        return Mixed(dense, np.array([0, count]), entries.indices, entries.values, 1 << self._bits, count)

    def _numbers(self, numbers: Mapping[str, float]) -> Numbers:
        """The dense part of a row: 0 where a record does not have a number, and the mean where it is null."""
        dense = np.zeros((1, len(self.columns)))
        for name, place in self.columns.items():
            value = numbers.get(name, 0.0)
            dense[0, place] = self.core.models.scales.means[place] if math.isnan(value) else value
        return np.clip(dense, -LARGEST, LARGEST)

    def _with_others(self, row: RecordRow) -> Row:
        """The hashed part of a row: categories, and numbers that have no column."""
        others = {
            name: value
            for name, value in row.numbers.items()
            if name not in self.columns and not math.isnan(value)
        }
        if not others:
            return row.categories
        places = np.concatenate([row.categories.indices, places_of(others, self._bits)])
        values = np.concatenate([row.categories.values, list(others.values())])
        indices, inverse = np.unique(places, return_inverse=True)
        return Row(indices, np.bincount(inverse, values))

    def _stacked(self, rows: Sequence[Row | RecordRow]) -> Mixed:
        parts = [self._mixed(row) for row in rows]
        counts = [len(one.indices) for one in parts]
        return Mixed(
            np.concatenate([one.dense for one in parts]),
            np.cumsum([0, *counts]),
            np.concatenate([one.indices for one in parts]),
            np.concatenate([one.values for one in parts]),
            1 << self._bits,
            max(counts),
        )

    def _at_means(self, terms: sp.csr_array) -> Mixed:
        return plain(terms)._replace(dense=np.tile(self.core.models.scales.means, (terms.shape[0], 1)))


def _number(name: str, value: float | str) -> float:
    """A parameter as a number. Settings do not tell whole numbers from others."""
    if isinstance(value, str):
        raise ValueError(f"auto: {name} must be a number, not {value!r}")
    return int(value) if float(value).is_integer() else value
