"""Where an automatic learner finds what in the rows of a task: vectors come first, then columns of records."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.data.encoding import TablePlan
from askance.service.columns import vector_name


class Layout(NamedTuple):
    """The columns of a task that are known before its first item.

    Attributes
    ----------
    bits : int
        Words and categories are hashed to 2**bits columns.
    vector : int
        The length of vectors, whose numbers are the first dense columns.
    plan : TablePlan or None
        The columns of records, if they are known.
    has_texts : bool
        Whether items may have a text beside a record.
    """

    bits: int
    vector: int = 0
    plan: TablePlan | None = None
    has_texts: bool = True

    @property
    def dense(self) -> int:
        """The number of dense columns."""
        return self.vector + (0 if self.plan is None else sum(column.width for column in self.plan.dense))

    @property
    def hashed(self) -> int:
        """The number of hashed columns: none if all columns of records are dense, as in a table of numbers."""
        is_dense = self.plan is not None and not self.plan.sparse and not self.has_texts
        return 0 if is_dense else 1 << self.bits

    @property
    def starts(self) -> NDArray[np.float64]:
        """What a missing value of a dense column is before any was seen."""
        found = np.zeros(self.dense)
        for name, place in self.places.items():
            starts = () if self.plan is None else self._of_plan().get(name, ())
            found[place.start : place.start + len(starts)] = starts
        return found

    @property
    def places(self) -> dict[str, slice]:
        """The dense columns of each feature."""
        found = {vector_name(self.vector): slice(0, self.vector)} if self.vector else {}
        at = self.vector
        for column in () if self.plan is None else self.plan.dense:
            found[column.name] = slice(at, at + column.width)
            at += column.width
        return found

    def _of_plan(self) -> dict[str, tuple[float, ...]]:
        return {} if self.plan is None else {column.name: column.starts for column in self.plan.dense}
