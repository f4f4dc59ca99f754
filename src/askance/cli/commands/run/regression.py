"""`askance run --regression`: predict a number from the rows of a file, asking for few of its values."""

import math
import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any, NamedTuple

import numpy as np
from rich.table import Table

from askance.cli.commands.run.request import RunRequest
from askance.cli.contest.methods import FULL, RANDOM, parse_parameters
from askance.cli.contest.report import NAMES as SHOWN_NAMES
from askance.cli.contest.source import columns_of, nearly_numbers_note, open_typed, origin_of, unmatched_note
from askance.cli.output.compiling import NAMED, compilation_announced
from askance.cli.output.console import print_json, stdout
from askance.cli.output.progress import Watched, progress
from askance.cli.targets import draft
from askance.data.cells import number_of
from askance.data.kinds import described
from askance.data.model_rows import add_reading
from askance.data.notation import PLAIN, notation_of_numbers
from askance.data.stream import Chunk, Stream
from askance.data.typed import TypedTable
from askance.learners.regression.regressor import StreamRegressor
from askance.learners.regression.trace import RegressionSummary, RegressionTrace, interval, shown_number
from askance.rules.registry import with_parameters
from askance.rules.regression import NAMES
from askance.typing import FloatArray


class Method(NamedTuple):
    """A regressor with its name, and the traces of its chunks."""

    name: str
    model: StreamRegressor
    traces: list[RegressionTrace]


class Regressed(NamedTuple):
    """The results of a run."""

    request: RunRequest
    stream: Stream
    dropped: list[str]
    target: str
    smallest: float
    largest: float
    deviation: float
    summaries: dict[str, RegressionSummary]
    seconds: float


def simulate(request: RunRequest) -> Regressed:
    """Run the request. The model is written at the end, or not at all."""
    begun = time.perf_counter()
    models = _models(request)  # wrong parameters show before the file is opened
    with ExitStack() as stack:
        path = None if request.save is None else stack.enter_context(draft(request.save, request.file))
        stack.enter_context(compilation_announced(NAMED))
        stream, dropped = _opened(request)
        methods = [Method(name, model, []) for name, model in models.items()]
        with progress(request.name) as report:
            for chunk in _numbers(Watched(stream, report), request):
                for method in methods:
                    method.traces.append(_run(method.model, chunk))
        traces = {method.name: RegressionTrace.join(method.traces) for method in methods}
        y = traces[methods[0].name].y
        if y.min() == y.max():
            value = shown_number(float(y[0]))
            raise ValueError(f"{request.place} has only one value to predict, {value}: there is nothing to learn")
        if path is not None:
            methods[0].model.save(path)
            add_reading(path, origin_of(stream))
    return Regressed(
        request,
        stream,
        dropped,
        _target(stream, request),
        float(y.min()),
        float(y.max()),
        float(y.std()),
        {name: trace.summary() for name, trace in traces.items()},
        time.perf_counter() - begun,
    )


def _models(request: RunRequest) -> dict[str, StreamRegressor]:
    """The regressors by name: the one that was chosen, and those to compare with."""
    name = request.algorithm or "AROW"
    common: dict[str, Any] = {"random_state": request.seed or 0}
    main = {**common, "limit": request.limit} | ({} if request.rate is None else {"rate": request.rate})
    parameters, update = parse_parameters(request.parameters), NAMES.get(name)
    if update is None:
        raise ValueError(f"--regression has no algorithm {name!r}: choose one of {', '.join(NAMES)}")
    if unknown := set(parameters) - set(update._fields):  # type: ignore[attr-defined]
        raise ValueError(f"--param {unknown.pop()}: {name} has {', '.join(update._fields)}")  # type: ignore[attr-defined]
    rule = with_parameters(update, parameters)
    models = {name: StreamRegressor(rule, **main)}
    for word in [word.strip() for word in (request.against or "").split(",") if word.strip()]:
        if word == RANDOM:
            models[word] = StreamRegressor(rule, audit=1.0, **main)
        elif word == FULL:
            models[word] = StreamRegressor(rule, rate=1.0, **common)
        elif word in NAMES and word != name:
            models[word] = StreamRegressor(word, **main)
        else:
            raise ValueError(
                f"--against {word}: with --regression, give random, full or one of {', '.join(NAMES)}"
            )
    for model in models.values():
        model.spending_  # noqa: B018 - checks the parameters
    return models


def _opened(request: RunRequest) -> tuple[Stream, list[str]]:
    """The file as a stream of dense rows, and the columns that had to be left out for that."""
    stream = open_typed(request.file, request.reading)
    if not isinstance(stream, TypedTable) or not stream.plan.sparse:
        return stream, []
    names = [column.name for column in stream.plan.sparse]
    if request.is_pipe:
        raise ValueError(
            f"{request.place}: {', '.join(names)}: regression has no use for texts and categories of many levels, "
            f"and a pipe cannot be read again without them: give --drop {names[0]}"
        )
    reading = request.reading
    return open_typed(request.file, reading._replace(drop=[*(reading.drop or []), *names])), names


def _numbers(chunks: Any, request: RunRequest) -> Iterator[Chunk]:
    """The chunks, if their labels are numbers, which may be written as in a spreadsheet."""
    notation = PLAIN
    for chunk in chunks:
        if chunk.y is None:
            raise ValueError(f"{request.place} has no labels, but a simulation needs them: name them with --label")
        if chunk.y.dtype.kind not in "iuf":
            labels = chunk.y.tolist()
            notation = notation or notation_of_numbers(labels) or PLAIN
            chunk = chunk._replace(y=_written_numbers(labels, notation, request))
        yield chunk


def _written_numbers(labels: list[Any], notation: str, request: RunRequest) -> FloatArray:
    numbers = [number_of(label, notation) for label in labels]
    for label, number in zip(labels, numbers, strict=True):
        if number is None or math.isnan(number):
            raise ValueError(
                f"{request.place} has labels such as {label!s:.40}, and --regression predicts numbers: name the "
                "column with --label, or remove --regression"
            )
    return np.array(numbers, np.float64)


def _run(model: StreamRegressor, chunk: Chunk) -> RegressionTrace:
    if not isinstance(chunk.X, np.ndarray):
        raise ValueError("--regression needs dense rows: give a table of csv, tsv, jsonl, parquet or xlsx, or npz")
    return model.run(chunk.X, chunk.y)


def _target(stream: Stream, request: RunRequest) -> str:
    origin = origin_of(stream)
    column = origin.labels.column if isinstance(origin, TypedTable) else None
    return column or request.reading.label or "the label"


# ---------------------------------------------------------------------- the report


def show(result: Regressed, *, as_json: bool) -> None:
    """Print the results, as text or as JSON."""
    if as_json:
        print_json(_as_dict(result))
        return
    console = stdout()
    rows = next(iter(result.summaries.values())).rows
    limits = f"{shown_number(result.smallest)} to {shown_number(result.largest)}"
    console.print(f"{result.request.name}: {rows:,} rows, {result.target} from {limits}")
    if (columns := columns_of(result.stream)) is not None:
        console.print(f"Columns: {described(columns)}.")
    console.print()
    console.print(_table(result))
    console.print(f"\n{_sentence(result)}")
    for note in _notes(result):
        console.print(note)
    if result.request.save is not None:
        console.print(f"Wrote the model to {result.request.save}.", soft_wrap=True)


def _table(result: Regressed) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    table.add_column("")
    for heading in ("labels\nasked", "", "R²", "MAE", "RMSE", "RMSE estimated from\nasked labels"):
        table.add_column(heading, justify="right", no_wrap=True)
    for name, summary in result.summaries.items():
        found = summary.estimates["rmse"]
        limits = "too few labels" if found.value is None else interval(found)
        table.add_row(
            SHOWN_NAMES.get(name, name),
            *(f"{summary.asked:,}", _share(summary), f"{summary.errors.r2:.3f}"),
            *(shown_number(summary.errors.mae), shown_number(summary.errors.rmse)),
            "" if summary.asked == summary.rows else limits,
        )
    return table


def _sentence(result: Regressed) -> str:
    name, summary = next(iter(result.summaries.items()))
    found = summary.estimates["mae"]
    said = f"{name} asked for {_share(summary)} of the labels and was wrong by {shown_number(summary.errors.mae)} "
    said += "on average"
    if found.value is None or summary.asked == summary.rows:
        return f"{said}."
    return f"{said}; from the asked labels alone, that is estimated as {interval(found)}, with 95 % confidence."


def _share(summary: RegressionSummary) -> str:
    return f"{100 * summary.asked / summary.rows:.1f} %"


def _notes(result: Regressed) -> list[str]:
    summary = next(iter(result.summaries.values()))
    notes = nearly_numbers_note(result.stream)
    notes += unmatched_note(result.stream, result.request.reading.labels)
    if result.dropped:
        notes.append(
            f"Left out, because regression has no use for texts and categories of many levels: "
            f"{', '.join(result.dropped)}."
        )
    if not summary.errors.r2 > 0:
        deviation = shown_number(result.deviation)
        notes.append(f"Always predicting the mean would have an RMSE of {deviation}: check the features.")
    if summary.refused:
        notes.append(
            f"All {summary.asked:,} labels that the limit allows were asked for, and further rows only predicted. "
            f"{'' if summary.notes else summary.estimates['rmse'].note}".strip()
        )
    return notes + summary.notes


def _as_dict(result: Regressed) -> dict[str, Any]:
    columns = columns_of(result.stream)
    return {
        "file": str(result.request.file),
        "target": {"name": result.target, "smallest": result.smallest, "largest": result.largest},
        "columns": None
        if columns is None
        else [{"name": column.name, "kind": column.kind, "reason": column.reason} for column in columns],
        "left_out": result.dropped,
        "methods": [
            {"name": name, **_without_nan(summary.as_dict())} for name, summary in result.summaries.items()
        ],
        "sentence": _sentence(result),
        "notes": _notes(result),
        "written": {} if result.request.save is None else {"model": str(result.request.save)},
        "seconds": result.seconds,
    }


def _without_nan(summary: dict[str, Any]) -> dict[str, Any]:
    errors = {name: value if math.isfinite(value) else None for name, value in summary["errors"].items()}
    return {**summary, "errors": errors}
