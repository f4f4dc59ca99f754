"""The raw tables: as people have them, with nothing scaled, encoded or left out."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn import datasets

from bench.league.tasks import folder, load
from bench.raw_files.customers import COLUMNS, customers

# Names of classes, where numbers stand for them.
NAMES = {"magic04": ("hadron", "gamma"), "spambase": ("ham", "spam")}
BUNDLED = {
    "breast cancer": datasets.load_breast_cancer,
    "wine": datasets.load_wine,
    "iris": datasets.load_iris,
    "digits": datasets.load_digits,
}
STORED = ("magic04", "spambase", "covtype_10k")
MIXED = "mixed"


class RawFile(NamedTuple):
    """The header and the rows of a table. The last column is the class."""

    header: Sequence[str]
    rows: Sequence[Sequence[Any]]

    def write(self, path: Path, places: Iterable[int]) -> Path:
        """Some of the rows as CSV."""
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(self.header)
            writer.writerows(self.rows[place] for place in places)
        return path


def raw_file(name: str) -> RawFile:
    """A table by its name."""
    if name == MIXED:
        return RawFile(COLUMNS, [list(record.values()) for record in customers()])
    if name in BUNDLED:
        bundle = BUNDLED[name]()
        classes = [f"digit {each}" if name == "digits" else str(each) for each in bundle.target_names]
        return _of_numbers(bundle.data, [classes[code] for code in bundle.target], bundle.feature_names)
    X, y = load(folder(), name)
    names = NAMES.get(name) or [f"class {code + 1}" for code in range(y.max() + 1)]
    return _of_numbers(X, [names[code] for code in y], [f"column {place + 1}" for place in range(X.shape[1])])


def _of_numbers(X: Any, labels: Sequence[str], names: Sequence[str]) -> RawFile:
    """Single precision is as much as stored tables have."""
    rows = [[f"{value:.7g}" for value in x] + [label] for x, label in zip(np.asarray(X), labels, strict=True)]
    return RawFile([*names, "class"], rows)
