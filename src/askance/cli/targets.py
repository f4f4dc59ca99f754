"""Output files: checked before the work, written only when it is done. And optional packages."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import NamedTuple


class Extra(NamedTuple):
    """What needs an optional package, and the extra of askance that installs it."""

    use: str
    group: str

    @property
    def remedy(self) -> str:
        """The command that installs it."""
        return f"pip install 'askance[{self.group}]'"


TRACES = (".parquet",)
PICTURES = (".png", ".svg", ".pdf")

SERVICE = Extra("the service", "service")
EXTRAS = {
    "matplotlib": Extra("a plot", "plots"),
    "pyarrow": Extra("Parquet", "parquet"),
    "pooch": Extra("fetching data sets", "datasets"),
    **dict.fromkeys(("httpx", "msgspec", "prometheus_client", "starlette", "uvicorn"), SERVICE),
}


def require(*packages: str) -> None:
    """Raise ImportError with a remedy if an optional package is missing."""
    for package in packages:
        try:
            import_module(package)
        except ImportError as missing:
            extra = EXTRAS[package]
            raise ImportError(f"{extra.use} needs {package}: {extra.remedy}") from missing


def check_ending(path: Path | None, option: str, endings: tuple[str, ...]) -> None:
    """Raise ValueError if the extension of a file is not one that can be written."""
    if path is not None and path.suffix.lower() not in endings:
        raise ValueError(f"{option} {path}: the name must end in {' or '.join(endings)}")


@contextmanager
def draft(target: Path, *sources: Path) -> Iterator[Path]:
    """A temporary file next to `target`, which replaces it at the end and is deleted after an error.

    Creating it before the work shows at once whether the directory is writable. `sources` are never overwritten.
    """
    _check(target, sources)
    final = target.resolve()  # a link stays a link
    path = final.with_name(f".{final.stem}.{os.getpid()}{final.suffix}")
    try:
        path.open("xb").close()
    except OSError as error:
        raise ValueError(f"{target}: cannot be written ({error.strerror}): choose another directory") from error
    try:
        yield path
        os.replace(path, final)
    finally:
        path.unlink(missing_ok=True)


def _check(target: Path, sources: tuple[Path, ...]) -> None:
    if target.exists() and not target.is_file():
        raise ValueError(f"{target}: is not a regular file, so it cannot be replaced: choose another name")
    if target.exists() and any(source.exists() and target.samefile(source) for source in sources):
        raise ValueError(f"{target}: would overwrite the data: choose another name")
