"""Ask about small margins within a budget that forgets: four strategies for streams that drift.

The paper compares the probability of the predicted class with a threshold. A linear rule has no probability, so
its margin `|p|` takes that place: the lead of the predicted class over its strongest rival. Thresholds move by
factors, so it does not matter how large margins are.

The budget is a share B = `rate` of the rows. The number u of labels among the last w = `window` rows is estimated
by u ← u (1 - 1/w) + (1 if the label was asked for, else 0), so that no window has to be kept. Questions are asked
only while u/w < B.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance._util.parameters import COUNT, POSITIVE, POSITIVE_OR_INFINITE, SHARE, Constraints, Interval
from askance.jit.interop import inlined
from askance.jit.select import maximum, minimum, where
from askance.rules.rows import Seen

# A threshold of 0 would stay 0 for ever, so a long run of margins of 0 does not lead to it.
LEAST_THRESHOLD = 1e-100

AUDIT = Interval(0, 1, low_closed=True)
STEP = Interval(0, 1, high_closed=False)


class RecentLabels(NamedTuple):
    """The estimated number of labels among recent rows, and the threshold."""

    labels: NDArray[np.float64]
    threshold: NDArray[np.float64]


@inlined
def no_labels(threshold: float) -> RecentLabels:
    """Return the memory before the first row."""
    return RecentLabels(np.zeros(1), np.full(1, threshold, np.float64))


@inlined
def is_left(memory: RecentLabels, rate: float, window: int) -> bool:
    """Return whether the budget allows a question."""
    return memory.labels[0] / window < rate


@inlined
def record(memory: RecentLabels, window: int, asked: bool, eligible: float) -> None:
    """Count a row, unless no label is available for it."""
    after = memory.labels[0] * ((window - 1) / window) + where(asked, 1.0, 0.0)
    memory.labels[0] = where(eligible > 0, after, memory.labels[0])


@inlined
def adapt(memory: RecentLabels, s: float, counts: bool, doubtful: bool) -> None:
    """If the row counts: lower the threshold by the share s if it was doubtful, else raise it."""
    changed = memory.threshold[0] * where(doubtful, 1.0 - s, 1.0 + s)
    memory.threshold[0] = maximum(LEAST_THRESHOLD, where(counts, changed, memory.threshold[0]))


class FixedUncertainty(NamedTuple):
    """Ask if the margin `|p|` is less than a fixed threshold θ, and about some other rows at random.

    The probability is 1 if `|p| < θ` and the budget is not spent, and `audit` · `rate` otherwise. So every
    probability is positive and known, unless `audit` is 0. The budget is spent if u/w ≥ `rate`, with u ← u (1 -
    1/w) + (1 if asked), which is about the number of labels among the last w = `window` rows. Rows that a budget
    around this rule does not let it ask about do not count.

    With a fixed threshold, a rule whose margins grow asks less and less, and notices no change where it is sure.

    Parameters
    ----------
    theta : float, default=1.0
        The threshold θ. With ∞, the budget alone decides.
    rate : float, default=0.1
        The share of rows that may be asked about, greater than 0 and at most 1.
    window : int, default=100
        The number w of rows over which questions are counted.
    audit : float, default=0.1
        A row that is not in doubt is asked about with the probability `audit` · `rate`. 0 is the paper's strategy,
        with probabilities of 0 and 1 only: nothing can be estimated from such labels.

    References
    ----------
    Žliobaitė, Bifet, Pfahringer and Holmes 2014, "Active learning with drifting streaming data".

    Examples
    --------
    >>> from askance import Learner, queries, updates
    >>> learner = Learner(updates.Perceptron(), queries.FixedUncertainty(theta=0.5, rate=0.2))
    >>> float(learner.ask([0.0, 1.0]).ask_probability)
    1.0
    """

    theta: float = 1.0
    rate: float = 0.1
    window: int = 100
    audit: float = 0.1

    def start(self) -> RecentLabels:
        """Return a memory without labels."""
        return no_labels(self.theta)

    def ask(self, memory: RecentLabels, seen: Seen, coin: float) -> float:
        """Return 1 for a row in doubt if the budget is not spent, else `audit` · `rate`."""
        wanted = is_left(memory, self.rate, self.window) & (abs(seen.score) < self.theta)
        probability: float = where(wanted, 1.0, self.audit * self.rate)
        record(memory, self.window, coin < probability, seen.eligible)
        return probability

    def scaled(self, factor: float) -> "FixedUncertainty":
        """Return the rule with `factor` times θ and `factor` times the rate, which is at most 1."""
        return FixedUncertainty(self.theta * factor, minimum(1.0, self.rate * factor), self.window, self.audit)

    def constraints(self) -> Constraints:
        """θ > 0, 0 < rate ≤ 1, window ≥ 1, 0 ≤ audit ≤ 1."""
        return {"theta": POSITIVE_OR_INFINITE, "rate": SHARE, "window": COUNT, "audit": AUDIT}


class VariableUncertainty(NamedTuple):
    """Ask if the margin `|p|` is less than a threshold θ that adapts, and about some other rows at random.

    While the budget is not spent, a row with `|p| < θ` has probability 1 and lowers the threshold, θ ← θ (1 - s);
    other rows raise it, θ ← θ (1 + s). So the rule asks about the least certain rows, however large margins are
    and whether they grow or fall. Otherwise the probability is `audit` · `rate`, which does not change θ. Budget
    and audit are those of `FixedUncertainty`.

    Parameters
    ----------
    rate : float, default=0.1
        The share of rows that may be asked about, greater than 0 and at most 1.
    s : float, default=0.01
        By which share θ changes in a row, between 0 and 1.
    theta : float, default=1.0
        The initial threshold.
    window : int, default=100
        The number w of rows over which questions are counted.
    audit : float, default=0.1
        A row that is not in doubt is asked about with the probability `audit` · `rate`. 0 is the paper's strategy.

    References
    ----------
    Žliobaitė, Bifet, Pfahringer and Holmes 2014, "Active learning with drifting streaming data".

    Examples
    --------
    >>> import numpy as np
    >>> from askance import Learner, queries, updates
    >>> X = np.random.default_rng(0).normal(size=(2000, 3))
    >>> y = np.where(X[:, 0] > 0, 1, -1)
    >>> trace = Learner(updates.PassiveAggressive2(), queries.VariableUncertainty(rate=0.1)).run(X, y)
    >>> bool(trace.asked.mean() < 0.12)
    True
    """

    rate: float = 0.1
    s: float = 0.01
    theta: float = 1.0
    window: int = 100
    audit: float = 0.1

    def start(self) -> RecentLabels:
        """Return a memory without labels and with the initial threshold."""
        return no_labels(self.theta)

    def ask(self, memory: RecentLabels, seen: Seen, coin: float) -> float:
        """Return 1 for a row in doubt if the budget is not spent, else `audit` · `rate`; adapt the threshold."""
        left = is_left(memory, self.rate, self.window)
        doubtful = abs(seen.score) < memory.threshold[0]
        probability: float = where(left & doubtful, 1.0, self.audit * self.rate)
        # A rule around this one may withhold the question: then the coin is 1 or more.
        adapt(memory, self.s, left & (seen.eligible > 0), doubtful & (coin < 1.0))
        record(memory, self.window, coin < probability, seen.eligible)
        return probability

    def scaled(self, factor: float) -> "VariableUncertainty":
        """Return the rule with `factor` times the rate, at most 1."""
        return VariableUncertainty(minimum(1.0, self.rate * factor), self.s, self.theta, self.window, self.audit)

    def constraints(self) -> Constraints:
        """0 < rate ≤ 1, 0 < s < 1, θ > 0, window ≥ 1, 0 ≤ audit ≤ 1."""
        return {"rate": SHARE, "s": STEP, "theta": POSITIVE, "window": COUNT, "audit": AUDIT}


class RandomVariableUncertainty(NamedTuple):
    """Ask if the margin `|p|` is less than θη, where θ adapts and η ~ N(1, δ²) is drawn for each row.

    While the budget is not spent, the probability is that of `|p| < θη`: 1 - Φ((`|p|`/θ - 1)/δ), where Φ is the
    standard normal distribution; but at least `audit` · `rate`, which is the probability once the budget is spent.
    θ ← θ (1 - s) if `|p| < θη`, and θ ← θ (1 + s) if not. So it also asks about rows that it is sure of, now and
    then, and notices that they change. Budget and audit are those of `FixedUncertainty`.

    Parameters
    ----------
    rate : float, default=0.1
        The share of rows that may be asked about, greater than 0 and at most 1.
    s : float, default=0.01
        By which share θ changes in a row, between 0 and 1.
    delta : float, default=1.0
        The standard deviation δ of η. The smaller, the more it is like `VariableUncertainty`.
    theta : float, default=1.0
        The initial threshold.
    window : int, default=100
        The number w of rows over which questions are counted.
    audit : float, default=0.1
        No probability is less than `audit` · `rate`. 0 is the paper's strategy.

    References
    ----------
    Žliobaitė, Bifet, Pfahringer and Holmes 2014, "Active learning with drifting streaming data".

    Examples
    --------
    >>> from askance import Learner, queries, updates
    >>> query = queries.RandomVariableUncertainty(theta=2.0)
    >>> learner = Learner(updates.Perceptron(), query, classes=[-1, 1]).partial_fit([[0.0, 1.0]], [-1])
    >>> float(learner.ask([0.0, 2.0]).ask_probability)
    0.5
    """

    rate: float = 0.1
    s: float = 0.01
    delta: float = 1.0
    theta: float = 1.0
    window: int = 100
    audit: float = 0.1

    def start(self) -> RecentLabels:
        """Return a memory without labels and with the initial threshold."""
        return no_labels(self.theta)

    def ask(self, memory: RecentLabels, seen: Seen, coin: float) -> float:
        """Return the probability of `|p| < θη`, at least `audit` · `rate`; adapt the threshold."""
        left = is_left(memory, self.rate, self.window)
        deviations = (abs(seen.score) / memory.threshold[0] - 1.0) / self.delta
        doubt = where(left, 0.5 * math.erfc(deviations / math.sqrt(2.0)), 0.0)
        probability: float = maximum(doubt, self.audit * self.rate)
        adapt(memory, self.s, left & (seen.eligible > 0), coin < doubt)
        record(memory, self.window, coin < probability, seen.eligible)
        return probability

    def scaled(self, factor: float) -> "RandomVariableUncertainty":
        """Return the rule with `factor` times the rate, at most 1."""
        rate = minimum(1.0, self.rate * factor)
        return RandomVariableUncertainty(rate, self.s, self.delta, self.theta, self.window, self.audit)

    def constraints(self) -> Constraints:
        """0 < rate ≤ 1, 0 < s < 1, δ > 0, θ > 0, window ≥ 1, 0 ≤ audit ≤ 1."""
        positive = dict.fromkeys(("delta", "theta"), POSITIVE)
        return {"rate": SHARE, "s": STEP, **positive, "window": COUNT, "audit": AUDIT}


class Split(NamedTuple):
    """Ask as `VariableUncertainty` does about most rows, and at random about a share ν of them.

    While the budget is not spent, a row is drawn with probability ν for asking at random, with probability
    B = `rate`; other rows are decided by the threshold θ, and only these change it. So the probability is
    νB + (1 - ν) if `|p| < θ`, and νB if not; but at least `audit` · `rate`, which is the probability once the
    budget is spent. The labels asked for at random show changes anywhere. Budget and audit are those of
    `FixedUncertainty`.

    Parameters
    ----------
    rate : float, default=0.1
        The share of rows that may be asked about, greater than 0 and at most 1.
    s : float, default=0.01
        By which share θ changes in a row, between 0 and 1.
    nu : float, default=0.1
        The share ν of rows that are asked about at random, between 0 and 1.
    theta : float, default=1.0
        The initial threshold.
    window : int, default=100
        The number w of rows over which questions are counted.
    audit : float, default=0.1
        No probability is less than `audit` · `rate`. 0 is the paper's strategy.

    References
    ----------
    Žliobaitė, Bifet, Pfahringer and Holmes 2014, "Active learning with drifting streaming data".

    Examples
    --------
    >>> from askance import Learner, queries, updates
    >>> learner = Learner(updates.Perceptron(), queries.Split(rate=0.2, nu=0.25))
    >>> float(learner.ask([0.0, 1.0]).ask_probability)
    0.8
    """

    rate: float = 0.1
    s: float = 0.01
    nu: float = 0.1
    theta: float = 1.0
    window: int = 100
    audit: float = 0.1

    def start(self) -> RecentLabels:
        """Return a memory without labels and with the initial threshold."""
        return no_labels(self.theta)

    def ask(self, memory: RecentLabels, seen: Seen, coin: float) -> float:
        """Return νB, and 1 - ν more for a row in doubt, or `audit` · `rate` if that is more; adapt the threshold.

        One coin decides both: a row is asked about at random if it is less than νB, and is decided by the
        threshold if it is among the next 1 - ν. The rest is drawn for asking at random, and not asked about.
        """
        left = is_left(memory, self.rate, self.window)
        doubtful = abs(seen.score) < memory.threshold[0]
        at_random = self.nu * self.rate
        by_threshold = at_random + (1.0 - self.nu)
        wanted = where(left, where(doubtful, by_threshold, at_random), 0.0)
        probability: float = maximum(wanted, self.audit * self.rate)
        decided = left & (at_random <= coin) & (coin < by_threshold) & (seen.eligible > 0)
        adapt(memory, self.s, decided, doubtful)
        record(memory, self.window, coin < probability, seen.eligible)
        return probability

    def scaled(self, factor: float) -> "Split":
        """Return the rule with `factor` times the rate, at most 1."""
        return Split(minimum(1.0, self.rate * factor), self.s, self.nu, self.theta, self.window, self.audit)

    def constraints(self) -> Constraints:
        """0 < rate ≤ 1, 0 < s < 1, 0 < ν < 1, θ > 0, window ≥ 1, 0 ≤ audit ≤ 1."""
        return {"rate": SHARE, "s": STEP, "nu": STEP, "theta": POSITIVE, "window": COUNT, "audit": AUDIT}
