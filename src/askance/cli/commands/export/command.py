"""`askance export`: a saved model for other programs."""

from pathlib import Path
from typing import Annotated

from askance.cli import options
from askance.cli.commands.predict.command import Model
from askance.cli.options import option
from askance.cli.quick_start import quick_start
from askance.cli.targets import require_extra

EXAMPLE = "Example:   askance export customers.model --to onnx -o customers.onnx"
FORMATS = ("sklearn", "onnx", "json", "vw")
BINARY = ("sklearn", "onnx")

To = Annotated[
    str,
    option(
        "sklearn: a scikit-learn estimator, for joblib.load. onnx: a graph for any ONNX runtime. json: the "
        "weights, to read. vw: labelled rows for Vowpal Wabbit.",
        "FORMAT",
        show_default=False,
    ),
]
Out = Annotated[
    Path | None,
    option("The file to write. json and vw go to stdout without it.", "FILE", None, "--out", "-o"),
]


def export(model: Model, to: To, out: Out = None, json: options.Json = False) -> None:
    """Write MODEL in a form that other programs can use.

    A linear model and, for onnx and json, the automatic learner predict the same
    there. For sklearn and vw, the automatic learner gives the labelled rows that
    it remembers: sklearn is a model that was fitted to them. What cannot be
    exported is refused.
    """
    if to not in FORMATS:
        raise ValueError(f"--to {to}: the formats are {', '.join(FORMATS)}")
    if out is None and to in BINARY:
        raise ValueError(f"--to {to} is not text: give --out too")
    if json and out is None:
        raise ValueError("--json prints a summary, so the export needs a file: give --out too")
    if to == "onnx":
        require_extra("onnx")
    with quick_start():
        from askance.cli.commands.export import work

    work.export(work.ExportRequest(model, to, out), as_json=json)
