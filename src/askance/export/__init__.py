"""Models for other libraries: scikit-learn, ONNX, plain JSON, and labelled rows to fit anything else to."""

from askance.export.as_json import to_json
from askance.export.as_onnx import to_onnx
from askance.export.as_sklearn import to_sklearn
from askance.export.as_vw import to_vw
from askance.export.labelled import LabelledRows, labelled_rows, refit

__all__ = ["LabelledRows", "labelled_rows", "refit", "to_json", "to_onnx", "to_sklearn", "to_vw"]
