"""Vowpal Wabbit, from text and from its cache.

Given a file, its Python wheel runs the same driver as its command line, with one thread that parses and one that
learns; a process of its own would only cost it time. Plain SGD on the hinge loss is its fastest learner and the
nearest to PA-II. It learns from every label: with `--active --simulation` it takes as long.
"""

import contextlib
from collections.abc import Callable
from pathlib import Path

OPTIONS = ("--loss_function", "hinge", "--sgd", "--noconstant", "--bit_precision", "18", "--quiet", "--no_stdin")


def vowpal_run(text: Path, cache: Path | None = None) -> Callable[[object], None] | None:
    """One pass over a text file, or over its cache, which is made here; None if Vowpal Wabbit is not installed."""
    try:
        from vowpalwabbit import Workspace  # type: ignore[import-untyped]
    except ImportError:
        return None

    def work(_: object) -> None:
        source = ["--data", str(text)] + (["--cache_file", str(cache)] if cache else [])
        Workspace(arg_list=[*source, *OPTIONS]).finish()

    if cache:
        with contextlib.suppress(FileNotFoundError):
            cache.unlink()  # it may be of older text
        work(None)
    return work
