"""The work of `askance export`."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import joblib  # type: ignore[import-untyped]

from askance.auto.learner import AutoLearner
from askance.cli.output.console import print_json, stdout
from askance.cli.targets import draft
from askance.export import labelled_rows, to_json, to_onnx, to_sklearn, to_vw
from askance.persistence import load


class ExportRequest(NamedTuple):
    """The arguments and options of `askance export`."""

    model: Path
    to: str
    out: Path | None


def export(request: ExportRequest, *, as_json: bool) -> None:
    """Write the export, and say what it is if it goes to a file."""
    if request.out is None:
        for line in _lines(request):
            sys.stdout.write(f"{line}\n")
        return
    with draft(request.out, request.model) as path, path.open("wb") as file:
        _write(request, file)
    what = _described(request)
    if as_json:
        print_json({"model": str(request.model), "to": request.to, "out": str(request.out), "what": what})
    else:
        stdout().print(f"Wrote {what} to {request.out}.", soft_wrap=True)


def _write(request: ExportRequest, file: BinaryIO) -> None:
    if request.to == "sklearn":
        joblib.dump(to_sklearn(request.model), file)
    elif request.to == "onnx":
        file.write(to_onnx(request.model).SerializeToString())
    else:
        for line in _lines(request):
            file.write(f"{line}\n".encode())


def _lines(request: ExportRequest) -> Iterator[str]:
    if request.to == "vw":
        return to_vw(request.model)
    return iter([json.dumps(to_json(request.model), indent=1, ensure_ascii=False)])


def _described(request: ExportRequest) -> str:
    """What was written, in words."""
    learner: Any = load(request.model)
    same = "which predicts the same"
    if request.to == "json":
        return "the weights"
    if request.to == "onnx":
        return f"an ONNX model, {same},"
    if not isinstance(learner, AutoLearner):
        return f"a scikit-learn estimator, {same},"
    count = len(labelled_rows(learner).y)
    if request.to == "vw":
        return f"{count:,} labelled rows"
    return f"a scikit-learn model, fitted to the {count:,} labelled rows that the learner remembers,"
