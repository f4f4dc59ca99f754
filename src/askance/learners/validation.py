"""Checks of what users pass to learners, with the errors that scikit-learn expects."""

import re
from typing import Any

from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d, validate_data

from askance.data.mixed import MixedRows
from askance.learners import labels

TABLE_HINT = ": read the file with askance.data.read_table, or encode the table with askance.data.TableEncoder"


def remembers_scores(learner: Any) -> bool:
    """Whether `predict_proba` is available; AttributeError with the reason if it is not."""
    if not learner.probability:
        raise AttributeError(
            "predict_proba needs the scores of labelled rows: pass probability=True to the learner"
        )
    return True


def refuse_mixed(X: Any) -> None:
    """Raise TypeError for rows that only AutoLearner can learn from."""
    if isinstance(X, MixedRows):
        raise TypeError(
            "rows with a dense and a sparse part are for AutoLearner: read the table with data.read, or encode it "
            "with TableEncoder(output='matrix')"
        )


def check_names(learner: Any, x: Any) -> None:
    """Raise ValueError for a row of a data frame whose columns are not those of the frame in `fit`."""
    if hasattr(x, "iloc") and len(x.shape) == 2 and hasattr(learner, "feature_names_in_"):
        validate_data(learner, x, reset=False, skip_check_array=True)


def as_targets(y: ArrayLike, n_rows: int) -> NDArray[Any]:
    """`y` as an array of one class label per row, with the errors and warnings that scikit-learn expects."""
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")
    targets = labels.as_labels(column_or_1d(y, warn=True), n_rows)
    check_classification_targets(targets)
    return targets


def in_one_line(message: str) -> str:
    """scikit-learn's message without the data that it shows and without its advice on other estimators."""
    first = re.sub(r"\s*array=.*?\]\.(?=\s)", "", message, flags=re.DOTALL).split("\nLearner does not accept")[0]
    hint = TABLE_HINT if message.startswith("could not convert string") else ""
    return " ".join(first.split())[:250] + hint
