"""Ids of users and items, and the row numbers of their factors."""

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from askance.errors import DataWarning

UNKNOWN = -1
ROOM = 1 << 20  # spare entries that a lookup table of whole-number ids may have


class Ids:
    """Ids in the order of their numbers. Immutable."""

    def __init__(self, names: NDArray[Any]) -> None:
        self.names = names
        self._number_of: dict[Any, int] | None = None

    @classmethod
    def of(cls, given: NDArray[Any]) -> tuple[Self, NDArray[np.int32]]:
        """The distinct ids among those given, and the number of each."""
        if given.dtype.kind in "iu" and len(given):
            low, high = int(given.min()), int(given.max())
            if high - low <= 4 * len(given) + ROOM:
                present = np.zeros(high - low + 1, bool)
                present[given - low] = True
                table = np.cumsum(present, dtype=np.int32) - 1
                return cls(np.flatnonzero(present) + low), table[given - low]
            names, numbers = np.unique(given, return_inverse=True)
            return cls(names), numbers.astype(np.int32)
        return cls(given[:0]).extended(given)

    def extended(self, given: NDArray[Any]) -> tuple[Self, NDArray[np.int32]]:
        """These ids followed by the new ones among those given, and the number of each given id."""
        numbers = dict(self._numbers())
        found = np.fromiter(
            (numbers.setdefault(name, len(numbers)) for name in given.tolist()), np.int32, len(given)
        )
        if len(numbers) == len(self.names):
            return self, found
        longer = type(self)(_as_array(list(numbers), given.dtype if not len(self.names) else None))
        longer._number_of = numbers
        return longer, found

    def numbers(self, given: NDArray[Any]) -> NDArray[np.int32]:
        """The number of each given id, UNKNOWN if there is none."""
        numbers = self._numbers()
        return np.fromiter((numbers.get(name, UNKNOWN) for name in given.tolist()), np.int32, len(given))

    def looked_up(self, given: NDArray[Any], what: str, stacklevel: int = 4) -> NDArray[np.int32]:
        """The number of each given id, with a warning if all are unknown because they have another type."""
        found = self.numbers(given)
        if len(found) and (found == UNKNOWN).all():
            known = self._numbers()
            mistaken = next((name for name in given.tolist() if _as_other_type(name) in known), None)
            if mistaken is not None:
                warnings.warn(
                    f"the model knows none of the {what}: it has {_as_other_type(mistaken)!r} instead of "
                    f"{mistaken!r}: convert the ids to its type",
                    DataWarning,
                    stacklevel=stacklevel,
                )
        return found

    def as_arrays(self, what: str) -> dict[str, NDArray[Any]]:
        """The ids for a model file: whole numbers, or else text with where each ends and which are numbers."""
        if self.names.dtype.kind in "iu":
            return {f"{what}/numbers": self.names.astype(np.int64)}
        listed = self.names.tolist()
        other = next((one for one in listed if type(one) not in (int, str)), None)
        if other is not None:
            raise ValueError(f"a model file holds ids that are whole numbers or text, not {other!r}")
        encoded = [str(one).encode("utf-8", "surrogatepass") for one in listed]
        return {
            f"{what}/text": np.frombuffer(b"".join(encoded), np.uint8),
            f"{what}/ends": np.cumsum([len(one) for one in encoded], dtype=np.int64),
            f"{what}/is_number": np.array([isinstance(one, int) for one in listed], np.uint8),
        }

    def __len__(self) -> int:
        return len(self.names)

    def _numbers(self) -> dict[Any, int]:
        if self._number_of is None:
            self._number_of = {name: number for number, name in enumerate(self.names.tolist())}
        return self._number_of


def as_names(given: Any, what: str) -> NDArray[Any]:
    """A list, array or column of ids as an array; raises ValueError if they cannot be ids."""
    if isinstance(given, str | bytes) or not hasattr(given, "__len__"):
        raise ValueError(f"{what} must be a list or an array of ids, not {given!r:.60}")
    names = given if isinstance(given, np.ndarray) else _as_array(list(given), None)
    if names.ndim != 1:
        raise ValueError(f"{what} must have one dimension, not {names.ndim}")
    if names.dtype.kind == "f":
        if not np.isfinite(names).all():
            raise ValueError(f"{what} holds NaN or infinity: every rating needs both ids")
        if (names == np.floor(names)).all():
            return names.astype(np.int64)  # data frames with missing values hold whole numbers as floats
    if names.dtype.kind == "O":
        missing = next((n for n, name in enumerate(names.tolist()) if name is None or name != name), None)
        if missing is not None:
            raise ValueError(f"{what} has no id at position {missing}: every rating needs both ids")
        try:
            hash(tuple(names.tolist()))
        except TypeError as error:
            raise ValueError(f"{what} holds a value that cannot be an id: {error}") from None
    return names


def _as_other_type(name: Any) -> str | int | None:
    """The whole number that a text says, or the text of anything else; None if a text says something else."""
    if not isinstance(name, str):
        return str(name)
    try:
        return int(name)
    except ValueError:
        return None


def _as_array(names: list[Any], dtype: np.dtype[Any] | None) -> NDArray[Any]:
    """Whole numbers or text as typed arrays, anything else as an array of objects."""
    kinds = set(map(type, names))
    if dtype is not None and dtype.kind in "iuU":
        return np.array(names, dtype)
    if kinds == {int} and all(abs(name) < 2**63 for name in names):
        return np.array(names, np.int64)
    if kinds == {str}:
        return np.array(names)
    array = np.empty(len(names), object)
    array[:] = names
    return array
