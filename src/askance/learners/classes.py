"""Encoders: class labels as the numbers that rules see, and back.

Two classes are -1 and +1. Of more, each class has a number. An encoder is immutable: labels with new classes make
a new encoder, which a learner adopts after the pass over their rows has succeeded.
"""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from askance.learners import labels


class ClassEncoder:
    """The classes observed so far and their numbers. `positive` is the one that is to be +1, if it was named."""

    def __init__(self, observed: NDArray[Any], dtype: np.dtype[Any], positive: Any = None) -> None:
        self.observed = observed
        self.dtype = dtype
        self.positive = positive
        numbers, values = self._numbered()
        self._label_of = dict(zip(numbers, values.tolist(), strict=True))
        self._code_of = {label: np.full(1, number, dtype) for number, label in self._label_of.items()}

    @property
    def values(self) -> NDArray[Any]:
        """The classes in the order of their numbers."""
        return self._numbered()[1].copy()

    @property
    def lanes(self) -> int:
        """The number of weight vectors that the classes need."""
        return 1

    @property
    def is_turned(self) -> bool:
        """Whether the smaller of two classes is +1."""
        return False

    def having(self, observed: NDArray[Any]) -> Self:
        """An encoder that has observed these classes."""
        return type(self)(observed, self.dtype, self.positive)

    def label(self, code: float) -> Any:
        """The class with this number; None while no class is known."""
        return self._label_of.get(code)

    def encode_one(self, label: Any) -> tuple[Self, NDArray[Any]]:
        """Encode one label: the encoder that knows its class, and its number as an array."""
        try:
            return self, self._code_of[label]
        except (KeyError, TypeError):  # a new class, or not a class at all
            return self.encode(labels.as_labels([label], 1))

    def encode(self, y: NDArray[Any], classes: Sequence[Any] | None = None) -> tuple[Self, NDArray[Any]]:
        """Encode labels: the encoder that knows their classes and `classes`, and their numbers."""
        raise NotImplementedError

    def _numbered(self) -> tuple[Sequence[float], NDArray[Any]]:
        raise NotImplementedError


class BinaryEncoder(ClassEncoder):
    """The positive class is +1, the other -1. It is the larger one in sorted order, unless it was named."""

    @property
    def is_turned(self) -> bool:
        """Whether the smaller of two classes is +1."""
        if not len(self.observed):
            return False
        negative, positive = self._pair(self.observed).tolist()
        return bool(negative > positive)

    def encode(self, y: NDArray[Any], classes: Sequence[Any] | None = None) -> tuple[Self, NDArray[Any]]:
        """Encode as signs; ValueError for a third class, or a class whose sign would change."""
        known = self.observed
        if classes is not None:
            known = labels.distinct(labels.as_classes(classes), known)
        observed = labels.distinct(y, known)
        pair = self._pair(observed)
        if len(known) == 1 and (pair[1] == known[0]) != (self._pair(known)[1] == known[0]):
            raise ValueError(
                f"the class {known[0]!r} was learned with the other sign: pass classes={pair.tolist()!r}"
            )
        signs = labels.signs(y, pair, self.dtype)
        return self if observed is self.observed else self.having(observed), signs

    def _pair(self, observed: NDArray[Any]) -> NDArray[Any]:
        """The negative and the positive class."""
        if self.positive is None or not len(observed):
            return labels.pair(observed)
        if len(observed) == 1 and observed[0] != self.positive:
            observed = labels.distinct(np.array([self.positive]), observed)
        found = labels.pair(observed)
        if self.positive not in found.tolist():
            raise ValueError(f"positive={self.positive!r} is not one of the classes {found.tolist()}")
        return found if found[1] == self.positive else found[::-1]

    def _numbered(self) -> tuple[Sequence[float], NDArray[Any]]:
        return ((-1.0, 1.0), self._pair(self.observed)) if len(self.observed) else ((), self.observed)


def _comparable(kind: str) -> str:
    return "U" if kind == "U" else "biuf"


class MulticlassEncoder(ClassEncoder):
    """Classes are numbered as they were given or first seen. Those seen together are sorted."""

    @property
    def lanes(self) -> int:
        """One per class, at least one."""
        return max(1, len(self.observed))

    def encode(self, y: NDArray[Any], classes: Sequence[Any] | None = None) -> tuple[Self, NDArray[Any]]:
        """Encode as numbers; new classes get new numbers."""
        encoder = self if classes is None else self._with(labels.as_labels(list(classes), len(classes)))
        numbers = encoder._numbers(y)
        if numbers is None:
            encoder = encoder._with(y)
            numbers = encoder._numbers(y)
        assert numbers is not None
        return encoder, numbers.astype(self.dtype)

    def _numbers(self, y: NDArray[Any]) -> NDArray[Any] | None:
        """The numbers of the labels; None if a class is unknown."""
        order = np.argsort(self.observed)
        if not len(order) or y.dtype.kind not in _comparable(self.observed.dtype.kind):
            return None
        place = np.minimum(np.searchsorted(self.observed, y, sorter=order), len(order) - 1)
        numbers: NDArray[Any] = order[place]
        return numbers if np.array_equal(self.observed[numbers], y) else None

    def _with(self, y: NDArray[Any]) -> Self:
        known = self.observed
        if len(known) and len(y) and (known.dtype.kind == "U") != (y.dtype.kind == "U"):
            raise ValueError(f"y has labels like {y[0].item()!r}, but the classes are like {known[0].item()!r}")
        new = np.unique(y)
        new = new[~np.isin(new, known)] if len(known) else new
        return self if not len(new) else self.having(np.concatenate([known, new]) if len(known) else new)

    def _numbered(self) -> tuple[Sequence[float], NDArray[Any]]:
        return [float(number) for number in range(len(self.observed))], self.observed
