"""The work of `askance evaluate`: predict a labelled file and report how well."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from askance._util.class_names import shown_class
from askance.cli.contest.source import check_are_like
from askance.cli.output.console import print_json, stdout
from askance.cli.output.progress import progress, shares
from askance.cli.predicting import load_model, name_of
from askance.data.cells import level_of
from askance.data.model_rows import read_for_model
from askance.data.tables import kind_of_labels, label_of
from askance.metrics.estimates import Estimate
from askance.metrics.evaluation import UNKNOWN, Evaluation
from askance.metrics.positive import place_of_class

TITLES = {
    "accuracy": "accuracy",
    "auroc": "AUROC",
    "log_loss": "log loss",
    "calibration_error": "calibration error",
}
OF_CLASS = {"f": "F", "precision": "precision", "recall": "recall"}
WIDEST_TABLE = 7  # classes; of more, only what is confused most is shown
SHOWN = 10
LONGEST_NAME = 12
OTHERS = "other classes"  # those that the model does not know


class EvaluateRequest(NamedTuple):
    """The arguments and options of `askance evaluate`."""

    model: Path
    file: Path
    positive: str | None
    label: str | None
    format: str | None
    delimiter: str | None

    @property
    def name(self) -> str:
        """The file in reports."""
        return name_of(self.file)


class EvaluationResult(NamedTuple):
    """What was found."""

    request: EvaluateRequest
    evaluation: Evaluation

    @property
    def positive(self) -> Any:
        """The positive class; None of more than two, unless one was named."""
        return self.evaluation.positive(self.request.positive)

    @property
    def estimates(self) -> dict[str, Estimate]:
        """The figures, by metric."""
        return self.evaluation.estimates(self.request.positive)


def evaluate(request: EvaluateRequest) -> EvaluationResult:
    """Predict all rows and compare."""
    model = load_model(request.model)
    if request.positive is not None:
        place_of_class(request.positive, model.classes.tolist())  # a wrong name shows before the file is read
    rows = read_for_model(
        request.model, request.file, format=request.format, label=request.label, delimiter=request.delimiter
    )
    found = Evaluation(model.classes.tolist())
    with progress(request.name) as report:
        for portion in rows.portions():
            assert portion.y is not None
            predictions = model.predict(portion.X)
            scores = predictions.scores if predictions.scores.ndim == 1 else None
            codes = codes_of(portion.y, model.classes, str(request.file))
            found.add(codes, predictions.codes, predictions.probabilities, scores)
            shares(report)(portion.progress)
    return EvaluationResult(request, found)


def as_classes(y: NDArray[Any], classes: list[Any]) -> NDArray[Any]:
    """Labels of another kind as the classes that are written alike: CSV has texts where Parquet has booleans."""
    by_name = {_name_of(value): value for value in classes}
    if (y.dtype.kind == "U") == isinstance(classes[0], str) or len(by_name) < len(classes):
        return y
    found = [by_name.get(_name_of(value)) for value in y.tolist()]
    return y if None in found else np.array(found)


def _name_of(value: Any) -> str:
    """How a label is written, without regard to its kind."""
    if isinstance(value, str):
        value = label_of(value, kind_of_labels([value]))
    name = level_of(value)
    return name.lower() if name.lower() in ("true", "false") else name


def codes_of(y: NDArray[Any], classes: NDArray[Any], place: str) -> NDArray[np.intp]:
    """The places of labels among the classes; UNKNOWN for others."""
    y = as_classes(y, classes.tolist())
    check_are_like(y, classes.tolist(), place)
    places = np.minimum(np.searchsorted(classes, y), len(classes) - 1)
    return np.where(classes[places] == y, places, UNKNOWN)


def show(result: EvaluationResult, *, as_json: bool) -> None:
    """Print the figures, as text or as JSON."""
    if as_json:
        print_json(_as_dict(result))
        return
    evaluation, request = result.evaluation, result.request
    console = stdout()
    names = [shown_class(value) for value in evaluation.classes]
    classes = ", ".join(names[:SHOWN]) + (", …" if len(names) > SHOWN else "")
    console.print(f"{request.name}: {evaluation.rows:,} rows, {len(names)} classes: {classes}\n")
    console.print(_figures(result))
    console.print()
    for metric, found in result.estimates.items():
        if found.note:
            console.print(f"{_title(result, metric)}: {found.note}\n")
    console.print(_confusion(evaluation, names) if len(names) <= WIDEST_TABLE else _confused(evaluation, names))
    if evaluation.unknown:
        console.print(
            f"\n{_rows(evaluation.unknown)} a class that the model does not know, which counts as a mistake "
            "except in AUROC and log loss."
        )


def _rows(count: int) -> str:
    return "One row has" if count == 1 else f"{count:,} rows have"


def _figures(result: EvaluationResult) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("")
    table.add_column("", justify="right")
    table.add_column("95 % interval")
    for metric, found in result.estimates.items():
        value = "–" if found.value is None else f"{found.value:.3f}"
        limits = "" if found.low is None or found.high is None else f"{found.low:.3f}–{found.high:.3f}"
        table.add_row(_title(result, metric), value, limits)
    return table


def _title(result: EvaluationResult, metric: str) -> str:
    return TITLES.get(metric) or f"{OF_CLASS[metric]} of {_short(shown_class(result.positive), 40)!r}"


def _confusion(evaluation: Evaluation, names: list[str]) -> Table:
    """Rows by true class, columns by predicted class."""
    widest = LONGEST_NAME if len(names) <= 4 else 8
    shorter = [_short(name, widest) for name in names]
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("true class \\ predicted")
    for name in shorter:
        table.add_column(name, justify="right", no_wrap=True)
    for name, counts in _rows_of_confusion(evaluation, names):
        table.add_row(_short(name, 22), *(f"{count:,}" for count in counts))
    return table


def _rows_of_confusion(evaluation: Evaluation, names: list[str]) -> Iterator[tuple[str, list[int]]]:
    """Each true class, with its rows by predicted class; classes that the model does not know are one."""
    yield from zip(names, evaluation.confusion.tolist(), strict=True)
    if evaluation.unknown:
        yield OTHERS, evaluation.confusion_of_unknown.tolist()


def _confused(evaluation: Evaluation, names: list[str]) -> Table:
    """The pairs of classes that are confused most, of many classes."""
    true_names, counts = zip(*_rows_of_confusion(evaluation, names), strict=True)
    wrong = np.array(counts)
    np.fill_diagonal(wrong, 0)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for heading in ("confused most: true class", "predicted"):
        table.add_column(heading)
    table.add_column("rows", justify="right")
    for flat in np.argsort(-wrong, axis=None, kind="stable")[:SHOWN]:
        true, predicted = divmod(int(flat), len(names))
        if wrong[true, predicted]:
            table.add_row(
                _short(true_names[true], 25), _short(names[predicted], 25), f"{wrong[true, predicted]:,}"
            )
    return table


def _short(name: str, most: int) -> str:
    return name if len(name) <= most else f"{name[: most - 1]}…"


def _as_dict(result: EvaluationResult) -> dict[str, Any]:
    evaluation, request = result.evaluation, result.request
    return {
        "file": str(request.file),
        "model": str(request.model),
        "rows": evaluation.rows,
        "classes": evaluation.classes,
        "positive": result.positive,
        "metrics": {name: found.as_dict() for name, found in result.estimates.items()},
        "confusion": evaluation.confusion,
        "confusion_of_unknown_classes": evaluation.confusion_of_unknown,
        "of_classes": {shown_class(name): found._asdict() for name, found in evaluation.figures().items()},
        "rows_of_unknown_classes": evaluation.unknown,
    }
