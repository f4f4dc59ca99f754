"""How a model of a task takes its items: as rows whose words are hashed and whose numbers have columns."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from askance._util.sealed_file import PLAN
from askance.auto.rows import mixed, plain
from askance.data.encoding import RunningMeans
from askance.data.hashing import places_of
from askance.data.saved_plans import saved_means
from askance.jit.kernels.mixed import UNIT_TOLERANCE, Mixed
from askance.learners.core import Decision
from askance.rules.rows import Row
from askance.service.state.layout import Layout

Numbers = NDArray[np.float64]

# The numbers in the first records become columns with scales of their own, up to a limit. Later ones are hashed:
# there is no end of them if a record is, say, a list of words with their counts.
FIRST_RECORDS, MOST_COLUMNS = 10, 1000
LARGEST = 1e100  # the squares of larger numbers would have no sum


class RecordRow(NamedTuple):
    """An item that is more than a text.

    Attributes
    ----------
    categories : Row
        Hashed categories and words.
    numbers : dict
        The numbers of a record by name, NaN where a field is null.
    dense : array or None
        The columns of the task's layout, NaN where one is missing; None means that all are.
    """

    categories: Row
    numbers: dict[str, float]
    dense: Numbers | None = None


class Core(Protocol):
    """What a model's core must have, so that rows can be made for it."""

    models: Any
    unit_columns: int

    @property
    def remembered(self) -> int:
        """The number of labelled rows in memory."""

    def start(self, X: Mixed) -> None:
        """Prepare for rows like these."""

    def with_columns(self, columns: int) -> Self:
        """Return a core for rows with more dense columns."""


class ItemModel(ABC):
    """A model of items that remembers labelled rows, and which items they are. Subclasses say what it learns.

    A label is the text that the journal has of it.
    """

    core: Core

    def __init__(self, core: Core, layout: Layout, columns: Sequence[str] = (), from_unit: float = 0.0) -> None:
        self.core = core
        self.layout = layout
        self.items: list[int] = []  # the items of the remembered rows, 0 if it is not known
        self.columns = {name: place for place, name in enumerate(columns, layout.dense)}  # beside the layout
        self._starts = layout.starts
        self._places = layout.places
        self._from_unit = from_unit  # the largest difference of a vector's squared length from 1
        core.start(mixed(np.empty((0, layout.dense)), sp.csr_array((0, layout.hashed))))
        self._use_length()

    # ------------------------------------------------------------------ what models learn

    @abstractmethod
    def encode(self, name_of: Callable[[str], str] | None = None) -> bytes:
        """The content of a model file, with the names of its dense columns. Classes can have other names there."""

    @abstractmethod
    def arrays(self) -> dict[str, NDArray[Any]]:
        """All numbers that the model has learned and that must be finite."""

    @abstractmethod
    def keep_to(self, rate: float | None, burst: int) -> Self:
        """Ask for at most `burst` + `rate` × rows labels from now on."""

    @abstractmethod
    def ask(self, row: Row | RecordRow, *, granted: bool = True) -> Decision:
        """Predict a row and decide whether to ask for its label."""

    @abstractmethod
    def pass_over(self, rows: Sequence[Row | RecordRow]) -> None:
        """Do as `ask` does for each of these rows without a grant. They must be rows of texts."""

    @abstractmethod
    def tell(self, row: Row | RecordRow, label: str, ask_probability: float = 1.0) -> Self:
        """Learn the label of a row."""

    @abstractmethod
    def relabel(self, item: int, label: str) -> None:
        """Replace the label of an item, if its row is remembered; otherwise nothing changes."""

    @property
    @abstractmethod
    def classes_(self) -> NDArray[Any]:
        """The classes, sorted."""

    @abstractmethod
    def predict(self, rows: Sequence[Row | RecordRow]) -> NDArray[Any]:
        """The predicted labels of the rows."""

    @abstractmethod
    def decision_function(self, rows: Sequence[Row | RecordRow]) -> Numbers:
        """The scores of the rows."""

    @abstractmethod
    def scores_of_terms(self, terms: sp.csr_array) -> Numbers:
        """Like `decision_function`, for rows whose numbers are all at their means."""

    # ------------------------------------------------------------------ what all of them have

    def note_item(self, item: int) -> None:
        """Note which item the row is that was learned last. The oldest rows may have been forgotten for it."""
        self.items.append(item)
        del self.items[: len(self.items) - self.core.remembered]

    def as_seen(self, rows: Sequence[Row | RecordRow]) -> tuple[Numbers, Mixed]:
        """Rows as the models compare them: numbers scaled to a length of about 1, and terms weighted by rarity."""
        X, scales = self._stacked(rows), self.core.models.scales
        furthest, columns = scales.furthest[0], X.dense.shape[1]
        scaled = np.clip((X.dense - scales.centres) * scales.factors, -furthest, furthest)
        values = np.log1p(np.abs(X.values)) * scales.weights[X.indices]
        return scaled / math.sqrt(max(1, columns)), X._replace(values=values)

    def has_column(self, name: str) -> bool:
        """Whether a feature is dense: what it adds depends on its value."""
        return name in self.columns or name in self._places

    def _about_rows(self) -> dict[str, Any]:
        """What the header of a model file says of how items become rows."""
        vectors = {"vector_length": self.layout.vector, "from_unit": self._from_unit} if self.layout.vector else {}
        is_table = self.layout.plan is not None and not self.layout.vector and not self.layout.has_texts
        plan = {PLAN: self._reading()} if is_table else {}
        return {"columns": list(self.columns), **vectors, **plan}

    def _reading(self) -> dict[str, Any]:
        """How records became rows, so that a model file takes tables with the same columns."""
        assert self.layout.plan is not None
        means = RunningMeans(self.layout.plan)
        scales = self.core.models.scales
        means.counts[:] = scales.rows[0]
        means.sums[:] = scales.means[means.places] * scales.rows[0]
        return saved_means(means, None)

    # ------------------------------------------------------------------ rows

    def _prepare_for(self, row: Row | RecordRow) -> None:
        """Make room for the numbers of one of the first records, and note the length of a vector."""
        self._add_columns(row)
        vector = None if isinstance(row, Row) or row.dense is None else row.dense[: self.layout.vector]
        if vector is not None and len(vector) and not np.isnan(vector).any():
            self._from_unit = max(self._from_unit, abs(float(vector @ vector) - 1.0))
            self._use_length()

    def _use_length(self) -> None:
        """Leave vectors as they are while all of them have length 1; other columns have scales of their own."""
        self.core.unit_columns = self.layout.vector if self._from_unit < UNIT_TOLERANCE else 0

    def _add_columns(self, row: Row | RecordRow) -> None:
        """Make room for the numbers of one of the first records."""
        if isinstance(row, Row) or self.core.models.scales.rows[0] >= FIRST_RECORDS:
            return
        known = [name for name, value in row.numbers.items() if not math.isnan(value)]  # null may be a category
        fresh = [name for name in known if name not in self.columns][: MOST_COLUMNS - len(self.columns)]
        if fresh:
            width = self.layout.dense + len(self.columns)
            self.columns |= {name: place for place, name in enumerate(fresh, width)}
            self.core = self.core.with_columns(width + len(fresh))

    def _mixed(self, row: Row | RecordRow) -> Mixed:
        if isinstance(row, Row):
            dense, entries = np.empty((1, 0)), row
        else:
            dense, entries = self._dense(row), self._with_others(row)
        count = len(entries.indices)
        return Mixed(dense, np.array([0, count]), entries.indices, entries.values, self.layout.hashed, count)

    def _dense(self, row: RecordRow) -> Numbers:
        """The dense part of a row: 0 where a record does not have a number, and the mean where it is null.

        In the layout, what is missing is the mean too.
        """
        dense = np.full((1, self.layout.dense + len(self.columns)), np.nan)
        if row.dense is not None:
            dense[0, : self.layout.dense] = row.dense
        for name, place in self.columns.items():
            dense[0, place] = row.numbers.get(name, 0.0)
        scales = self.core.models.scales
        means = scales.means
        if not scales.rows[0]:
            means = np.concatenate([self._starts, np.zeros(len(self.columns))])
        return np.clip(np.where(np.isnan(dense), means, dense), -LARGEST, LARGEST)

    def _with_others(self, row: RecordRow) -> Row:
        """The hashed part of a row: categories, and numbers that have no column."""
        others = {
            name: value
            for name, value in row.numbers.items()
            if name not in self.columns and not math.isnan(value)
        }
        if not others:
            return row.categories
        places = np.concatenate([row.categories.indices, places_of(others, self.layout.bits)])
        values = np.concatenate([row.categories.values, list(others.values())])
        indices, inverse = np.unique(places, return_inverse=True)
        return Row(indices, np.bincount(inverse, values))

    def _stacked(self, rows: Sequence[Row | RecordRow]) -> Mixed:
        entries = [row if isinstance(row, Row) else self._with_others(row) for row in rows]
        numbers = [self._dense(row) for row in rows if isinstance(row, RecordRow)]
        counts = [len(one.indices) for one in entries]
        return Mixed(
            np.concatenate(numbers) if numbers else np.empty((len(rows), 0)),
            np.cumsum([0, *counts]),
            np.concatenate([one.indices for one in entries]),
            np.concatenate([one.values for one in entries]),
            self.layout.hashed,
            max(counts),
        )

    def _at_means(self, terms: sp.csr_array) -> Mixed:
        return plain(terms)._replace(dense=np.tile(self.core.models.scales.means, (terms.shape[0], 1)))
