"""Model files of `Rossel`: reading."""

from askance._util.parameters import check_parameters
from askance._util.saving import Arrays, Header, class_array, numbers, rebuilt, take_features
from askance.errors import ModelFileError
from askance.semi_supervised.rossel import KIND, LIMITS, Rossel


def from_bytes(content: bytes) -> Rossel:
    """The classifier in the content of a file; raises ModelFileError if it is damaged or holds something else."""
    return rebuilt(content, KIND, "a Rossel", _rebuilt)


def _rebuilt(header: Header, arrays: Arrays) -> Rossel:
    model = Rossel(**header["parameters"])
    check_parameters(model, LIMITS)
    features = take_features(model, header)
    model.classes_ = class_array(header["classes"])
    count = len(model.classes_) if len(model.classes_) > 2 else 1
    model.coef_ = numbers(arrays, "coef_", (count, features))
    model.intercept_ = numbers(arrays, "intercept_", (count,))
    model.weights_ = numbers(arrays, "weights_", (count, model.n_estimators))
    model.objectives_ = numbers(arrays, "objectives_", (count, model.n_rounds), finite=False)
    model.gaps_ = numbers(arrays, "gaps_", (count, model.n_rounds), finite=False)
    if type(header["n_iter"]) is not int or header["n_iter"] < 0:
        raise ModelFileError(f"has {header['n_iter']!r} passes: there must be 0 or more")
    model.n_iter_ = header["n_iter"]
    return model
