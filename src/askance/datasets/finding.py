"""Find a named data set on this machine: in the directories of `ASKANCE_DATA`, or else in the cache."""

import difflib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from askance.data.files import reason, shown
from askance.datasets.checksums import check, is_fetched
from askance.datasets.entry import Entry, File
from askance.datasets.register import REGISTER
from askance.errors import DataError

DATA, CACHE = "ASKANCE_DATA", "ASKANCE_CACHE"
FETCHED = "cache"

# The extensions that a file may have, in the order in which they are tried.
ENDINGS = (
    "npz",
    "svm",
    "svm.gz",
    "svm.bz2",
    "svm.xz",
    "libsvm",
    "svmlight",
    "parquet",
    "csv",
    "csv.gz",
    "tsv",
    "tsv.gz",
    "jsonl",
    "jsonl.gz",
)


class Found(NamedTuple):
    """Where a data set is.

    Parameters
    ----------
    name : str
        Its name.
    paths : tuple of pathlib.Path
        Its files, in the order of their rows.
    place : str
        "ASKANCE_DATA" or "cache".
    files : tuple of File
        How to read the paths, if they are the public files of the register; otherwise empty.
    """

    name: str
    paths: tuple[Path, ...]
    place: str
    files: tuple[File, ...] = ()


def entry_of(name: str) -> tuple[str, Entry | None]:
    """The name and the entry of the register for the name of a data set or of a sample of one.

    The entry is None if the register has none. A DataError is raised for what cannot be a name.
    """
    if not isinstance(name, str) or not name or Path(name).name != name or name.startswith("."):
        raise DataError(f"{shown(name)} is not the name of a data set: see `askance data list`")
    if name in REGISTER:
        return name, REGISTER[name]
    for whole, entry in REGISTER.items():
        if name in entry.samples:
            return whole, entry
    return name, None


def find(name: str) -> Found:
    """Find a named data set in the directories of ASKANCE_DATA or in the cache directory.

    In a directory it may be NAME.npz, NAME.svm, NAME.csv or any other file that `askance.data.read` can read, or
    its public files under their own names. Fetched files are checked against their checksums.

    Parameters
    ----------
    name : str
        The name of a data set, of a sample of one, or of a file of your own.

    Returns
    -------
    Found
        Where it is.

    Raises
    ------
    DataError
        If it is not on this machine, or if a checksum does not match. The message says what to do.

    Examples
    --------
    >>> import askance
    >>> askance.datasets.find("a8")
    Traceback (most recent call last):
        ...
    askance.errors.DataError: there is no data set 'a8': did you mean a8a?
    """
    found = look_for(name)
    if found is None:
        raise DataError(how_to_get(name))
    for path, file in zip(found.paths, found.files, strict=False):  # your own files have no checksum
        if found.place == FETCHED or file.sha256 is not None:
            check(path, file.sha256, fetched=found.place == FETCHED)
    return found


def look_for(name: str) -> Found | None:
    """Find a named data set without checking its checksums.

    Parameters
    ----------
    name : str
        As for `find`.

    Returns
    -------
    Found or None
        None if it is not on this machine.
    """
    whole, entry = entry_of(name)
    files = entry.files if entry is not None and whole == name else ()
    for directory in data_directories():
        found = _in_directory(directory, name, files)
        if found is not None:
            return found
    paths = tuple(cache_directory() / name / file.name for file in files)
    if paths and all(map(is_fetched, paths)):
        return Found(name, paths, FETCHED, files)
    return None


def data_directories() -> list[Path]:
    """The directories in the environment variable ASKANCE_DATA."""
    return [Path(part).expanduser() for part in os.environ.get(DATA, "").split(os.pathsep) if part]


def cache_directory() -> Path:
    """The directory of fetched files: ASKANCE_CACHE, or else `askance` in your cache directory.

    Returns
    -------
    pathlib.Path
        The directory, which may not exist yet.
    """
    given = os.environ.get(CACHE)
    if given:
        return Path(given).expanduser()
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path("~/.cache").expanduser()) / "askance"


def _in_directory(directory: Path, name: str, files: tuple[File, ...]) -> Found | None:
    try:
        for path in _candidates(directory, name):
            if path.is_file():
                return Found(name, (path,), DATA)
        paths = tuple(directory / file.name for file in files)
        if paths and all(path.is_file() for path in paths):
            return Found(name, paths, DATA, files)
    except OSError as error:
        raise DataError(f"{directory}: cannot be read ({reason(error)}): check {DATA}") from error
    return None


def _candidates(directory: Path, name: str) -> Iterator[Path]:
    return (directory / f"{name}.{ending}" for ending in ENDINGS)


def how_to_get(name: str) -> str:
    """How to get a data set that is not on this machine, in one sentence."""
    whole, entry = entry_of(name)
    by_hand = f"put {name}.npz or another file of that name into a directory of {DATA}"
    if entry is None:
        near = difflib.get_close_matches(name, REGISTER, n=3, cutoff=0.6)
        hint = f"did you mean {' or '.join(near)}?" if near else f"see `askance data list`, or {by_hand}"
        return f"there is no data set {shown(name)}: {hint}"
    if whole != name:
        return f"{name}, a part of {whole}, is not on this machine: {by_hand}"
    sample = next((sample for sample in entry.samples if look_for(sample)), None)
    part = f"; a part of it is here as {sample}" if sample else ""
    if entry.files:
        return f"{name} is not on this machine: get it with `askance data fetch {name}`, or {by_hand}{part}"
    return f"{name} is not on this machine: make it from {entry.page} and {by_hand}{part}"
