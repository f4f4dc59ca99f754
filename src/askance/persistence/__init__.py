"""Loading models from files, whichever estimator wrote them.

Every estimator has a method `save`. A file names its kind, and holds numbers and a checksum, never code.
"""

import os
from collections.abc import Callable
from importlib import import_module
from typing import Any

from askance._util.sealed_file import header_of, read
from askance.data.known_reading import remember_reading
from askance.errors import ModelFileError
from askance.fleet.files import is_fleet_file
from askance.fleet.files import load as load_fleet
from askance.learners.files import from_bytes

__all__ = ["load"]

HEAD = 72  # bytes that tell a fleet, which may be larger than memory, from other models

# The modules that read the other kinds. They are imported only for a file of that kind.
READERS = {
    "auto_learner": "askance.auto.files",
    "multilabel_learner": "askance.multilabel.files",
    "privileged_selector": "askance.pool.files",
    "ratings": "askance.ratings.files",
    "regressor": "askance.learners.regression.files",
    "rossel": "askance.semi_supervised.files",
    "svm_plus": "askance.pool.svm_plus.files",
}


def load(path: str | os.PathLike[str], rules: tuple[type, ...] = ()) -> Any:
    """Load a model that `save` of any estimator wrote.

    A learner that `askance run --save` wrote also knows how its file was read. Its `predict`, `predict_proba` and
    `iter_predict` take the path of another file, a data frame, a list of dictionaries, or an iterable of frames.

    Parameters
    ----------
    path : path-like
        The file.
    rules : tuple of classes, default=()
        Rules of your own that a learner in the file uses. The rules of askance are known.

    Returns
    -------
    estimator
        A `Learner`, `AutoLearner`, `MultiLabelLearner`, `StreamRegressor`, `OMCSL`, `Fleet`, `Rossel`, `SVMPlus`,
        `PrivilegedSelector` or `MaxMarginFactorization`.

    Raises
    ------
    ModelFileError
        If the file is damaged or not a model.

    Examples
    --------
    >>> import tempfile, askance
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     askance.make("PAA-II", C=0.5).save(f"{folder}/filter.model")
    ...     askance.load(f"{folder}/filter.model").update
    PassiveAggressive2(C=0.5)
    """
    if _is_fleet(path):
        return load_fleet(path)
    content = read(path)
    try:
        return model_of(content, rules)
    except ModelFileError as error:
        raise ModelFileError(f"{path} {error}") from None


def model_of(content: bytes, rules: tuple[type, ...] = ()) -> Any:
    """Return the model in the content of a file of any kind but fleets, which may be larger than memory."""
    header = header_of(content)
    kind = header.get("kind")
    if kind is None:
        model: Any = from_bytes(content, rules)
    elif kind in READERS:
        read_kind: Callable[[bytes], Any] = import_module(READERS[kind]).from_bytes
        model = read_kind(content)
    else:
        raise ModelFileError(f"holds a model of kind {kind!r}, which this version does not know")
    remember_reading(model, header)
    return model


def _is_fleet(path: str | os.PathLike[str]) -> bool:
    try:
        with open(path, "rb") as file:
            return is_fleet_file(file.read(HEAD))
    except OSError:
        return False  # `read` says why
