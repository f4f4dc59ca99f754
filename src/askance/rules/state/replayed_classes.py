"""The state and the form of rules that visit labelled rows of many classes again.

The support vector machine of Crammer and Singer has a dual variable α_m ≥ 0 for each row and each class m other
than its label y. A row adds (Σ α_m) x to w^y, and -α_m x to w^m. With the sum A = Σ α_m of a row, the dual problem
is to maximise

    Σ A - ½ Σ ‖w^m‖²,              A ≤ C,      for the hinge loss  C ξ   (PA-I),
    Σ A - ½ Σ ‖w^m‖² - Σ A²/(4C),              for its square      C ξ²  (PA-II),

where ξ = max(0, 1 - s_y + max s_m). Along a single α_m, the slope is 1 - (s_y - s_m), less A/(2C) for PA-II, and
the curvature 2 x·x, plus 1/(2C) for PA-II. So the best step is that of a problem of two classes with the margin
s_y - s_m, the squared norm 2 x·x and the dual variable A, but α_m must not become negative. From α = 0, it is the
step of the paper.

Under the constraint A ≤ C it is not enough to move single variables: once A = C, it may be better to exchange one
rival for another. Moving t from α_q to α_r keeps A; the slope is s_r - s_q, the curvature 2 x·x. A visit takes the
best step along the direction with the largest slope: a larger α for the strongest rival r, a smaller one for the
weakest rival q with α_q > 0, or an exchange of the two. If there is no such step for any row, the conditions of
optimality hold.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.jit.interop import inlined
from askance.rules.rows import Seen
from askance.rules.state.classes import Classes, form_for_classes
from askance.rules.state.form import with_defaults
from askance.rules.state.replayed import COUNT, LabelMemory, check_memory, next_slot, occupied, remember
from askance.rules.state.weights import Weights

# Shorter rows have no exchange: the length of the step could not be computed.
SHORTEST = 1e-30


class ReplayClassesState(NamedTuple):
    """The weights of all classes, the remembered rows with their dual variables, and the rule that moves these.

    `duals` has a row per remembered row and a column per class: α_m for each rival m, and A for the label.
    """

    weights: NDArray[Any]
    duals: NDArray[np.float64]
    memory: LabelMemory
    rule: Any
    visits: int

    def form(self) -> "ReplayedClasses":
        """Return the form."""
        lanes = self.duals.shape[1]
        return ReplayedClasses(form_for_classes(lanes, self.weights.dtype, has_spread=False), np.zeros(lanes))

    def moved_to(self, wider: "ReplayClassesState") -> "ReplayClassesState":
        """Copy everything that was learned into a state with more room, and return that."""
        lanes, more = self.duals.shape[1], wider.duals.shape[1]
        weights = self.weights.reshape(-1, lanes)
        wider.weights.reshape(-1, more)[: len(weights), :lanes] = weights
        wider.duals[:, :lanes] = self.duals
        for old, new in zip(self.memory, wider.memory, strict=True):
            new[: len(old)] = old
        return wider

    def check(self) -> None:
        """Raise ValueError if the numbers cannot be a memory: machine code trusts them."""
        lanes = self.duals.shape[1]
        check_memory(self.memory, len(self.weights) // lanes, lanes)


@with_defaults
class ReplayedClasses(NamedTuple):
    """The form of a `ReplayClassesState`: that of `Classes`, but a label is learned when it is recorded."""

    classes: Classes
    scores: NDArray[np.float64]  # of the row that is visited

    def look(self, state: Any, rows: Any, t: int, width: int, at_zero: float) -> tuple[Any, ...]:
        """Return the lead of the best class."""
        return self.classes.look(Weights(state.weights), rows, t, width, at_zero)

    def write_score(self, state: Any, score: float, scores: Any, t: int) -> None:
        """Write the score of every class."""
        self.classes.write_score(state, score, scores, t)

    def as_binary(self, seen: Seen, label: float, probability: float) -> tuple[Seen, float]:
        """Return the label against its rival."""
        return self.classes.as_binary(seen, label, probability)

    def learn(self, state: Any, rows: Any, t: int, step: Any) -> None:
        """Do nothing: `record_label` learns."""

    def record_label(self, state: Any, rows: Any, t: int, label: float) -> None:
        """Remember the row, visit it, and visit some of the others again. A row of zeros teaches nothing."""
        size = occupied(rows, t)
        if size == 0:
            return
        slot = remember(state.memory, rows, t, size, np.int64(label))
        for lane in range(state.duals.shape[1]):
            state.duals[slot, lane] = 0.0
        visit(state, self.scores, slot)
        for _ in range(min(state.visits, state.memory.places[COUNT] - 1)):
            visit(state, self.scores, next_slot(state.memory))


@inlined
def visit(state: Any, scores: Any, slot: int) -> None:
    """Take the best step along the dual variables of a row, and move the weights with them."""
    duals, y = state.duals[slot], state.memory.labels[slot]
    write_scores(state, scores, slot)
    rival, weakest = rivals(scores, duals, y)
    if rival < 0:  # with only one class there is nothing to learn
        return
    length = 2.0 * state.memory.squared_norms[slot]
    total = duals[y]
    more = state.rule.dual_after(scores[y] - scores[rival], total, length)
    less = total
    if weakest >= 0:
        less = state.rule.dual_after(scores[y] - scores[weakest], total, length)
    if more > total and less >= total:
        pull_apart(state, slot, y, rival, more - total)
        duals[rival] += more - total
        duals[y] = more  # at most C, to the last bit
    elif more < total and weakest >= 0:
        step = min(duals[weakest], total - less)
        pull_apart(state, slot, weakest, y, step)
        duals[weakest] -= step
        duals[y] = max(0.0, total - step)
    elif weakest >= 0 and length > SHORTEST and scores[rival] > scores[weakest]:
        step = min(duals[weakest], (scores[rival] - scores[weakest]) / length)
        pull_apart(state, slot, weakest, rival, step)
        duals[weakest] -= step
        duals[rival] += step


@inlined
def write_scores(state: Any, scores: Any, slot: int) -> None:
    """Write the score of every class for a remembered row."""
    memory, lanes = state.memory, scores.shape[0]
    for lane in range(lanes):
        scores[lane] = 0.0
    for k in range(memory.starts[slot], memory.starts[slot] + memory.sizes[slot]):
        first = memory.indices[k] * lanes
        for lane in range(lanes):
            scores[lane] += np.float64(state.weights[first + lane]) * np.float64(memory.values[k])


@inlined
def rivals(scores: Any, duals: Any, y: int) -> tuple[int, int]:
    """Return the strongest rival of the label, and the weakest with a dual variable above 0; -1 without one."""
    strongest, weakest = -1, -1
    for lane in range(scores.shape[0]):
        if lane != y:
            if strongest < 0 or scores[lane] > scores[strongest]:
                strongest = lane
            if duals[lane] > 0 and (weakest < 0 or scores[lane] < scores[weakest]):
                weakest = lane
    return strongest, weakest


@inlined
def pull_apart(state: Any, slot: int, along: int, against: int, step: float) -> None:
    """Move the weights of one class by `step` along a remembered row, and those of another against it."""
    memory, weights, lanes = state.memory, state.weights, state.duals.shape[1]
    size = weights.dtype.type(step)
    for k in range(memory.starts[slot], memory.starts[slot] + memory.sizes[slot]):
        first, change = memory.indices[k] * lanes, size * memory.values[k]
        weights[first + along] += change
        weights[first + against] -= change
