"""Model files of SVM+: reading."""

from askance._util.saving import (
    Arrays,
    Header,
    class_array,
    matrix_of,
    numbers,
    rebuilt,
    take_features,
)
from askance.errors import ModelFileError
from askance.pool.svm_plus.correcting import FittedSVMPlus
from askance.pool.svm_plus.estimator import KIND, SVMPlus
from askance.pool.svm_plus.feature_space import Functions, Space


def from_bytes(content: bytes) -> SVMPlus:
    """The model in the content of a file; raises ModelFileError if it is damaged or holds something else."""
    return rebuilt(content, KIND, "an SVM+", from_parts)


def from_parts(header: Header, arrays: Arrays) -> SVMPlus:
    """The model with this header and these arrays."""
    model = SVMPlus(**header["parameters"])
    model._check_parameters()
    if not isinstance(model.kernel, str) or not isinstance(model.privileged_kernel, str):
        raise ModelFileError("has a kernel that is not a name")
    features, others = take_features(model, header), header["n_privileged_features"]
    corrects = header["corrects"]
    if type(others) is not int or others < 0 or type(corrects) is not bool:
        raise ModelFileError(f"has {others!r} privileged features: there must be 0 or more")
    classes = class_array(header["classes"])
    count = len(classes) if len(classes) > 2 else 1
    scores = _functions(model.kernel, "scores", features, count, header, arrays, model)
    slacks = _functions(model.privileged_kernel, "slacks", others if corrects else 0, count, header, arrays, model)
    fitted = FittedSVMPlus(
        scores,
        numbers(arrays, "duals", (count, None)),
        numbers(arrays, "intercepts", (count,)),
        slacks,
        numbers(arrays, "slack_duals", (count, None)),
        numbers(arrays, "slack_intercepts", (count,)),
        numbers(arrays, "objectives", (count,), finite=False),
        numbers(arrays, "gaps", (count,), finite=False),
    )
    model._take(fitted, corrects=corrects)
    model.classes_, model.n_privileged_features_in_ = classes, others
    return model


def _functions(
    kernel: str, name: str, features: int, count: int, header: Header, arrays: Arrays, model: SVMPlus
) -> Functions:
    """The functions of one view."""
    gamma = header[f"{name}_gamma"]
    if not isinstance(gamma, float) or not gamma > 0:
        raise ModelFileError(f"has a kernel with gamma {gamma!r}")
    space = Space(kernel, gamma, model.degree, model.coef0, None)
    if kernel == "linear" or not features:
        return Functions(space, None, numbers(arrays, f"{name}/lines", (count, features)))
    rows = matrix_of(arrays, f"{name}/rows", features)
    return Functions(space, rows, numbers(arrays, f"{name}/lines", (count, rows.shape[0])))
