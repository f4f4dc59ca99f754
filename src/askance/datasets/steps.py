"""What papers did to a data set before learning from it, step by step."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from askance.errors import DataError


class Labelled(NamedTuple):
    """Rows and their labels: -1 and +1, or 0 to k - 1; `names` are the classes' names where they have any."""

    X: sp.csr_array
    y: NDArray[np.int64]
    names: tuple[str, ...] = ()

    def take(self, rows: NDArray[np.int64]) -> "Labelled":
        """Some of the rows, in this order."""
        return Labelled(self.X[rows], self.y[rows], self.names)


class Step:
    """Something that is done to all rows; `is_random` says whether it draws random numbers."""

    is_random: ClassVar[bool] = False

    @property
    def words(self) -> str:
        """What is done."""
        raise NotImplementedError

    def do(self, data: Labelled, random: np.random.Generator) -> Labelled:
        """The rows after it."""
        raise NotImplementedError


@dataclass(frozen=True)
class UnitRows(Step):
    """Each row is scaled to length 1; empty rows stay empty. `stated`: the paper says so, or it is assumed."""

    stated: bool

    @property
    def words(self) -> str:
        """What is done."""
        return f"rows scaled to length 1{'' if self.stated else ' (assumed: the paper does not say it)'}"

    def do(self, data: Labelled, random: np.random.Generator) -> Labelled:  # noqa: ARG002
        """The rows after it."""
        lengths = np.sqrt(data.X.astype(np.float64).power(2).sum(axis=1))
        factors = np.divide(1.0, lengths, out=np.ones_like(lengths), where=lengths > 0)
        return data._replace(X=_with_values(data.X, data.X.data * np.repeat(factors, np.diff(data.X.indptr))))


@dataclass(frozen=True)
class UnitFeatures(Step):
    """Each feature is divided by the largest size that it has. No paper states it; raw units need it."""

    @property
    def words(self) -> str:
        """What is done."""
        return "features divided by their largest size (assumed: the paper does not say it)"

    def do(self, data: Labelled, random: np.random.Generator) -> Labelled:  # noqa: ARG002
        """The rows after it."""
        largest = np.asarray(abs(data.X).max(axis=0).todense()).ravel().astype(np.float64)
        factors = np.divide(1.0, largest, out=np.ones_like(largest), where=largest > 0)
        return data._replace(X=_with_values(data.X, data.X.data * factors[data.X.indices]))


@dataclass(frozen=True)
class Presence(Step):
    """Each value other than 0 becomes 1: whether a word occurs, not how often."""

    @property
    def words(self) -> str:
        """What is done."""
        return "values as 0 and 1"

    def do(self, data: Labelled, random: np.random.Generator) -> Labelled:  # noqa: ARG002
        """The rows after it."""
        return data._replace(X=_with_values(data.X, data.X.data != 0))


@dataclass(frozen=True)
class ClassPair(Step):
    """Only the rows of some classes are kept: those of `positive` as +1, those of `negative` as -1.

    A class is its number from 0, or the beginning of its name, which may be that of several; or several numbers.
    """

    positive: int | str | tuple[int, ...]
    negative: int | str | tuple[int, ...]
    called: str

    @property
    def words(self) -> str:
        """What is done."""
        return self.called

    def do(self, data: Labelled, random: np.random.Generator) -> Labelled:  # noqa: ARG002
        """The rows after it."""
        positive, negative = (np.isin(data.y, _numbers(which, data)) for which in (self.positive, self.negative))
        if not positive.any() or not negative.any():
            raise DataError(f"{self.called}: the file has no row of one of them: take a file that has both")
        kept = np.flatnonzero(positive | negative)
        return Labelled(data.X[kept], _signs(positive[kept]))


@dataclass(frozen=True)
class OneAgainstRest(Step):
    """The rows of one class, by its number from 0, become +1, all others -1."""

    positive: int
    called: str

    @property
    def words(self) -> str:
        """What is done."""
        return self.called

    def do(self, data: Labelled, random: np.random.Generator) -> Labelled:  # noqa: ARG002
        """The rows after it."""
        return Labelled(data.X, _signs(data.y == self.positive))


@dataclass(frozen=True)
class RandomClass(Step):
    """A class drawn at random becomes +1; as many rows drawn from all others become -1."""

    is_random: ClassVar[bool] = True

    @property
    def words(self) -> str:
        """What is done."""
        return "one random class (+1) against as many random rows of all others (-1)"

    def do(self, data: Labelled, random: np.random.Generator) -> Labelled:
        """The rows after it."""
        is_chosen = data.y == random.choice(np.unique(data.y))
        positive, others = np.flatnonzero(is_chosen), np.flatnonzero(~is_chosen)
        if len(others) < len(positive):
            raise DataError(
                f"a class has {len(positive):,} of {len(data.y):,} rows, more than all others: "
                "try another random_state"
            )
        kept = np.sort(np.concatenate([positive, random.choice(others, size=len(positive), replace=False)]))
        return Labelled(data.X[kept], _signs(is_chosen[kept]))


@dataclass(frozen=True)
class Sample(Step):
    """So many rows drawn at random, in the order of the file."""

    is_random: ClassVar[bool] = True
    rows: int

    @property
    def words(self) -> str:
        """What is done."""
        return f"{self.rows:,} rows drawn at random"

    def do(self, data: Labelled, random: np.random.Generator) -> Labelled:
        """The rows after it."""
        if len(data.y) < self.rows:
            raise DataError(
                f"there are {len(data.y):,} rows, not the {self.rows:,} to be drawn: take the whole file"
            )
        return data.take(np.sort(random.choice(len(data.y), size=self.rows, replace=False)))


def _numbers(which: int | str | tuple[int, ...], data: Labelled) -> list[int]:
    if not isinstance(which, str):
        return [which] if isinstance(which, int) else list(which)
    if not data.names:
        raise DataError(
            f"the file does not name its classes, so {which!r} cannot be found: add an array label_names"
        )
    return [number for number, name in enumerate(data.names) if name.startswith(which)]


def _signs(is_positive: NDArray[np.bool_]) -> NDArray[np.int64]:
    return np.where(is_positive, 1, -1).astype(np.int64)


def _with_values(X: sp.csr_array, values: NDArray[np.generic]) -> sp.csr_array:
    return sp.csr_array((values.astype(np.float32), X.indices, X.indptr), shape=X.shape)
