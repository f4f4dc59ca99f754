"""The work of `askance run`: line up the methods, lead them through the file, say what came of it."""

import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from askance.cli import report
from askance.cli.console import print_json, shown_class, stdout
from askance.cli.contest import Contestant, LineUp
from askance.cli.methods import RANDOM, Budget, Method, algorithm, opponent, parse_opponents, parse_parameters
from askance.cli.progress import progress
from askance.cli.run import Wish
from askance.cli.source import Classes, open_file, two_classes
from askance.cli.targets import draft
from askance.cli.trace_file import trace_writer
from askance.data import DataFault
from askance.metrics import draw
from askance.metrics.measures import find
from askance.model_file import load

ALGORITHM = "PAA-II"


class Outcome(NamedTuple):
    """What to tell the user."""

    wish: Wish
    line_up: LineUp
    seconds: float


def simulate(wish: Wish) -> Outcome:
    """Do what the user asked for; files are written when all is done, or not at all."""
    begun = time.perf_counter()
    find(wish.metric)
    with ExitStack() as stack:
        targets = {"save": wish.save, "trace": wish.trace, "plot": wish.plot}
        paths = {
            name: stack.enter_context(draft(target, wish.file))
            for name, target in targets.items()
            if target is not None
        }
        line_up = _started(wish) if wish.resume is None else _resumed(wish, wish.resume)
        keep = stack.enter_context(trace_writer(paths["trace"])).add if "trace" in paths else None
        with progress(wish.file.name) as tell, _naming(wish.file):
            line_up.run(tell, keep)
        _write(line_up.contestants, wish, paths)
    return Outcome(wish, line_up, time.perf_counter() - begun)


def _started(wish: Wish) -> LineUp:
    name = wish.algorithm or ALGORITHM
    parameters = parse_parameters(wish.parameters, name)
    budget = Budget(wish.rate, wish.limit, wish.burst)
    main = algorithm(name, parameters, budget)
    words = parse_opponents(wish.against, main.name)
    waits = RANDOM in words and budget.rate is None
    others = [opponent(word, main, parameters, budget) for word in words if not (waits and word == RANDOM)]
    dtype = wish.dtype or "float32"
    for method in (main, *others):
        method.learner(seed=wish.seed or 0, dtype=dtype)  # a bad parameter is told before the file is opened
    stream = open_file(wish.file, wish.reading, dtype)
    classes = two_classes(stream, wish.classes, str(wish.file))

    def contestant(method: Method) -> Contestant:
        learner = method.learner(seed=wish.seed or 0, dtype=dtype, classes=classes.values)
        return Contestant(method.name, learner)

    def at_random(rate: float) -> Contestant:
        return contestant(opponent(RANDOM, main, parameters, budget._replace(rate=rate)))

    return LineUp(
        stream, classes, [contestant(method) for method in (main, *others)], at_random if waits else None
    )


def _resumed(wish: Wish, model: Path) -> LineUp:
    learner = load(model)
    stream = open_file(wish.file, wish.reading, learner.dtype)
    return LineUp(stream, Classes(learner.classes_.tolist()), [Contestant(model.name, learner)])


@contextmanager
def _naming(file: Path) -> Iterator[None]:
    """A learner does not know which file an unfit label comes from; readers do."""
    try:
        yield
    except DataFault:
        raise
    except ValueError as fault:
        raise ValueError(f"{file}: {fault}") from fault


def _write(contestants: list[Contestant], wish: Wish, paths: Mapping[str, Path]) -> None:
    if "save" in paths:
        contestants[0].learner.save(paths["save"])
    if "plot" in paths:
        draw(report.curves(contestants, wish.metric), wish.metric, paths["plot"], title=wish.file.name)


def _notes(line_up: LineUp, wish: Wish) -> list[str]:
    """What the user should know beside the figures."""
    main = line_up.contestants[0]
    notes = []
    if line_up.classes.alone:
        notes.append(
            f"The first {line_up.classes.alone:,} rows are of one class: if the file is sorted by class, "
            "shuffle it with --shuffle 7."
        )
    if main.refused:
        notes.append(f"The budget refused {main.refused:,} further questions of {main.name}.")
    if line_up.is_waiting:
        notes.append("No label was asked for, so there is nothing to ask at random for.")
    if wish.metric in ("accuracy", "error", "mistakes"):
        notes += report.majority_note(main, line_up.classes.values)
    return notes


def show(outcome: Outcome, *, as_json: bool) -> None:
    """Print the outcome, for people or for programs."""
    if as_json:
        print_json(_as_dict(outcome))
        return
    console = stdout()
    wish, line_up = outcome.wish, outcome.line_up
    negative, positive = map(shown_class, line_up.classes.values)
    console.print(f"{wish.file.name}: {positive} (positive) or {negative}\n")
    console.print(report.table(line_up.contestants, wish.metric))
    console.print(f"\n{report.sentence(line_up.contestants, wish.metric)}")
    for note in _notes(line_up, wish):
        console.print(note)
    for what, path in _written(wish).items():
        console.print(f"The {what} is in {path}.", soft_wrap=True)


def _written(wish: Wish) -> dict[str, str]:
    targets = {"model": wish.save, "trace": wish.trace, "picture": wish.plot}
    return {what: str(path) for what, path in targets.items() if path is not None}


def _as_dict(outcome: Outcome) -> dict[str, Any]:
    wish, line_up = outcome.wish, outcome.line_up
    return {
        "file": str(wish.file),
        "classes": line_up.classes.values,
        "positive": line_up.classes.values[1],
        "metric": wish.metric,
        "methods": [report.as_dict(contestant) for contestant in line_up.contestants],
        "sentence": report.sentence(line_up.contestants, wish.metric),
        "notes": _notes(line_up, wish),
        "written": _written(wish),
        "seconds": {"total": outcome.seconds, "learning": report.learning_times(line_up.contestants)},
    }
