"""Files to write: checked before the work, and there only when the work is done."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import NamedTuple


class Extra(NamedTuple):
    """An optional package, what needs it and how pip calls the group that it is in."""

    use: str
    group: str

    @property
    def remedy(self) -> str:
        """How to get it."""
        return f"pip install 'askance[{self.group}]'"


TRACES = (".parquet",)
PICTURES = (".png", ".svg", ".pdf")

LIVE = Extra("the live service", "live")
EXTRAS = {
    "matplotlib": Extra("a picture", "plots"),
    "pyarrow": Extra("Parquet", "parquet"),
    **dict.fromkeys(("httpx", "msgspec", "prometheus_client", "starlette", "uvicorn"), LIVE),
}


def require(*packages: str) -> None:
    """ImportError, in one sentence, if an optional package is not there."""
    for package in packages:
        try:
            import_module(package)
        except ImportError as missing:
            extra = EXTRAS[package]
            raise ImportError(f"{extra.use} needs {package}: {extra.remedy}") from missing


def check_ending(path: Path | None, option: str, endings: tuple[str, ...]) -> None:
    """ValueError if a file's name does not say one of the formats that can be written."""
    if path is not None and path.suffix.lower() not in endings:
        raise ValueError(f"{option} {path}: give a name that ends in {' or '.join(endings)}")


@contextmanager
def draft(target: Path, *sources: Path) -> Iterator[Path]:
    """A new file beside `target`, which takes its place at the end and is gone after a fault.

    Making it first shows at once whether the directory can be written. `sources` are never overwritten.
    """
    _check(target, sources)
    final = target.resolve()  # a link stays a link
    path = final.with_name(f".{final.stem}.{os.getpid()}{final.suffix}")
    try:
        path.open("xb").close()
    except OSError as error:
        raise ValueError(f"{target}: cannot be written ({error.strerror}): choose another place") from error
    try:
        yield path
        os.replace(path, final)
    finally:
        path.unlink(missing_ok=True)


def _check(target: Path, sources: tuple[Path, ...]) -> None:
    if target.exists() and not target.is_file():
        raise ValueError(f"{target}: is not a file that can be replaced: choose another name")
    if target.exists() and any(source.exists() and target.samefile(source) for source in sources):
        raise ValueError(f"{target}: would overwrite the data: choose another name")
