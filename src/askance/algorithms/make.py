"""Making a learner from a paper's name. The types of the parameters are in `make.pyi`, which is generated."""

from collections.abc import Sequence
from typing import Any

from askance.algorithms import look_up
from askance.learners.learner import Learner


def make(
    name: str,
    *,
    random_state: int = 0,
    dtype: str = "float32",
    classes: Sequence[Any] | None = None,
    **parameters: Any,
) -> Learner:
    """Make the learner that a paper calls `name`.

    Parameters
    ----------
    name : str
        A name of `askance.catalog`.
    random_state, dtype, classes
        As in `Learner`.
    **parameters
        The paper's parameters, such as `C` and `delta`.

    Returns
    -------
    Learner
        The learner, which has not learned anything yet.

    Raises
    ------
    ValueError
        If the catalog does not have the name, or the name does not have a parameter.

    Examples
    --------
    >>> import askance
    >>> learner = askance.make("PAA-II", C=0.5, delta=1.0)
    >>> learner.update, learner.query
    (PassiveAggressive2(C=0.5), Margin(b=1.0, offset=0.0))
    """
    return look_up(name)(random_state=random_state, dtype=dtype, classes=classes, **parameters)
