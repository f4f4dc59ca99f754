"""Output files: checked before the work, written only when it is done. And optional packages."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from askance._util.atomic_write import atomic_write
from askance._util.optional import require


class Extra(NamedTuple):
    """What needs an optional package, and the extra of askance that installs it."""

    use: str
    group: str

    @property
    def remedy(self) -> str:
        """The command that installs it."""
        return f"pip install 'askance[{self.group}]'"


TRACES = (".parquet",)
LABELS = (".csv", ".jsonl", ".parquet")
PICTURES = (".png", ".svg", ".pdf")

SERVICE = Extra("the service", "service")
EXTRAS = {
    "matplotlib": Extra("a plot", "plots"),
    "pyarrow": Extra("Parquet", "parquet"),
    "onnx": Extra("ONNX", "onnx"),
    "joserfc": Extra("an identity provider", "oidc"),
    "pooch": Extra("fetching data sets", "datasets"),
    "redis": Extra("Redis Streams", "redis"),
    **dict.fromkeys(("httpx", "msgspec", "prometheus_client", "starlette", "uvicorn"), SERVICE),
}


def require_extra(*packages: str) -> None:
    """Raise ImportError with a remedy if an optional package is missing."""
    for package in packages:
        require(package, EXTRAS[package].group, EXTRAS[package].use)


def check_ending(path: Path | None, option: str, endings: tuple[str, ...]) -> None:
    """Raise ValueError if the extension of a file is not one that can be written."""
    if path is not None and path.suffix.lower() not in endings:
        raise ValueError(f"{option} {path}: the name must end in {' or '.join(endings)}")


def check_apart(targets: Mapping[str, Path | None]) -> None:
    """Raise ValueError if two outputs are one file, however it is spelled; `targets` are by their options."""
    options: dict[Path, str] = {}
    for option, path in targets.items():
        if path is None:
            continue
        first = options.setdefault(path.resolve(), option)
        if first != option:
            raise ValueError(f"{option} {path}: is the same file as {first}: choose another name")


@contextmanager
def draft(target: Path, *sources: Path) -> Iterator[Path]:
    """A temporary file next to `target`, which replaces it at the end and is deleted after an error.

    Creating it before the work shows at once whether the directory is writable. `sources` are never overwritten.
    """
    _check(target, sources)
    with ExitStack() as stack:
        try:
            path = stack.enter_context(atomic_write(target))
        except OSError as error:
            reason = f"cannot be written ({error.strerror})"
            raise ValueError(f"{target}: {reason}: choose another directory") from error
        yield path


def _check(target: Path, sources: tuple[Path, ...]) -> None:
    if target.exists() and not target.is_file():
        raise ValueError(f"{target}: is not a regular file, so it cannot be replaced: choose another name")
    if target.exists() and any(source.exists() and target.samefile(source) for source in sources):
        raise ValueError(f"{target}: would overwrite the data: choose another name")
