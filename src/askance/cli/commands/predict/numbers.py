"""`askance predict` with a model of numbers: one prediction per row, and nothing else."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from askance.cli.commands.predict.portions import numbered
from askance.cli.commands.predict.request import PredictRequest
from askance.cli.commands.predict.writers import Columns, csv_writer, file_writer
from askance.cli.output.console import print_json, stdout
from askance.cli.targets import draft
from askance.data.model_rows import ModelRows
from askance.data.stacking import of_width
from askance.learners.regression.regressor import StreamRegressor
from askance.learners.regression.trace import shown_number

OWN = ["row", "prediction"]


def predict_numbers(
    model: StreamRegressor, rows: ModelRows, request: PredictRequest, types: dict[str, Any], *, as_json: bool
) -> None:
    """Write the predictions, and a summary if they go to a file."""
    if request.out is None:
        write = csv_writer(sys.stdout, types)
        for columns in _predicted(model, rows, request.name, is_quiet=sys.stdout.isatty()):
            write(columns)
        return
    values = _to_file(model, rows, request, request.out, types)
    if as_json:
        print_json({"rows": len(values), "mean": float(values.mean()), "out": str(request.out)})
        return
    low, mean, high = (shown_number(value) for value in (values.min(), values.mean(), values.max()))
    console = stdout()
    console.print(f"{request.name}: {len(values):,} rows, predicted {low} to {high}, {mean} on average.")
    console.print(f"Wrote the predictions to {request.out}.", soft_wrap=True)


def _predicted(
    model: StreamRegressor, rows: ModelRows, title: str, *, is_quiet: bool = False
) -> Iterator[Columns]:
    for first, portion in numbered(rows, title, is_quiet=is_quiet):
        found = model.predict(of_width(portion.X, model.n_features_in_))
        yield {"row": range(first, first + len(found)), **portion.kept, "prediction": found.tolist()}


def _to_file(
    model: StreamRegressor, rows: ModelRows, request: PredictRequest, out: Path, types: dict[str, Any]
) -> Any:
    values = []
    with draft(out, request.model, request.file) as path, file_writer(path, out.suffix.lower(), types) as write:
        for columns in _predicted(model, rows, request.name):
            write(columns)
            values.append(columns["prediction"])
    return np.concatenate(values)
