"""The data sets of the league, cut into a stream and held-out rows."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import normalize

# Copies or parts of others, and sets that are no classification.
LEFT_OUT = {"a8a", "covtype_10k", "kddcup99_10pct", "ml100k", "ml1m"}
IN_TIME = {"elec2", "outdoor", "spam_corpus"}  # whose rows keep their order
# After a name: terms as dense vectors; the rarest class against the rest; more rows than other streams have.
EMBEDDED, RAREST, LONG = DERIVED = ":embedded", ":rarest", ":long"
RARE = 1 / 7  # the share of positives up to which they are rare
DIMENSIONS = 100
MOST_ROWS, MOST_OF_LONG, HELD_OUT = 6000, 40_000, 2000
DENSE_SHARE, DENSE_WIDTH = 0.25, 400  # tables: a quarter of the values is not zero, or there are few columns


class Task(NamedTuple):
    """A stream in a random order, and rows that are held out."""

    name: str
    X: Any
    y: NDArray[np.int64]
    X_held: Any
    y_held: NDArray[np.int64]

    @property
    def is_table(self) -> bool:
        """Whether rows are dense."""
        return not sp.issparse(self.X)

    @property
    def classes(self) -> int:
        """The number of classes."""
        return int(max(self.y.max(), self.y_held.max())) + 1

    @property
    def is_rare(self) -> bool:
        """Whether there are two classes, one of them rare."""
        return self.classes == 2 and bool(np.bincount(self.y).min() <= RARE * len(self.y))

    def about(self) -> dict[str, Any]:
        """What the tables need to know of it: its kind, and the shares of its larger class."""
        return {
            "is_table": self.is_table,
            "classes": self.classes,
            "larger": float(np.bincount(self.y).max() / len(self.y)),
            "larger_held": float((self.y_held == np.bincount(self.y).argmax()).mean()),
        }


def budgets(rows: int) -> dict[str, int]:
    """The numbers of labels that a stream may cost, at most half of its rows."""
    numbers = {str(count): count for count in (50, 100, 200, 400)}
    numbers |= {f"{share:g}%": max(12, int(rows * share / 100)) for share in (1, 2, 5, 10)}
    return {name: count for name, count in numbers.items() if 12 <= count <= rows // 2}


def names(directory: Path) -> list[str]:
    """The data sets in a folder."""
    found = sorted(path.stem for path in directory.glob("*.npz"))
    return [name for name in found if name not in LEFT_OUT and not name.endswith("_test") and "crowd_" not in name]


def folder() -> Path:
    """The folder of data sets: $ASKANCE_DATA, or `shared/data` beside the checkout."""
    return Path(os.environ.get("ASKANCE_DATA") or Path(__file__).parents[3] / "shared" / "data")


def load(directory: Path, name: str) -> tuple[Any, NDArray[np.int64]]:
    """The rows of a data set, with several views side by side, and its classes numbered from 0."""
    if name.endswith(EMBEDDED):
        X, y = load(directory, name.removesuffix(EMBEDDED))
        return embedded(X), y
    if name.endswith(LONG):
        return load(directory, name.removesuffix(LONG))
    if name.endswith(RAREST):
        X, y = load(directory, name.removesuffix(RAREST))
        return X, (y == np.bincount(y).argmin()).astype(np.int64)
    with np.load(directory / f"{name}.npz") as archive:
        views = list(_views(archive))
        X = sp.hstack(views) if views else _matrix(archive, "")
        _, y = np.unique(archive["y"], return_inverse=True)
    X = sp.csr_array(X, dtype=np.float64)
    return (X.toarray() if _is_table(X) else X), y.astype(np.int64)


def embedded(X: Any) -> NDArray[np.float64]:
    """Terms as dense vectors of length 1, by latent semantic analysis of all rows: it sees no label."""
    weights = TfidfTransformer(sublinear_tf=True).fit_transform(X)
    return normalize(TruncatedSVD(DIMENSIONS, random_state=0).fit_transform(weights))


def _views(archive: Any) -> Iterator[Any]:
    number = 1
    while f"view{number}_data" in archive:
        yield _matrix(archive, f"view{number}_")
        number += 1


def _matrix(archive: Any, prefix: str) -> Any:
    parts = (archive[f"{prefix}data"], archive[f"{prefix}indices"], archive[f"{prefix}indptr"])
    return sp.csr_array(parts, shape=tuple(archive[f"{prefix}shape"]))


def _is_table(X: Any) -> bool:
    return bool(X.nnz > DENSE_SHARE * X.shape[0] * X.shape[1] or X.shape[1] <= DENSE_WIDTH)


def task(name: str, X: Any, y: NDArray[np.int64], order: int) -> Task:
    """A stream and held-out rows in the given of several random orders."""
    rng, rows = np.random.default_rng(1000 + order), X.shape[0]
    held = min(HELD_OUT, int(rows * 0.3))
    kept = min(MOST_OF_LONG if name.endswith(LONG) else MOST_ROWS, rows - held)
    if name in IN_TIME:
        start = rng.integers(0, rows - held - kept + 1)
        is_held = np.zeros(kept + held, bool)
        is_held[rng.choice(kept + held, held, replace=False)] = True
        places = np.arange(start, start + kept + held)
        stream, apart = places[~is_held], places[is_held]
    else:
        places = rng.permutation(rows)
        apart, stream = places[:held], places[held : held + kept]
    return Task(name, X[stream], y[stream], X[apart], y[apart])


def made_up() -> dict[str, tuple[Any, NDArray[np.int64]]]:
    """Two small data sets for a quick run: a table with raw columns, and counts of words."""
    rng = np.random.default_rng(0)
    table = rng.normal(size=(600, 5)) * [1, 100, 0.01, 1, 1]
    words = rng.poisson(0.1, (600, 90)) * (np.arange(90) // 30 == rng.integers(0, 3, 600)[:, np.newaxis])
    topic = words.reshape(600, 3, 30).sum(axis=2).argmax(axis=1)
    return {
        "table": (table, (table[:, 0] * table[:, 3] > 0).astype(np.int64)),
        "words": (sp.csr_array(words.astype(float)), topic.astype(np.int64)),
    }
