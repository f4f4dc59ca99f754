"""Model files of `PrivilegedSelector`: reading."""

from askance._util.saving import Arrays, Header, class_array, rebuilt, take_features
from askance.errors import ModelFileError
from askance.pool.selector import KIND, PrivilegedSelector
from askance.pool.svm_plus.estimator import SVMPlus
from askance.pool.svm_plus.files import from_parts


def from_bytes(content: bytes) -> PrivilegedSelector:
    """The selector in the content of a file; raises ModelFileError if it is damaged or holds something else."""
    return rebuilt(content, KIND, "a PrivilegedSelector", _rebuilt)


def _rebuilt(header: Header, arrays: Arrays) -> PrivilegedSelector:
    prototype = header["prototype"]
    selector = PrivilegedSelector(None if prototype is None else SVMPlus(**prototype), **header["parameters"])
    selector._check_parameters()
    take_features(selector, header)
    selector.classes_ = class_array(header["classes"], least=1)
    flags = header["had_privileged"], header["corrects"]
    if not all(type(flag) is bool for flag in flags):
        raise ModelFileError("does not say whether it was given privileged features")
    selector.had_privileged_, selector.corrects_ = flags
    selector.model_ = None
    if header["model"] is not None:
        prefix = "model/"
        own = {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
        selector.model_ = from_parts(header["model"], own)
        if selector.model_.n_features_in_ != selector.n_features_in_:
            raise ModelFileError("has a model with another number of features")
    return selector
