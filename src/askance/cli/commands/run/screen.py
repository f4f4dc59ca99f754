"""`askance run --until recall=0.95`: read the most promising rows until nearly all positives are found."""

import time
from contextlib import ExitStack
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance._util.class_names import shown_class
from askance.cli.commands.run.request import RunRequest
from askance.cli.contest.source import open_typed, survey
from askance.cli.output.compiling import AUTO, compilation_announced
from askance.cli.output.console import print_json, stdout
from askance.cli.output.progress import Watched, progress
from askance.cli.targets import draft
from askance.data.stacking import stacked
from askance.metrics.positive import default_positive, place_of_class
from askance.plotting.screenings import draw_found
from askance.pool.labelling.row_view import percent
from askance.pool.screening import Screening


class Screened(NamedTuple):
    """The results of a screening: what was read and found, and after each row the positives and the limit."""

    request: RunRequest
    positive: Any
    positives: int
    screening: Screening
    found: list[int]
    recalls: list[float]
    random: int
    seconds: float


def simulate(request: RunRequest) -> Screened:
    """Read the file, screen it with its labels as answers, and draw what was found."""
    begun = time.perf_counter()
    with ExitStack() as stack:
        plot = None if request.plot is None else stack.enter_context(draft(request.plot, request.file))
        stack.enter_context(compilation_announced(AUTO))
        stream, classes = survey(open_typed(request.file, request.reading), request.classes, request.place)
        with progress(request.name) as report:
            chunks = list(Watched(stream, report))
        y = np.concatenate([chunk.y for chunk in chunks])
        positive = _positive(request, classes.values, y)
        assert request.until is not None
        assert request.until.recall is not None
        X = stacked([chunk.X for chunk in chunks])
        screening = Screening(X, recall=request.until.recall, random_state=request.seed or 0)
        relevant = y == positive
        found, recalls, random = _read(request, screening, relevant)
        positives = int(relevant.sum())
        if plot is not None:
            title = f"{request.name}: class {shown_class(positive)}"
            draw_found(found, recalls, max(1, positives), screening.wanted, plot, title)
        seconds = time.perf_counter() - begun
        return Screened(request, positive, positives, screening, found, recalls, random, seconds)


def _positive(request: RunRequest, classes: list[Any], y: NDArray[Any]) -> Any:
    """The class to find: the one that is named, or the rarer of two."""
    if request.positive is not None:
        return classes[place_of_class(request.positive, classes)]
    if len(classes) > 2:
        raise ValueError(f"{request.place} has {len(classes)} classes: name the one to find with --positive")
    return classes[default_positive([int(np.count_nonzero(y == value)) for value in classes])]


def _read(
    request: RunRequest, screening: Screening, relevant: NDArray[np.bool_]
) -> tuple[list[int], list[float], int]:
    """Read until enough is found, or the limit is reached.

    Returns the positives and the certain recall after each row, and how many rows were drawn at random.
    """
    found: list[int] = []
    recalls: list[float] = []
    random = 0
    most = len(relevant) if request.limit is None else min(request.limit, len(relevant))
    with progress(f"reading {request.name}") as report:
        while len(found) < most and (reading := screening.next()) is not None:
            screening.answer(bool(relevant[reading.row]))
            found.append(len(screening.positives))
            recalls.append(screening.certifier.recall)
            random += reading.random
            report(len(found), len(relevant), "")
    return found, recalls, random


def show(result: Screened, *, as_json: bool) -> None:
    """Print what was found, as text or as JSON."""
    if as_json:
        print_json(_as_dict(result))
        return
    console = stdout()
    screening, rows = result.screening, result.screening.pool.rows
    read, found = len(result.found), len(screening.positives)
    named = f"class {shown_class(result.positive)}"
    console.print(f"{result.request.name}: looking for {named} in {rows:,} rows")
    console.print(
        f"\nRead {read:,} rows ({percent(read / rows, 0)}), {result.random:,} of them drawn at random, and found "
        f"{found:,} of {named}."
    )
    if read == rows and not found:
        console.print("All rows were read: there are none.")
    elif not found:
        console.print("Nothing is known about how many there are.")
    else:
        said = "all" if read == rows else f"at least {percent(result.recalls[-1])}"
        level = "" if read == rows else f" ({screening.certifier.level:.0%} confidence)"
        truth = percent(found / result.positives)
        console.print(f"That is {said} of them{level}. The file has {result.positives:,}: {truth}.")
    if not screening.done:
        console.print(f"--limit ended it before {screening.wanted:.0%} were certain.")
    if result.request.plot is not None:
        console.print(f"Wrote the plot to {result.request.plot}.", soft_wrap=True)


def _as_dict(result: Screened) -> dict[str, Any]:
    screening, request = result.screening, result.request
    return {
        "file": str(request.file),
        "positive": result.positive,
        "rows": screening.pool.rows,
        "read": len(result.found),
        "random": result.random,
        "found": len(screening.positives),
        "recall": {
            "wanted": screening.wanted,
            "level": screening.certifier.level,
            "at_least": screening.certifier.recall,
            "true": len(screening.positives) / result.positives if result.positives else None,
        },
        "done": screening.done,
        "written": {} if request.plot is None else {"plot": str(request.plot)},
        "seconds": result.seconds,
    }
