"""`askance predict`: the classes of the rows of a file, by a saved model."""

from pathlib import Path
from typing import Annotated

import typer

from askance.cli import options
from askance.cli.options import option
from askance.cli.quick_start import quick_start
from askance.cli.targets import check_ending, require_extra

EXAMPLE = "Example:   askance predict customers.model new.csv --keep customer -o predictions.csv"
ENDINGS = (".csv", ".jsonl", ".parquet")

Model = Annotated[
    Path, typer.Argument(metavar="MODEL", show_default=False, help="A model of `askance run --save`.")
]
File = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        show_default=False,
        help=f"Rows: {options.FORMATS}. They need no labels. {options.TEXTS}",
    ),
]
Out = Annotated[
    Path | None,
    option("Write to a .csv, .jsonl or .parquet file instead of stdout.", "FILE", None, "--out", "-o"),
]
Keep = Annotated[
    list[str] | None, option("A column of FILE to copy beside the predictions. Can be repeated.", "COLUMN")
]


def predict(
    model: Model,
    file: File,
    out: Out = None,
    keep: Keep = None,
    json: options.Json = False,
    format: options.Format = None,  # noqa: A002 - the word that users expect
    delimiter: options.Delimiter = None,
) -> None:
    """Predict the class of each row of FILE, which is read as the file was that MODEL has learned from.

    The table has the number of the row (from 0), the columns to keep, the
    prediction, the probability of each class (of more than ten, of the predicted
    one) and the doubt: the probability that the prediction is wrong.
    """
    check_ending(out, "--out", ENDINGS)
    if json and out is None:
        raise ValueError("--json prints a summary, so the predictions need a file: give --out too")
    if out is not None and out.suffix.lower() == ".parquet":
        require_extra("pyarrow")
    with quick_start():
        from askance.cli.commands.predict import work
        from askance.cli.commands.predict.request import PredictRequest

    work.predict(PredictRequest(model, file, out, keep or [], format, delimiter), as_json=json)
