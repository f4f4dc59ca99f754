"""How good the model of a labelling session is, and whether more labels still change it."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from scipy.special import ndtri

from askance.metrics.estimates import Estimate
from askance.metrics.evaluation import wilson

FEWEST_AUDITED = 10  # rows, before there is an estimate
LEVEL = 0.95
# A check is made when there are this many labels more, or a tenth more.
CHECK_EVERY, GROWTH = 10, 10
COMPARED = 2000  # rows whose predictions are compared
STEADY_CHECKS, STEADY_SHARE = 3, 0.005
FEWEST_OF_SECOND = 10  # labels of the second most frequent class, before there is advice


class Check(NamedTuple):
    """What was seen after some answers.

    Attributes
    ----------
    labels : int
        The number of labels at that time.
    predicted : list
        The predictions for the rows that are compared.
    changed : float or None
        The share of predictions that are others than at the check before; None at the first check.
    """

    labels: int
    predicted: list[str | None]
    changed: float | None


def next_check(labels: int) -> int:
    """The number of labels at which to check again, after a check with this many."""
    return labels + max(CHECK_EVERY, labels // GROWTH)


def checked(before: Sequence[Check], labels: int, predicted: list[str | None]) -> Check:
    """Compare predictions with those of the last check."""
    if not before:
        return Check(labels, predicted, None)
    pairs = zip(before[-1].predicted, predicted, strict=True)
    return Check(labels, predicted, sum(one != two for one, two in pairs) / max(1, len(predicted)))


def estimated_accuracy(right: Sequence[bool]) -> Estimate:
    """The accuracy on rows like those of the pool.

    `right` says for each row of a random sample whether the model predicted it rightly before it learned its
    label. The interval is Wilson's, which has a width even if all predictions are right.
    """
    limits = wilson(sum(right), len(right), float(ndtri((1 + LEVEL) / 2)))
    if limits is None or len(right) < FEWEST_AUDITED:
        return Estimate("accuracy", None, None, None, LEVEL, len(right))
    return Estimate("accuracy", *limits, LEVEL, len(right))


def estimated_f(both: int, number: int) -> Estimate:
    """F of a class, on rows like those of the pool.

    Of a random sample, `number` rows are of the class or were predicted to be, and `both` of these are both. With
    p = both/number, F is 2p/(1 + p). So the limits of p, which are Wilson's, give those of F.
    """
    limits = wilson(both, number, float(ndtri((1 + LEVEL) / 2)))
    if limits is None or number < FEWEST_AUDITED:
        return Estimate("f", None, None, None, LEVEL, number)
    value, low, high = (2 * share / (1 + share) for share in limits)
    return Estimate("f", value, low, high, LEVEL, number)


def advice(checks: Sequence[Check], counts: Mapping[str, int]) -> str:
    """Advice to stop, with its reason; empty as long as labels still change predictions.

    `counts` are the numbers of labels per class. A model that hardly knows a second class always predicts the
    first, and does not change for that reason alone.
    """
    if sorted(counts.values(), reverse=True)[1:2] < [FEWEST_OF_SECOND]:
        return ""
    shares = [check.changed for check in checks[-STEADY_CHECKS:] if check.changed is not None]
    if len(shares) < STEADY_CHECKS or max(shares) > STEADY_SHARE:
        return ""
    since = checks[-1].labels - checks[-STEADY_CHECKS - 1].labels
    limit = f"at most {max(shares):.1%} in each of {STEADY_CHECKS} checks"
    return f"the last {since} labels have changed few predictions ({limit})"
