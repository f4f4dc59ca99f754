"""The work of `askance predict`: read, predict and write some rows at a time."""

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from askance._util.class_names import shown_class
from askance.cli.commands.predict.labels import columns_of_labels, predict_labels
from askance.cli.commands.predict.limits import MOST_COLUMNS
from askance.cli.commands.predict.numbers import OWN, predict_numbers
from askance.cli.commands.predict.portions import numbered
from askance.cli.commands.predict.request import PredictRequest
from askance.cli.commands.predict.writers import Columns, csv_writer, file_writer
from askance.cli.output.console import print_json, stdout
from askance.cli.predicting import Model, Predictions, as_in_file, as_model
from askance.cli.targets import draft
from askance.data.cells import RawColumn
from askance.data.model_rows import ModelRows, read_for_model
from askance.data.parquet import parquet_types
from askance.learners.regression.regressor import StreamRegressor
from askance.multilabel.learner import MultiLabelLearner
from askance.persistence import load


class Summary(NamedTuple):
    """The number of rows, and of predictions of each class; the sum of all doubts."""

    rows: int
    predictions: dict[Any, int]
    doubt: float


def predict(request: PredictRequest, *, as_json: bool) -> None:
    """Write the predictions, and a summary if they go to a file."""
    loaded = load(request.model)
    is_regressor, has_several = isinstance(loaded, StreamRegressor), isinstance(loaded, MultiLabelLearner)
    if is_regressor:
        own = OWN
    else:
        own = columns_of_labels(loaded) if has_several else columns_of(as_model(loaded, request.model))
    _check_names(request.keep, own)
    rows = read_for_model(
        request.model, request.file, format=request.format, keep=request.keep, delimiter=request.delimiter
    )
    types = _kept_types(request)
    if is_regressor:
        predict_numbers(loaded, rows, request, types, as_json=as_json)
        return
    if has_several:
        predict_labels(loaded, rows, request, types, as_json=as_json)
        return
    model = as_model(loaded, request.model)
    if request.out is None:
        write = csv_writer(sys.stdout, types)
        for columns, _ in _predicted(model, rows, request.name, is_quiet=sys.stdout.isatty()):
            write(columns)
        return
    summary = _to_file(request, request.out, model, rows, types)
    if as_json:
        print_json(_as_dict(summary, request.out))
    else:
        _show(summary, request)


def columns_of(model: Model) -> list[str]:
    """The columns of the output, apart from those that are kept."""
    names = [shown_class(value) for value in model.classes.tolist()]
    figures = ["score"]
    if model.has_probabilities:
        figures = [f"p({name})" for name in names] if len(names) <= MOST_COLUMNS else ["probability"]
    return ["row", "prediction", *figures, "doubt"]


def _check_names(keep: list[str], own: list[str]) -> None:
    for place, name in enumerate(keep):
        if name in own:
            raise ValueError(
                f"--keep {name}: the predictions have a column of this name: rename the one in the file"
            )
        if name in keep[:place]:
            raise ValueError(f"--keep {name} is given twice: remove one")


def _predicted(
    model: Model, rows: ModelRows, title: str, *, is_quiet: bool = False
) -> Iterator[tuple[Columns, Predictions]]:
    """The columns of the output, some rows at a time."""
    for first, portion in numbered(rows, title, is_quiet=is_quiet):
        found = model.predict(portion.X)
        yield _columns(model, found, portion.kept, first), found


def _columns(model: Model, found: Predictions, kept: dict[str, RawColumn], first: int) -> Columns:
    codes = found.codes
    figures: list[Any] = []
    if found.probabilities is None:
        figures = [found.scores if found.scores.ndim == 1 else found.scores.max(axis=1)]
    elif found.probabilities.shape[1] <= MOST_COLUMNS:
        figures = list(found.probabilities.T)
    else:
        figures = [found.probabilities.max(axis=1)]
    row, prediction, *others = columns_of(model)
    own = dict(zip(others, [*figures, found.doubt], strict=True))
    return {row: range(first, first + len(codes)), **kept, prediction: as_in_file(model.classes[codes]), **own}


def _to_file(request: PredictRequest, out: Path, model: Model, rows: ModelRows, types: dict[str, Any]) -> Summary:
    total, doubt, counts = 0, 0.0, Counter[Any]()
    with draft(out, request.model, request.file) as path, file_writer(path, out.suffix.lower(), types) as write:
        for columns, found in _predicted(model, rows, request.name):
            write(columns)
            total += len(found.codes)
            doubt += float(found.doubt.sum())
            counts.update(found.codes.tolist())
    names = [shown_class(value) for value in model.classes.tolist()]
    return Summary(total, {names[code]: counts[code] for code in sorted(counts)}, doubt)


def _kept_types(request: PredictRequest) -> dict[str, Any]:
    """The types of kept columns in a Parquet file; None for those of other files."""
    types: dict[str, Any] = dict.fromkeys(request.keep)
    if request.keep and (request.format or request.file.suffix.lower().lstrip(".")) == "parquet":
        types |= {name: kind for name, kind in parquet_types(request.file).items() if name in types}
    return types


def _show(summary: Summary, request: PredictRequest) -> None:
    counts = sorted(summary.predictions.items(), key=lambda item: -item[1])
    listed = ", ".join(f"{count:,} {name}" for name, count in counts[:MOST_COLUMNS])
    more = f" and {len(counts) - MOST_COLUMNS} other classes" if len(counts) > MOST_COLUMNS else ""
    console = stdout()
    console.print(f"{request.name}: {summary.rows:,} rows, predicted {listed}{more}.")
    console.print(f"Mean doubt {summary.doubt / summary.rows:.3f}.")
    console.print(f"Wrote the predictions to {request.out}.", soft_wrap=True)


def _as_dict(summary: Summary, out: Path) -> dict[str, Any]:
    mean = summary.doubt / summary.rows
    return {"rows": summary.rows, "predictions": summary.predictions, "mean_doubt": mean, "out": str(out)}
