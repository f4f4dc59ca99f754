"""Labelled rows in the text format of Vowpal Wabbit."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from askance.export.labelled import labelled_rows
from askance.export.source import ModelSource, model_source


def to_vw(model: Any) -> Iterator[str]:
    """Return the labelled rows that an automatic learner remembers, as lines for Vowpal Wabbit.

    Of two classes, the larger one has the label 1 and the other -1. Of more, classes are numbered from 1 in sorted
    order, for `--oaa`.

    Parameters
    ----------
    model : AutoLearner, str or os.PathLike
        The learner, or its model file. A file knows the names of columns.

    Returns
    -------
    iterator of str
        One line per row, without its end.

    Raises
    ------
    askance.errors.ExportError
        If the learner does not remember rows.

    Examples
    --------
    >>> from askance import AutoLearner, export
    >>> learner = AutoLearner(classes=["ham", "spam"])
    >>> _ = learner.tell([1.0, 0.0, 2.5], "spam")
    >>> list(export.to_vw(learner))
    ['1 | column_0:1 column_2:2.5']
    """
    source = model_source(model)
    learner = source.automatic("Vowpal Wabbit loads no weights of other programs, but learns from labelled rows")
    rows = labelled_rows(learner)
    codes = np.searchsorted(learner.classes_, rows.y)
    numbers = codes * 2 - 1 if len(learner.classes_) <= 2 else codes + 1
    return _lines(sp.csr_array(rows.X), numbers.tolist(), source)


def _lines(X: sp.csr_array, numbers: list[int], source: ModelSource) -> Iterator[str]:
    columns: dict[str, int] = {}  # by their names, which are made as they are needed: hashed ones are many

    def name_of(column: int) -> str:
        name = _safe(source.name_of(column))
        return name if columns.setdefault(name, column) == column else f"{name}_column_{column}"

    for row, number in enumerate(numbers):
        part = slice(X.indptr[row], X.indptr[row + 1])
        entries = zip(X.indices[part].tolist(), X.data[part].tolist(), strict=True)
        features = [f"{name_of(column)}:{value:.9g}" for column, value in entries if value != 0.0]
        yield " ".join([f"{number} |", *features])


def _safe(name: str) -> str:
    """A name without the characters that have a meaning in the format."""
    return "".join("_" if letter in ":|" or letter.isspace() else letter for letter in name)
