"""Importance-weighted active learning: ask if little evidence speaks against the other class."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance._util.parameters import POSITIVE, Constraints, Interval
from askance.jit.select import maximum, where
from askance.rules.rows import Seen


class RowsBefore(NamedTuple):
    """The number of rows so far."""

    rows: NDArray[np.int64]


class IWAL(NamedTuple):
    """Ask with the probability at which the error difference G between the two predictions counts as noise.

    G is how many more of the n rows before the best classifier that predicts the other class for this row gets
    wrong, as a share. With ε = C₀ log(n + 1)/n, the probability is 1 if G ≤ √ε + ε, and otherwise the s of

        G = (c₁/√s - c₁ + 1) √ε + (c₂/s - c₂ + 1) ε.

    This is quadratic in 1/√s, so s = ε ((c₁ + √(c₁² + 4 c₂ A)) / (2A))², A = G + (c₁ - 1)√ε + (c₂ - 1)ε. It falls
    with G, and is always positive. About the first row it asks. Rows that a budget does not let it ask about do
    not count.

    For a linear rule, G is estimated by the weight with which this row, under the other label, would make the
    learner predict the other class, divided by n. If a step adds at most η_t y x to the weights, times the weight
    of the label, this is `|p|` / (η_t x·x): so with η_t for the hinge loss and C for PA-I. With η_n = η/n^power,

        G = abs(p) / (η x·x n^(1 - power)).

    The theory has labels that count 1/s times. `run` learns with weight 1, as it does with every query rule; in
    your own loop, pass `sample_weight=1 / decision.ask_probability` to `tell`.

    Parameters
    ----------
    C0 : float, default=0.1
        C₀. Larger values ask more often. In the theory it is as large as the logarithm of the number of
        classifiers, which asks about nearly every row of a short stream.
    eta : float, default=1.0
        The step size η of the update rule, or C of PA-I.
    power : float, default=0.5
        How fast steps become smaller, from 0 to 1; 0.5 for η/√n. With 1, as for Pegasos with λ = 1/η, questions
        become rarer, as in the theory. With 0, for constant steps, every row is asked about in the end.
    c1 : float, default=5 + 2√2
        c₁, at least 1.
    c2 : float, default=5.0
        c₂, at least 1. With c₁ = c₂ = 1 the probabilities are smaller, and no bound is proved.

    References
    ----------
    Beygelzimer, Dasgupta and Langford 2009, "Importance weighted active learning"; Beygelzimer, Hsu, Langford and
    Zhang 2010, "Agnostic active learning without constraints", algorithm 1, for the probability; Karampatziakis
    and Langford 2011, "Online importance weight aware updates", for the weight that turns a prediction.

    Examples
    --------
    >>> from askance import Learner, queries, updates
    >>> learner = Learner(updates.SGD(), queries.IWAL(C0=0.01), classes=[-1, 1]).partial_fit([[0.0, 1.0]], [1])
    >>> rows = [0.1, 0.0], [0.0, 1.0], [0.1, 0.1], [1.0, 1.0], [0.0, 1.0]
    >>> [round(float(learner.ask(x).ask_probability), 2) for x in rows]
    [1.0, 0.21, 0.03, 0.53, 0.31]
    """

    C0: float = 0.1
    eta: float = 1.0
    power: float = 0.5
    c1: float = 5.0 + 2.0 * math.sqrt(2.0)
    c2: float = 5.0

    def start(self) -> RowsBefore:
        """Return a memory without rows."""
        return RowsBefore(np.zeros(1, np.int64))

    def ask(self, memory: RowsBefore, seen: Seen, coin: float) -> float:  # noqa: ARG002
        """Return 1 if G is within the noise, else s; count the row."""
        n = maximum(1.0, 1.0 * memory.rows[0])
        # How far n labels of this row would move the score.
        moved = self.eta * seen.squared_norm * n / n**self.power
        difference = where(moved > 0, abs(seen.score) / where(moved > 0, moved, 1.0), 0.0)
        noise = self.C0 * math.log(n + 1.0) / n
        root = math.sqrt(noise)
        near = (memory.rows[0] == 0) | (difference <= root + noise)
        total = where(near, 1.0, difference + (self.c1 - 1.0) * root + (self.c2 - 1.0) * noise)
        half = root * (self.c1 + math.sqrt(self.c1 * self.c1 + 4.0 * self.c2 * total)) / (2.0 * total)
        memory.rows[0] += where(seen.eligible > 0, 1, 0)
        probability: float = where(near, 1.0, half * half)
        return probability

    def scaled(self, factor: float) -> "IWAL":
        """Return the rule with `factor` times C₀."""
        return IWAL(self.C0 * factor, self.eta, self.power, self.c1, self.c2)

    def constraints(self) -> Constraints:
        """C₀ > 0, η > 0, 0 ≤ power ≤ 1, c₁ ≥ 1, c₂ ≥ 1."""
        at_least_1 = Interval(1, low_closed=True, high_closed=False)
        power = Interval(0, 1, low_closed=True)
        return {"C0": POSITIVE, "eta": POSITIVE, "power": power, "c1": at_least_1, "c2": at_least_1}
