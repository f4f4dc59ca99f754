"""The steps in which papers prepared a data set."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from askance.errors import DataError


class Labelled(NamedTuple):
    """Rows and their labels: -1 and +1, or 0 to k - 1; `names` are the names of the classes, if there are any."""

    X: sp.csr_array
    y: NDArray[np.int64]
    names: tuple[str, ...] = ()

    def take(self, rows: NDArray[np.int64]) -> "Labelled":
        """Take some of the rows, in this order."""
        return Labelled(self.X[rows], self.y[rows], self.names)


class Step:
    """A step of a preparation; `is_random` says whether it draws random numbers."""

    is_random: ClassVar[bool] = False

    @property
    def words(self) -> str:
        """The step in words."""
        raise NotImplementedError

    def do(self, data: Labelled, random: np.random.Generator) -> Labelled:
        """Apply the step."""
        raise NotImplementedError


@dataclass(frozen=True)
class UnitRows(Step):
    """Scale each row to length 1; empty rows stay empty. `stated`: the paper says so; otherwise it is assumed."""

    stated: bool

    @property
    def words(self) -> str:
        """The step in words."""
        return f"rows scaled to length 1{'' if self.stated else ' (assumed: the paper does not say it)'}"

    def do(self, data: Labelled, random: np.random.Generator) -> Labelled:  # noqa: ARG002
        """Apply the step."""
        lengths = np.sqrt(data.X.astype(np.float64).power(2).sum(axis=1))
        factors = np.divide(1.0, lengths, out=np.ones_like(lengths), where=lengths > 0)
        return data._replace(X=_with_values(data.X, data.X.data * np.repeat(factors, np.diff(data.X.indptr))))


@dataclass(frozen=True)
class UnitFeatures(Step):
    """Divide each feature by its largest absolute value. No paper states it, but raw units need it."""

    @property
    def words(self) -> str:
        """The step in words."""
        return "features divided by their largest size (assumed: the paper does not say it)"

    def do(self, data: Labelled, random: np.random.Generator) -> Labelled:  # noqa: ARG002
        """Apply the step."""
        largest = np.asarray(abs(data.X).max(axis=0).todense()).ravel().astype(np.float64)
        factors = np.divide(1.0, largest, out=np.ones_like(largest), where=largest > 0)
        return data._replace(X=_with_values(data.X, data.X.data * factors[data.X.indices]))


@dataclass(frozen=True)
class Divided(Step):
    """Divide every value by the same number. No paper states it."""

    by: float

    @property
    def words(self) -> str:
        """The step in words."""
        return f"values divided by {self.by:g} (assumed: the paper does not say it)"

    def do(self, data: Labelled, random: np.random.Generator) -> Labelled:  # noqa: ARG002
        """Apply the step."""
        return data._replace(X=_with_values(data.X, data.X.data / self.by))


@dataclass(frozen=True)
class Standardised(Step):
    """Give each feature mean 0 and standard deviation 1; a constant feature becomes 0. No paper states it."""

    @property
    def words(self) -> str:
        """The step in words."""
        return "features with mean 0 and standard deviation 1 (assumed: the paper does not say it)"

    def do(self, data: Labelled, random: np.random.Generator) -> Labelled:  # noqa: ARG002
        """Apply the step."""
        values = data.X.astype(np.float64).toarray()
        spread = values.std(axis=0)
        centred = values - values.mean(axis=0)
        scaled = np.divide(centred, spread, out=np.zeros_like(centred), where=spread > 0)
        return data._replace(X=sp.csr_array(scaled.astype(np.float32)))


@dataclass(frozen=True)
class FilledRows(Step):
    """Leave out the rows without any feature, on which every score is 0."""

    @property
    def words(self) -> str:
        """The step in words."""
        return "without rows that have no feature"

    def do(self, data: Labelled, random: np.random.Generator) -> Labelled:  # noqa: ARG002
        """Apply the step."""
        return data.take(np.flatnonzero(np.diff(data.X.indptr)))


@dataclass(frozen=True)
class Presence(Step):
    """Replace each value other than 0 by 1: whether a word occurs, not how often."""

    @property
    def words(self) -> str:
        """The step in words."""
        return "values as 0 and 1"

    def do(self, data: Labelled, random: np.random.Generator) -> Labelled:  # noqa: ARG002
        """Apply the step."""
        return data._replace(X=_with_values(data.X, data.X.data != 0))


@dataclass(frozen=True)
class ClassPair(Step):
    """Keep only the rows of some classes: those of `positive` as +1, those of `negative` as -1.

    A class is given by its number from 0, several numbers, or the beginning of its name, which may match several.
    """

    positive: int | str | tuple[int, ...]
    negative: int | str | tuple[int, ...]
    called: str

    @property
    def words(self) -> str:
        """The step in words."""
        return self.called

    def do(self, data: Labelled, random: np.random.Generator) -> Labelled:  # noqa: ARG002
        """Apply the step."""
        positive, negative = (np.isin(data.y, _numbers(which, data)) for which in (self.positive, self.negative))
        if not positive.any() or not negative.any():
            raise DataError(f"{self.called}: the file has no row of one of them: take a file that has both")
        kept = np.flatnonzero(positive | negative)
        return Labelled(data.X[kept], _signs(positive[kept]))


@dataclass(frozen=True)
class OneAgainstRest(Step):
    """Label the rows of one class, given by its number from 0, as +1 and all others as -1."""

    positive: int
    called: str

    @property
    def words(self) -> str:
        """The step in words."""
        return self.called

    def do(self, data: Labelled, random: np.random.Generator) -> Labelled:  # noqa: ARG002
        """Apply the step."""
        return Labelled(data.X, _signs(data.y == self.positive))


@dataclass(frozen=True)
class RandomClass(Step):
    """Label a random class as +1 and an equal number of random rows of the other classes as -1."""

    is_random: ClassVar[bool] = True

    @property
    def words(self) -> str:
        """The step in words."""
        return "one random class (+1) against as many random rows of all others (-1)"

    def do(self, data: Labelled, random: np.random.Generator) -> Labelled:
        """Apply the step."""
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
    """Draw `rows` rows at random, in the order of the file."""

    is_random: ClassVar[bool] = True
    rows: int

    @property
    def words(self) -> str:
        """The step in words."""
        return f"{self.rows:,} rows drawn at random"

    def do(self, data: Labelled, random: np.random.Generator) -> Labelled:
        """Apply the step."""
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
