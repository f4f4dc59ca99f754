"""The work of `askance run`: line up the methods, lead them through the file, say what came of it."""

import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from askance.cli.commands.run.bounds import Witness
from askance.cli.commands.run.command import Wish
from askance.cli.commands.run.costs import Advice, advice
from askance.cli.commands.run.trace_file import trace_writer
from askance.cli.contest import report
from askance.cli.contest.contest import Contestant, Keep, LineUp
from askance.cli.contest.methods import (
    FULL,
    RANDOM,
    Budget,
    Method,
    algorithm,
    for_many,
    opponent,
    parse_opponents,
    parse_parameters,
)
from askance.cli.contest.source import Classes, MoreThanTwo, find_classes, open_file
from askance.cli.output.console import print_json, shown_class, stdout
from askance.cli.output.progress import progress
from askance.cli.targets import draft
from askance.errors import DataError
from askance.learners.files import load
from askance.metrics.measures import check_kind, find
from askance.plotting.curves import draw
from askance.rules.query import Always
from askance.theory import Bound
from askance.theory.register import find as find_theorem

ALGORITHM, MANY_ALGORITHM = "PAA-II", "MPAA-II"
SHOWN = 10  # classes named in a heading


class Outcome(NamedTuple):
    """What to tell the user."""

    wish: Wish
    line_up: LineUp
    bounds: list[Bound]
    costs: Advice | None
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
        keep: list[Keep] = []
        if "trace" in paths:
            writer = stack.enter_context(trace_writer(paths["trace"]))
            keep.append(lambda _chunk, traces: writer.add(traces[0]))
        witness = Witness([contestant.name for contestant in line_up.contestants])
        if wish.bound:
            keep.append(witness.add)
        with progress(wish.file.name) as tell, _naming(wish.file):
            line_up.run(tell, keep)
            bounds = witness.bounds(parse_parameters(wish.parameters)) if wish.bound else []
        _write(line_up.contestants, wish, paths)
    costs = advice(line_up.contestants) if wish.costs else None
    return Outcome(wish, line_up, bounds, costs, time.perf_counter() - begun)


def _started(wish: Wish) -> LineUp:
    if wish.algorithm is not None:
        return _lined_up(wish, wish.algorithm)
    if any(for_many(word) for word in parse_opponents(wish.against, ALGORITHM)):
        return _lined_up(wish, MANY_ALGORITHM)
    try:
        return _lined_up(wish, ALGORITHM)
    except MoreThanTwo:
        return _lined_up(wish, MANY_ALGORITHM)


def _lined_up(wish: Wish, name: str) -> LineUp:
    parameters = parse_parameters(wish.parameters)
    budget = Budget(wish.rate, wish.limit, wish.burst)
    main = algorithm(name, parameters, budget)
    if wish.bound:
        find_theorem(main.name)
    check_kind(wish.metric, many=main.many)
    words = parse_opponents(wish.against, main.name)
    if wish.costs and FULL not in words and not isinstance(main.query, Always):
        words.append(FULL)  # which knows the best costs
    waits = RANDOM in words and budget.rate is None
    others = [opponent(word, main, parameters, budget) for word in words if not (waits and word == RANDOM)]
    dtype = wish.dtype or "float32"
    for method in (main, *others):
        method.learner(
            random_state=wish.seed or 0, dtype=dtype
        )  # a bad parameter is told before the file is opened
    stream = open_file(wish.file, wish.reading, dtype)
    classes = find_classes(stream, wish.classes, str(wish.file), many=main.many)

    def contestant(method: Method) -> Contestant:
        learner = method.learner(random_state=wish.seed or 0, dtype=dtype, classes=classes.values)
        return Contestant(method.name, learner)

    def at_random(rate: float) -> Contestant:
        return contestant(opponent(RANDOM, main, parameters, budget._replace(rate=rate)))

    return LineUp(
        stream, classes, [contestant(method) for method in (main, *others)], at_random if waits else None
    )


def _resumed(wish: Wish, model: Path) -> LineUp:
    learner = load(model)
    check_kind(wish.metric, many=learner.many)
    stream = open_file(wish.file, wish.reading, learner.dtype)
    return LineUp(stream, Classes(learner.classes_.tolist()), [Contestant(model.name, learner)])


@contextmanager
def _naming(file: Path) -> Iterator[None]:
    """A learner does not know which file an unfit label comes from; readers do."""
    try:
        yield
    except DataError:
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
    if wish.metric in ("accuracy", "error", "mistakes") and not main.learner.many:
        notes += report.majority_note(main, line_up.classes.values)
    return notes


def show(outcome: Outcome, *, as_json: bool) -> None:
    """Print the outcome, for people or for programs."""
    if as_json:
        print_json(_as_dict(outcome))
        return
    console = stdout()
    wish, line_up = outcome.wish, outcome.line_up
    console.print(f"{wish.file.name}: {_described(line_up)}\n")
    console.print(report.table(line_up.contestants, wish.metric))
    console.print(f"\n{report.sentence(line_up.contestants, wish.metric)}")
    for note in (*_notes(line_up, wish), *(bound.sentence for bound in outcome.bounds)):
        console.print(note)
    if outcome.costs is not None:
        console.print(outcome.costs.sentence())
        console.print(outcome.costs.table())
    for what, path in _written(wish).items():
        console.print(f"The {what} is in {path}.", soft_wrap=True)


def _described(line_up: LineUp) -> str:
    """The classes in words."""
    names = [shown_class(value) for value in line_up.classes.values]
    if not line_up.contestants[0].learner.many:
        return f"{names[1]} (positive) or {names[0]}"
    return f"{len(names)} classes: {', '.join(names[:SHOWN])}{', …' if len(names) > SHOWN else ''}"


def _written(wish: Wish) -> dict[str, str]:
    targets = {"model": wish.save, "trace": wish.trace, "picture": wish.plot}
    return {what: str(path) for what, path in targets.items() if path is not None}


def _as_dict(outcome: Outcome) -> dict[str, Any]:
    wish, line_up = outcome.wish, outcome.line_up
    return {
        "file": str(wish.file),
        "classes": line_up.classes.values,
        "positive": None if line_up.contestants[0].learner.many else line_up.classes.values[1],
        "metric": wish.metric,
        "methods": [report.as_dict(contestant) for contestant in line_up.contestants],
        "sentence": report.sentence(line_up.contestants, wish.metric),
        "notes": _notes(line_up, wish),
        "bounds": [bound.as_dict() for bound in outcome.bounds],
        "costs": None if outcome.costs is None else outcome.costs.as_dict(),
        "written": _written(wish),
        "seconds": {"total": outcome.seconds, "learning": report.learning_times(line_up.contestants)},
    }
