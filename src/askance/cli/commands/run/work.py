"""The work of `askance run`: set up the methods, run them on the file and report the results."""

import dataclasses
import math
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from askance._util.atomic_write import write_whole
from askance._util.class_names import shown_class
from askance.auto.codec import encode as encode_automatic
from askance.auto.core import AutoCore
from askance.cli.commands.run.line_up import line_up_for
from askance.cli.commands.run.request import RunRequest
from askance.cli.commands.run.trace_file import trace_writer
from askance.cli.contest import report
from askance.cli.contest.contest import Keep, LineUp, never
from askance.cli.contest.methods import is_one_sided, parse_parameters
from askance.cli.contest.source import (
    columns_of,
    delimiter_of,
    nearly_numbers_note,
    notation_note,
    origin_of,
    unmatched_note,
)
from askance.cli.output.compiling import AUTO, NAMED, compilation_announced
from askance.cli.output.console import print_json, stdout
from askance.cli.output.progress import progress
from askance.cli.targets import draft
from askance.data.kinds import described
from askance.data.model_rows import add_reading
from askance.errors import DataError, ParameterError, ScaleWarning
from askance.learners.codec import encode
from askance.metrics.measures import find
from askance.plotting.curves import draw

if TYPE_CHECKING:
    from askance.cli.commands.run.bounds import Witness
    from askance.cli.commands.run.costs import Advice
    from askance.theory import Bound

SHOWN = 10  # classes named in a heading


class RunResult(NamedTuple):
    """The results of a run."""

    request: RunRequest
    line_up: LineUp
    bounds: "list[Bound]"
    costs: "Advice | None"
    scales: list[str]
    seconds: float
    failure: OSError | None = None  # the reason why files could not be written


def simulate(request: RunRequest) -> RunResult:
    """Run the request; files are written at the end, or not at all. The results stay if that fails."""
    done: list[RunResult] = []
    try:
        _simulate(request, done)
    except OSError as error:
        if not done:
            raise
        targets = " ".join(map(str, request.targets.values()))
        return done[0]._replace(failure=OSError(error.errno, error.strerror, targets))
    return done[0]


def _simulate(request: RunRequest, done: list[RunResult]) -> None:
    begun = time.perf_counter()
    find(request.metric)
    with ExitStack() as stack:
        sources = [path for path in (request.file, request.reading.labels) if path is not None]
        paths = {what: stack.enter_context(draft(target, *sources)) for what, target in request.targets.items()}
        stack.enter_context(compilation_announced(AUTO if request.algorithm in (None, "auto") else NAMED))
        line_up = line_up_for(request)
        keep: list[Keep] = []
        if "trace" in paths:
            writer = stack.enter_context(trace_writer(paths["trace"]))
            keep.append(lambda _chunk, traces: writer.add(traces[0]))
        asked = None
        if request.labels_out is not None:
            from askance.cli.commands.run.asked_labels import asked_labels, data_card

            ending = request.labels_out.suffix.lower()
            asked = stack.enter_context(asked_labels(paths["labels"], ending, request.reading.id))
            keep.append(lambda chunk, traces: asked.add(chunk, traces[0]))
        witness = _witness(line_up) if request.bound else None
        if witness is not None:
            keep.append(witness.add)
        scales = stack.enter_context(_noting_scales())
        with progress(request.name) as report_progress, _naming(request.place):
            line_up.run(report_progress, keep, _stop(line_up, request))
            line_up.set_positive(request.positive)
            if request.mistake_costs is not None:
                for contestant in line_up.contestants:
                    contestant.costs = dict(zip(("c_p", "c_n"), request.mistake_costs, strict=True))
            bounds = [] if witness is None else witness.bounds(parse_parameters(request.parameters))
        costs = _advice(line_up) if request.costs else None
        done.append(RunResult(request, line_up, bounds, costs, scales, time.perf_counter() - begun))
        _write(line_up, request, paths)
        if asked is not None:
            paths["data card"].write_text(data_card(asked, line_up, request), encoding="utf-8")


def _stop(line_up: LineUp, request: RunRequest) -> Callable[[], bool]:
    """When the run may stop: with --until, as soon as enough is certified."""
    learner, until = line_up.contestants[0].learner, request.until
    if until is None or not isinstance(learner, AutoCore):
        return never

    def enough() -> bool:
        found = learner.certificate
        return found is not None and found.certified and found.share >= until.share

    return enough


def _witness(line_up: LineUp) -> "Witness":
    from askance.cli.commands.run.bounds import Witness  # imports all theorems

    return Witness([contestant.name for contestant in line_up.contestants])


def _advice(line_up: LineUp) -> "Advice":
    from askance.cli.commands.run.costs import advice  # imports scikit-learn

    return advice(line_up.contestants)


@contextmanager
def _noting_scales() -> Iterator[list[str]]:
    """Collect what learners say about columns of very different size; every learner says the same."""
    notes: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ScaleWarning)
        yield notes
    for warning in caught:
        if not isinstance(warning.message, ScaleWarning):
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
        elif not notes:
            sizes = str(warning.message).partition(":")[0]
            notes.append(
                f"{sizes[:1].upper()}{sizes[1:]}: pass --scaling standard, or use auto, which scales them itself."
            )


@contextmanager
def _naming(place: str) -> Iterator[None]:
    """Name the file in errors of learners; readers name it themselves."""
    try:
        yield
    except (DataError, ParameterError):
        raise
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from error


def _write(line_up: LineUp, request: RunRequest, paths: Mapping[str, Path]) -> None:
    if "model" in paths:
        _save(line_up, paths["model"])
    if "plot" in paths:
        curves = report.curves(line_up.contestants, request.metric)
        draw(curves, request.metric, paths["plot"], title=request.name)


def _save(line_up: LineUp, path: Path) -> None:
    """Save the model, with how its file was read: `askance predict` reads the next one in the same way."""
    learner = line_up.contestants[0].learner
    write_whole(path, encode_automatic(learner) if isinstance(learner, AutoCore) else encode(learner))
    add_reading(path, origin_of(line_up.stream))


def _notes(line_up: LineUp, request: RunRequest) -> list[str]:
    """Remarks about the results."""
    main = line_up.contestants[0]
    notes = []
    if line_up.classes.alone:
        notes.append(
            f"The first {line_up.classes.alone:,} rows have the same class. If the file is sorted by class, "
            "shuffle it with --shuffle 7."
        )
    notes += nearly_numbers_note(line_up.stream)
    notes += notation_note(line_up.stream)
    notes += unmatched_note(line_up.stream, request.reading.labels)
    notes += report.reach_note(line_up.contestants, request.metric)
    notes += report.rounding_note(line_up.contestants, request.metric)
    if request.metric == "cost":
        missed, alarm = request.mistake_costs or (1, 1)
        remedy = "" if request.mistake_costs else " (--metric cost=200:1 gives others)"
        notes.append(f"A missed positive costs {missed:g} and a false alarm {alarm:g}{remedy}.")
    if isinstance(main.learner, AutoCore):
        notes += _limit_note(main.name, main.learner)
        if main.learner.certificate is not None:
            notes += _until_note(line_up, request)
            notes.append(str(main.learner.certificate))
    elif main.refused:
        notes.append(f"{main.name} wanted to ask {main.refused:,} more questions than the limits allow.")
    if not main.many and is_one_sided(main.update):
        notes.append(_one_sided_note(line_up, request))
    if line_up.is_waiting:
        notes.append("No label was asked for, so there is no rate at which to ask at random.")
    if request.metric in ("accuracy", "error", "mistakes"):
        notes += report.majority_note(main)
    return notes


def _until_note(line_up: LineUp, request: RunRequest) -> list[str]:
    """Whether the run has stopped because of --until."""
    if request.until is None:
        return []
    if line_up.stopped:
        return [f"Stopped after {line_up.rows:,} rows."]
    return [f"The file ended after {line_up.rows:,} rows, before that was reached."]


def _one_sided_note(line_up: LineUp, request: RunRequest) -> str:
    """Which class an algorithm favours that treats the classes unequally."""
    main, (other, wanted) = line_up.contestants[0], line_up.classes.pair
    favoured = line_up.classes.values[-1] if main.positive is None else main.positive
    said = f"{main.name} takes {shown_class(favoured)!r} for the class that matters"
    if favoured == wanted:
        return f"{said}; --positive {shown_class(other)} chooses the other one."
    if request.resume is not None:
        return f"{said}, as when it was trained; F, precision and recall are those of {shown_class(wanted)!r}."
    return f"{said}, the last one, because a pipe does not show beforehand which is rarer: give --positive."


def _limit_note(name: str, learner: AutoCore) -> list[str]:
    limit = learner.settings.limit
    if limit is None or learner.spending.asked < limit:
        return []
    return [f"{name} asked for all {limit:,} labels that the limit allows, and only predicted then."]


def show(result: RunResult, *, as_json: bool) -> None:
    """Print the results, as text or as JSON."""
    if as_json:
        print_json(_as_dict(result))
    else:
        _print(result)
    if result.failure is not None:
        raise result.failure


def _print(result: RunResult) -> None:
    console = stdout()
    request, line_up = result.request, result.line_up
    delimiter = _guessed_delimiter(result)
    separated = "" if delimiter is None else f" (cells separated by {delimiter!r})"
    console.print(f"{request.name}{separated}: {_described(line_up)}")
    if (columns := columns_of(line_up.stream)) is not None:
        console.print(f"Columns: {described(columns)}.")
    console.print()
    console.print(report.table(line_up.contestants, request.metric))
    console.print(f"\n{report.sentence(line_up.contestants, request.metric, _positive(line_up))}")
    for note in (*_notes(line_up, request), *result.scales, *(bound.sentence for bound in result.bounds)):
        console.print(note)
    if result.costs is not None:
        console.print(result.costs.sentence())
        console.print(result.costs.table())
    for what, path in _written(result).items():
        console.print(f"Wrote the {what} to {path}.", soft_wrap=True)


def _guessed_delimiter(result: RunResult) -> str | None:
    """What separates cells, if it was guessed and is unusual."""
    return None if result.request.reading.delimiter else delimiter_of(result.line_up.stream)


def _described(line_up: LineUp) -> str:
    """The classes, as text."""
    names = [shown_class(value) for value in line_up.classes.values]
    if not line_up.contestants[0].many:
        negative, positive = map(shown_class, line_up.classes.pair)
        return f"{positive} (positive) or {negative}"
    return f"{len(names)} classes: {_listed(names)}{_new_to_the_model(line_up)}"


def _new_to_the_model(line_up: LineUp) -> str:
    """What a model that goes on has to learn, as text."""
    new = [shown_class(value) for value in line_up.classes.new]
    return f" (new to the model: {_listed(new)})" if new else ""


def _listed(names: list[str]) -> str:
    return f"{', '.join(names[:SHOWN])}{', …' if len(names) > SHOWN else ''}"


def _positive(line_up: LineUp) -> Any:
    """The positive class; None of more than two."""
    return None if line_up.contestants[0].many else line_up.classes.pair[1]


def _columns(line_up: LineUp) -> list[dict[str, str]] | None:
    """The columns of a table and what they were taken for."""
    columns = columns_of(line_up.stream)
    if columns is None:
        return None
    return [{"name": column.name, "kind": column.kind, "reason": column.reason} for column in columns]


def _written(result: RunResult) -> dict[str, str]:
    if result.failure is not None:
        return {}
    return {what: str(path) for what, path in result.request.targets.items()}


def _certificate(line_up: LineUp) -> dict[str, Any] | None:
    """What is certified, with --certify."""
    learner = line_up.contestants[0].learner
    found = learner.certificate if isinstance(learner, AutoCore) else None
    if found is None:
        return None
    fields = dataclasses.asdict(dataclasses.replace(found, automatic=None))
    del fields["automatic"]  # for traces alone
    return {**fields, "threshold": found.threshold if math.isfinite(found.threshold) else None}


def _as_dict(result: RunResult) -> dict[str, Any]:
    request, line_up = result.request, result.line_up
    return {
        "file": str(request.file),
        "classes": line_up.classes.values,
        "new_classes": list(line_up.classes.new),
        "delimiter": _guessed_delimiter(result),
        "columns": _columns(line_up),
        "positive": _positive(line_up),
        "metric": request.metric,
        "methods": [report.as_dict(contestant) for contestant in line_up.contestants],
        "sentence": report.sentence(line_up.contestants, request.metric, _positive(line_up)),
        "notes": [*_notes(line_up, request), *result.scales],
        "bounds": [bound.as_dict() for bound in result.bounds],
        "costs": None if result.costs is None else result.costs.as_dict(),
        "certificate": _certificate(line_up),
        "stopped": line_up.stopped if request.until else None,
        "written": _written(result),
        "seconds": {"total": result.seconds, "learning": report.learning_times(line_up.contestants)},
    }
