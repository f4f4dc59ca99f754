"""Data sets as text in the formats of svmlight and Vowpal Wabbit: written once, checked and used again."""

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from bench.datasets import DECIMALS, Dataset

# What stands between the label and the features.
SEPARATORS = {"svm": " ", "vw": " | "}


class TextFile(NamedTuple):
    """A file and its size in millions of bytes."""

    path: Path
    megabytes: float


def text_file(dataset: Dataset, ending: str, directory: Path) -> TextFile:
    """The file of a data set, written if it does not exist or is damaged."""
    path = directory / f"{dataset.name}-{len(dataset.y)}.{ending}"
    record = path.with_suffix(path.suffix + ".json")
    source = dataset.digest()
    if not is_as_recorded(path, record, source):
        write_text(dataset, SEPARATORS[ending], path)
        record.write_text(json.dumps({"source": source, "size": path.stat().st_size, "sha256": digest(path)}))
    return TextFile(path, path.stat().st_size / 1e6)


def is_as_recorded(path: Path, record: Path, source: str) -> bool:
    """Whether the file holds this data set, unchanged."""
    if not (path.exists() and record.exists()):
        return False
    expected: dict[str, str | int] = json.loads(record.read_text())
    found = {"source": source, "size": path.stat().st_size}
    return found.items() <= expected.items() and expected["sha256"] == digest(path)


def write_text(dataset: Dataset, separator: str, path: Path) -> None:
    """Write under another name first, so that an incomplete file is never used."""
    unfinished = path.with_suffix(".unfinished")
    with unfinished.open("w", encoding="ascii") as file:
        file.writelines(lines(dataset, separator))
    os.replace(unfinished, path)


def lines(dataset: Dataset, separator: str) -> Iterator[str]:
    """The rows of a sparse data set, columns counted from 1."""
    X = dataset.X
    labels = dataset.y.tolist()
    for t, label in enumerate(labels):
        part = slice(X.indptr[t], X.indptr[t + 1])
        columns, values = (X.indices[part] + 1).tolist(), X.data[part].tolist()
        features = [f"{column}:{value:.{DECIMALS}f}" for column, value in zip(columns, values, strict=True)]
        yield f"{label}{separator}{' '.join(features)}\n"


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
