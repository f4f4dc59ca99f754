"""Where a named data set is on this machine: in the directories of `ASKANCE_DATA`, or else in the cache."""

import difflib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from askance.data.files import reason, shown
from askance.datasets.entry import Entry, File
from askance.datasets.register import REGISTER
from askance.datasets.seals import check, seal_of
from askance.errors import DataError

DATA, CACHE = "ASKANCE_DATA", "ASKANCE_CACHE"
FETCHED = "cache"

# What may stand behind a name, the first that is there wins; svmlight may also be packed by bzip2 and xz.
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
    """Where a data set is; `files` says how to read the paths where they are its public files."""

    name: str
    paths: tuple[Path, ...]
    place: str
    files: tuple[File, ...] = ()


def entry_of(name: str) -> tuple[str, Entry | None]:
    """The register's name and entry for a name, which may be that of a sample; no entry if it has none."""
    if not isinstance(name, str) or not name or Path(name).name != name or name.startswith("."):
        raise DataError(f"{shown(name)} is no name of a data set: `askance data list` has them all")
    if name in REGISTER:
        return name, REGISTER[name]
    for whole, entry in REGISTER.items():
        if name in entry.samples:
            return whole, entry
    return name, None


def find(name: str) -> Found:
    """Where a named data set is: in the directories of ASKANCE_DATA, then in the cache directory.

    There it may be NAME.npz, .svm, .csv or any other file that `read` takes, or its public files under their own
    names. What was fetched into the cache is checked against its checksum. `DataError` if there is none.
    """
    found = look_for(name)
    if found is None:
        raise DataError(how_to_get(name))
    for path, file in zip(found.paths, found.files, strict=False):  # a file of one's own has no checksum
        if found.place == FETCHED or file.sha256 is not None:
            check(path, file.sha256, sealed=found.place == FETCHED)
    return found


def look_for(name: str) -> Found | None:
    """Where a data set is, its checksums not looked at; None if it is not here."""
    whole, entry = entry_of(name)
    files = entry.files if entry is not None and whole == name else ()
    for directory in data_directories():
        found = _in_directory(directory, name, files)
        if found is not None:
            return found
    cache = cache_directory() / name
    paths = tuple(cache / file.name for file in files)
    # A file gets its name last of all, after its seal: one without a seal did not come from a fetch.
    if paths and all(path.is_file() and seal_of(path).is_file() for path in paths):
        return Found(name, paths, FETCHED, files)
    return None


def data_directories() -> list[Path]:
    """The directories that the environment variable ASKANCE_DATA names."""
    return [Path(part).expanduser() for part in os.environ.get(DATA, "").split(os.pathsep) if part]


def cache_directory() -> Path:
    """Where fetched files are kept: ASKANCE_CACHE, or else `askance` in the user's cache directory."""
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
        raise DataError(f"{directory}: cannot be looked into ({reason(error)}): check {DATA}") from error
    return None


def _candidates(directory: Path, name: str) -> Iterator[Path]:
    return (directory / f"{name}.{ending}" for ending in ENDINGS)


def how_to_get(name: str) -> str:
    """How to come by a data set that is not on this machine, in one sentence."""
    whole, entry = entry_of(name)
    by_hand = f"put {name}.npz or another file of that name into a directory that {DATA} names"
    if entry is None:
        near = difflib.get_close_matches(name, REGISTER, n=3, cutoff=0.6)
        hint = f"did you mean {' or '.join(near)}?" if near else f"`askance data list` has them all, or {by_hand}"
        return f"there is no data set {shown(name)}: {hint}"
    if whole != name:
        return f"{name}, a part of {whole}, is not on this machine: {by_hand}"
    sample = next((sample for sample in entry.samples if look_for(sample)), None)
    part = f"; a part of it is here as {sample}" if sample else ""
    if entry.files:
        return f"{name} is not on this machine: get it with `askance data fetch {name}`, or {by_hand}{part}"
    return f"{name} is not on this machine: make it from {entry.page} and {by_hand}{part}"
