"""Load a named data set, as it is or as a paper prepared it."""

import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from askance._util.progress import Progress
from askance.data.arrays import random_order, read_arrays
from askance.data.files import listed, shown
from askance.data.npz import read_npz
from askance.data.reading import read
from askance.data.stacking import stacked, widened
from askance.data.stream import Stream
from askance.datasets.entry import Entry, File, Use
from askance.datasets.finding import Found, entry_of, find, look_for
from askance.datasets.steps import Labelled
from askance.datasets.tables import read_table
from askance.errors import DataError, DataWarning

CLASS_NAMES = "label_names"
STEPS = 10_000  # of progress: a chunk knows only which share of the file has been read


class Prepared(NamedTuple):
    """A named data set in memory.

    Parameters
    ----------
    X : scipy.sparse.csr_array
        The rows, of float32.
    y : ndarray of int64
        The labels: -1 and +1, or 0 to k - 1 for more than two classes.
    notes : list of str
        How the data differ from the register and from the paper.
    """

    X: sp.csr_array
    y: NDArray[np.int64]
    notes: list[str]


def load(
    name: str, paper: str | None = None, random_state: int | None = None
) -> tuple[sp.csr_array, NDArray[np.int64]]:
    """Load a named data set.

    Parameters
    ----------
    name : str
        A name of the register (see `askance data list`), of a sample, or of a file of your own in a directory of
        ASKANCE_DATA.
    paper : str or None, default=None
        Prepare the rows as in this paper, such as "lu2016"; `askance data info NAME` says how. None loads the rows
        as they are.
    random_state : int or None, default=None
        Shuffle the rows, and draw the random parts of a preparation. None keeps the order of the file.

    Returns
    -------
    X : scipy.sparse.csr_array
        The rows, of float32.
    y : ndarray of int64
        The labels: -1 and +1, or 0 to k - 1 for more than two classes.

    Raises
    ------
    DataError
        If the data set is not on this machine or cannot be read. The message says how to get it.

    Warns
    -----
    DataWarning
        If the data differ from the register or from the paper, for example in the number of rows.

    Examples
    --------
    >>> import askance
    >>> X, y = askance.datasets.load("a8a", paper="lu2016", random_state=7)  # doctest: +SKIP
    >>> X.shape  # doctest: +SKIP
    (22696, 123)
    """
    X, y, notes = prepare(name, paper, random_state)
    for note in notes:
        warnings.warn(note, DataWarning, stacklevel=2)
    return X, y


def prepare(
    name: str, paper: str | None = None, random_state: int | None = None, progress: Progress | None = None
) -> Prepared:
    """Load a named data set and return the differences from the register instead of warning about them.

    Parameters
    ----------
    name, paper, random_state
        As for `load`.
    progress : callable or None, default=None
        Called as ``progress(done, total, what)`` while a file is read.

    Returns
    -------
    Prepared
        The rows, the labels and the notes.

    Raises
    ------
    DataError
        As for `load`.
    """
    whole, entry = entry_of(name)
    use = _use(whole, entry, paper)
    if random_state is not None:
        random_order(1, random_state)  # refuses a bad random_state before anything is read
    if use is not None and random_state is None and any(step.is_random for step in use.steps):
        raise DataError(f"{name} as in {paper} is drawn at random: give a random_state")
    data, notes = _read(find(name), entry, is_sample=whole != name, progress=progress)
    if use is not None:
        if whole != name:
            use = use._replace(joined=())  # a sample stands for the whole data set
        data, more = _prepared(data, use, np.random.default_rng(random_state), f"{name} as in {paper}")
        notes = [*notes, *more]
    order = random_order(len(data.y), random_state)
    X, y, _ = data if order is None else data.take(order)
    return Prepared(X, y, notes)


def _use(name: str, entry: Entry | None, paper: str | None) -> Use | None:
    if paper is None:
        return None
    uses = {} if entry is None else entry.uses
    if paper not in uses:
        known = f"give one of {listed(uses)}" if uses else "load it without a paper"
        raise DataError(
            f"paper={shown(paper)}: the register does not know {name} in it: {known}", parameter="paper"
        )
    return uses[paper]


def _prepared(data: Labelled, use: Use, random: np.random.Generator, title: str) -> tuple[Labelled, list[str]]:
    notes = []
    for other in use.joined:
        if look_for(other) is None:
            notes.append(f"{title} lacks the rows of {other}, which is not on this machine")
            continue
        part, more = _read(find(other), entry_of(other)[1], is_sample=False)
        notes += more
        data = _joined(data, part)
    for step in use.steps:
        data = step.do(data, random)
    return data, notes + _difference(title, data.X.shape, (use.rows, use.features), "in the paper")


def _joined(data: Labelled, part: Labelled) -> Labelled:
    width = max(data.X.shape[1], part.X.shape[1])
    X = sp.vstack([widened(data.X, width), widened(part.X, width)], format="csr")
    return Labelled(X, np.concatenate([data.y, part.y]), data.names)


def _read(
    found: Found, entry: Entry | None, *, is_sample: bool, progress: Progress | None = None
) -> tuple[Labelled, list[str]]:
    """The rows of the files, and how they differ from the register."""
    name = found.name
    if entry is not None and entry.classes is None:
        raise DataError(
            f"{name} holds {entry.holds}, not rows with one label each: read {found.paths[0]} yourself"
        )
    parts = [
        _part(path, file, entry, progress) for path, file in zip(found.paths, found.files or (None,), strict=True)
    ]
    width = max(X.shape[1] for X, _ in parts)
    if entry is not None and not is_sample and _is_svmlight(found.paths[0], found.files[:1]):
        width = max(width, entry.features or 0)  # such a file ends with the last feature that occurs
    X = sp.vstack([widened(X, width) for X, _ in parts], format="csr")
    y = classes_as_numbers(np.concatenate([y for _, y in parts]), entry.classes if entry else None, name)
    data = Labelled(X, y, _class_names(found.paths[0]))
    if entry is None:
        return data, []
    title = f"{name}, a part of the data set," if is_sample else name
    notes = _difference(title, X.shape, (entry.rows, entry.features), "in the register")
    classes = len(np.unique(y))
    if classes != entry.classes:
        notes.append(f"{title} has {classes} classes here, {entry.classes} in the register")
    return data, notes


def _difference(
    title: str, shape: tuple[int, int], wanted: tuple[int | None, int | None], where: str
) -> list[str]:
    """A sentence if the number of rows or features is not the expected one."""
    differ = [
        (f"{count:,} {what}", f"{should:,}")
        for count, should, what in zip(shape, wanted, ("rows", "features"), strict=True)
        if should is not None and count != should
    ]
    here, there = (" and ".join(words) for words in zip(*differ, strict=True)) if differ else ("", "")
    return [f"{title} has {here} here, {there} {where}"] if differ else []


def _part(
    path: Path, file: File | None, entry: Entry | None, progress: Progress | None
) -> tuple[sp.csr_array, NDArray[Any]]:
    if file is not None and file.table is not None:
        X, y = read_table(path, file.table)
        return X, y if file.table.positive is None else np.where(y == file.table.positive, 1, -1)
    chunks = []
    for chunk in _stream(path, file, entry):
        chunks.append(chunk)
        if progress is not None:
            progress(round(STEPS * chunk.progress), STEPS, path.name)
    if any(chunk.y is None for chunk in chunks):
        raise DataError(f"{path}: has no labels: check how it was made")
    X = sp.csr_array(stacked([chunk.X for chunk in chunks]), dtype=np.float32)
    return X, np.concatenate([chunk.y for chunk in chunks if chunk.y is not None])


def _stream(path: Path, file: File | None, entry: Entry | None) -> Stream:
    if path.suffix == ".npz":
        view, labels = (None, None) if entry is None else (entry.view, entry.labels)
        return read_npz(path, label=labels, view=view)
    return read(path, format="svmlight" if _is_svmlight(path, () if file is None else (file,)) else None)


def _is_svmlight(path: Path, files: tuple[File, ...]) -> bool:
    """Whether a file is svmlight: a public file unless it is a table, your own file by its extension."""
    if files:
        return files[0].table is None
    return not {".svm", ".libsvm", ".svmlight"}.isdisjoint(path.suffixes)


def classes_as_numbers(y: NDArray[Any], classes: int | None, name: str) -> NDArray[np.int64]:
    """Convert labels of any type to -1 and +1 for two classes, otherwise to 0 ... k - 1 in sorted order.

    Numbers that start at 0 or 1 keep their distances: a class that is missing in a sample does not shift others.
    """
    values, positions = np.unique(y, return_inverse=True)
    if len(values) > (classes or 2**31):
        raise DataError(
            f"{name}: has {len(values)} classes, {classes} in the register: check that it is the right file"
        )
    if (classes or len(values)) == 2:
        if len(values) == 2:
            return np.where(positions == 1, 1, -1).astype(np.int64)
        if values.dtype.kind not in "if" or values[0] not in (-1, 1):
            raise DataError(f"{name}: has only the class {values[0]}: check that the file has both classes")
        return y.astype(np.int64)
    for first in (0, 1):
        if values.dtype.kind in "iuf" and classes and set(values.tolist()) <= set(range(first, first + classes)):
            return y.astype(np.int64) - first
    return positions.astype(np.int64)


def _class_names(path: Path) -> tuple[str, ...]:
    """The names of the classes, if the file has them."""
    if path.suffix != ".npz":
        return ()
    with np.load(path, allow_pickle=False) as archive:
        return tuple(map(str, archive[CLASS_NAMES].tolist())) if CLASS_NAMES in archive.files else ()


def as_stream(prepared: Prepared, name: str, chunk_rows: int = 2048) -> Stream:
    """The rows as a stream, for `describe`."""
    return read_arrays(prepared.X, prepared.y, name=name, dtype="float32", chunk_rows=chunk_rows)
