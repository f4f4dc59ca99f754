"""Making a learner from a paper's name. The types of the parameters are in `make.pyi`, which is generated."""

from collections.abc import Sequence
from typing import Any

from askance.algorithms import look_up
from askance.auto.learner import AutoLearner
from askance.auto.settings import check_names
from askance.learners.learner import Learner

AUTO = "auto"


def make(
    name: str,
    *,
    random_state: int = 0,
    dtype: str = "float32",
    classes: Sequence[Any] | None = None,
    intercept: float = 0.0,
    scaling: str | None = None,
    probability: bool = False,
    positive: Any = None,
    **parameters: Any,
) -> Learner | AutoLearner:
    """Make the learner that a paper calls `name`, or the one that needs no settings.

    Parameters
    ----------
    name : str
        A name of `askance.catalog`, or "auto".
    random_state, dtype, classes, intercept, scaling, probability, positive
        As in `Learner`. "auto" always computes in double precision, always has probabilities, and has an intercept
        and scales of its own. It treats both classes alike, so it has no `positive`.
    **parameters
        The paper's parameters, such as `C` and `delta`; for "auto", those of `AutoLearner`, such as `rate`.

    Returns
    -------
    Learner or AutoLearner
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
    >>> askance.make("auto", rate=0.05)
    AutoLearner(rate=0.05)
    """
    if name == AUTO:
        if intercept or scaling is not None:
            raise ValueError("auto has an intercept and scales of its own: leave intercept and scaling out")
        if positive is not None:
            raise ValueError("auto treats both classes alike: leave positive out, or name it where you ask for F")
        check_names(parameters)
        return AutoLearner(random_state=random_state, classes=classes, **parameters)
    common = {"random_state": random_state, "dtype": dtype, "classes": classes}
    given = {"intercept": intercept, "scaling": scaling, "probability": probability, "positive": positive}
    return look_up(name)(**common, **given, **parameters)
