"""`askance predict` with a model of several labels per row."""

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from askance._util.class_names import shown_class
from askance.cli.commands.predict.limits import MOST_COLUMNS
from askance.cli.commands.predict.portions import numbered
from askance.cli.commands.predict.request import PredictRequest
from askance.cli.commands.predict.writers import Columns, csv_writer, file_writer
from askance.cli.output.console import print_json, stdout
from askance.cli.targets import draft
from askance.data.model_rows import ModelRows
from askance.data.stacking import of_width
from askance.multilabel.learner import MultiLabelLearner

ROW, LABELS, PROBABILITIES, DOUBT = "row", "labels", "probabilities", "doubt"


class Summary(NamedTuple):
    """The number of rows, how often each label was predicted, and the sum of all doubts."""

    rows: int
    labels: dict[str, int]
    doubt: float

    @property
    def per_row(self) -> float:
        """The mean number of predicted labels."""
        return sum(self.labels.values()) / self.rows


def columns_of_labels(model: MultiLabelLearner) -> list[str]:
    """The columns of the output, apart from those that are kept."""
    names = [shown_class(value) for value in model.classes_.tolist()]
    figures = [f"p({name})" for name in names] if len(names) <= MOST_COLUMNS else [PROBABILITIES]
    return [ROW, LABELS, *figures, DOUBT]


def predict_labels(
    model: MultiLabelLearner, rows: ModelRows, request: PredictRequest, types: dict[str, Any], *, as_json: bool
) -> None:
    """Write the labels of the rows, and a summary if they go to a file."""
    if request.out is None:
        write = csv_writer(sys.stdout, types)
        for columns in _predicted(model, rows, request.name, is_quiet=sys.stdout.isatty()):
            write(columns)
        return
    summary = _to_file(model, rows, request, request.out, types)
    if as_json:
        print_json({**summary._asdict(), "doubt": summary.doubt / summary.rows, "out": str(request.out)})
        return
    counts = sorted(summary.labels.items(), key=lambda item: -item[1])
    listed = ", ".join(f"{count:,} {name}" for name, count in counts[:MOST_COLUMNS])
    more = f" and {len(counts) - MOST_COLUMNS} other labels" if len(counts) > MOST_COLUMNS else ""
    console = stdout()
    console.print(f"{request.name}: {summary.rows:,} rows with {summary.per_row:.2f} labels each: {listed}{more}.")
    console.print(f"Mean doubt {summary.doubt / summary.rows:.3f}.")
    console.print(f"Wrote the predictions to {request.out}.", soft_wrap=True)


def _predicted(
    model: MultiLabelLearner, rows: ModelRows, title: str, *, is_quiet: bool = False
) -> Iterator[Columns]:
    """The columns of the output, some rows at a time."""
    names, own = model.classes_, columns_of_labels(model)
    for first, portion in numbered(rows, title, is_quiet=is_quiet):
        X = of_width(portion.X, model.n_features_in_)
        found = model.predict_proba(X)
        carried = model.predict(X) > 0
        figures: list[Any] = list(found.T)
        if own[2] == PROBABILITIES:  # those of the predicted labels
            pairs = zip(found, carried, strict=True)
            figures = [[np.round(row[labels], 6).tolist() for row, labels in pairs]]
        doubt = np.minimum(found, 1 - found).max(axis=1)
        values = [[names[row].tolist() for row in carried], *figures, doubt]
        own_columns = dict(zip(own[1:], values, strict=True))
        yield {ROW: range(first, first + len(found)), **portion.kept, **own_columns}


def _to_file(
    model: MultiLabelLearner, rows: ModelRows, request: PredictRequest, out: Path, types: dict[str, Any]
) -> Summary:
    count, doubt, labels = 0, 0.0, Counter[Any]()
    ending = out.suffix.lower()
    if ending == ".parquet":
        types = {**types, **_types_of_lists(model)}
    with draft(out, request.model, request.file) as path, file_writer(path, ending, types) as write:
        for columns in _predicted(model, rows, request.name):
            write(columns)
            count += len(columns[ROW])
            doubt += float(np.asarray(columns[DOUBT]).sum())
            labels.update(label for row in columns[LABELS] for label in row)
    return Summary(count, {shown_class(name): labels[name] for name in model.classes_.tolist()}, doubt)


def _types_of_lists(model: MultiLabelLearner) -> dict[str, Any]:
    """The types of columns of lists in a Parquet file, whose first ones may all be empty."""
    import pyarrow

    names = pyarrow.array(model.classes_.tolist()).type
    return {LABELS: pyarrow.list_(names), PROBABILITIES: pyarrow.list_(pyarrow.float64())}
