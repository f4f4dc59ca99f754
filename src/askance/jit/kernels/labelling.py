"""The labelling loop of an automatic learner: predict a row, decide whether to ask, learn its label.

The loop returns to its caller where more room is needed or a class is new, and where scales are to be refreshed.
Asking and telling row by row goes through the same functions, so it does the same to the last bit.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.jit.interop import inlined, persistent, separate
from askance.jit.kernels.descent import Lanes, gather, scores_of, visit
from askance.jit.kernels.doubt import ASKED as QUESTIONS
from askance.jit.kernels.doubt import decide
from askance.jit.kernels.mixed import Mixed, Scales, features_of, observe
from askance.jit.kernels.mixture import (
    HEAVIEST,
    SCORE_TEMPERATURES,
    VOTE_TEMPERATURES,
    Mixture,
    count_loss,
    from_scores,
    from_votes,
    settle,
)
from askance.jit.kernels.trees import Trees, add_votes, grow_trees

Numbers = NDArray[np.float64]

FEWEST_FOR_LOSSES = 3  # labels before predictions are compared
VISITS = 64  # remembered rows that a label makes linear models visit again: the newest, and as many others in turn
YOUNG, YOUNG_SWEEPS = 50, 3  # up to 50 labels, all are visited three times after each
# After one label for this many remembered ones, linear models visit all rows.
GROWTH, GROWTH_SWEEPS = 10, 2

# Positions in `Models.counts`: rows in memory, places of terms, all labels so far, those that the forest knows,
# the number of rows after which scales are refreshed, whether there were labels of several classes, and the labels
# when linear models last visited all rows.
REMEMBERED, PLACES, LABELS, GROWN_AT, NEXT_REFRESH, SEVERAL, SWEPT_AT = range(7)

# Why the loop returns: all rows are done, a row waits for fresh scales, a row was asked about but not learned, or
# there are as many labels as planned.
DONE, REFRESH, ASKED, PAUSED = range(4)


class Models(NamedTuple):
    """All that an automatic learner has learned. Arrays have room for more than is in use."""

    scales: Scales
    labelled: Mixed  # the labelled rows as they came
    lanes: Lanes
    places: NDArray[np.int32]  # the place of each term in the weights, or 0
    vocabulary: NDArray[np.int64]  # the term at each place
    trees: Trees
    mixture: Mixture
    counts: NDArray[np.int64]
    memory: int
    random_state: np.uint64


class Found(NamedTuple):
    """What is written down of every row: the likeliest class, its lead, and the probability of class 1."""

    predicted: NDArray[np.int64]
    certainty: Numbers
    second: Numbers
    ask_probabilities: Numbers
    asked: NDArray[np.bool_]


class View(NamedTuple):
    """What the models make of one row."""

    dense: Numbers
    places: NDArray[np.int32]
    values: Numbers
    scores: Numbers
    votes: Numbers
    probabilities: Numbers
    parts: Numbers
    squared_norms: Numbers
    nodes: NDArray[np.uint64]


@inlined
def new_view(X: Any, models: Any) -> Any:
    """Return room for what the models make of any row of `X`."""
    classes = max(2, models.lanes.width)
    return View(
        np.empty(models.lanes.dense.shape[1]),
        np.empty(X.longest, np.int32),
        np.empty((X.longest, models.lanes.values.shape[1])),
        np.empty(models.lanes.duals.shape[1]),
        np.empty(classes),
        np.empty(classes),
        np.empty(classes),
        np.empty(models.lanes.values.shape[1]),
        np.empty(models.trees.features.shape[0], np.uint64),
    )


@inlined
def has_trees(models: Any) -> bool:
    """Whether a forest is one of the models."""
    found: bool = models.mixture.trust.shape[0] > models.lanes.dampings.shape[0]
    return found


@separate
def score(X: Any, t: int, scales: Any, lanes: Any, places: Any, view: Any) -> None:
    """Set the features and scores of row t."""
    first, last = X.starts[t], X.starts[t + 1]
    features_of(X, t, scales, view.dense, view.values, view.squared_norms)
    for place in range(first, last):
        view.places[place - first] = places[X.indices[place]]
    scores_of(view.dense, view.places, view.values, 0, last - first, lanes, view.scores)


@separate
def vote(X: Any, t: int, trees: Any, counts: Any, view: Any) -> None:
    """Set the shares of trees that vote for each class, with one vote more that is divided evenly."""
    classes = view.votes.shape[0]
    for k in range(classes):
        view.votes[k] = 1.0 / classes
    if counts[GROWN_AT]:
        add_votes(X, t, trees, view.nodes, view.votes)
        for k in range(classes):
            view.votes[k] /= 1.0 + trees.features.shape[0]


@separate
def mix(view: Any, mixture: Any, linear: int) -> None:
    """Set the probabilities of a row that was scored and voted on."""
    width = view.scores.shape[0] // linear
    for k in range(view.probabilities.shape[0]):
        view.probabilities[k] = 0.0
    for model in range(mixture.trust.shape[0]):
        if mixture.trust[model] > 0.0:
            if model < linear:
                temperature = SCORE_TEMPERATURES[mixture.chosen[model]]
                from_scores(view.scores, model * width, width, temperature, view.parts)
            else:
                from_votes(view.votes, VOTE_TEMPERATURES[mixture.chosen[model]], view.parts)
            for k in range(view.parts.shape[0]):
                view.probabilities[k] += mixture.trust[model] * view.parts[k]


@inlined
def any_trusted(trust: Any, models: int) -> bool:
    """Whether one of the first models is trusted."""
    total = 0.0
    for model in range(models):
        total += trust[model]
    return total > 0.0


@separate
def predict(X: Any, t: int, models: Any, view: Any) -> None:
    """Set the probabilities of row t."""
    if not models.counts[REMEMBERED]:
        for k in range(view.probabilities.shape[0]):
            view.probabilities[k] = 1.0 / view.probabilities.shape[0]
        return
    trust, linear = models.mixture.trust, models.lanes.dampings.shape[0]
    if any_trusted(trust, linear):
        score(X, t, models.scales, models.lanes, models.places, view)
    if has_trees(models) and trust[linear] > 0.0:
        vote(X.dense, t, models.trees, models.counts, view)
    mix(view, models.mixture, linear)


@inlined
def note(view: Any, t: int, found: Any) -> None:
    """Write down the likeliest class of row t."""
    best, lead = 0, -1.0
    for k in range(view.probabilities.shape[0]):
        if view.probabilities[k] > lead:
            best, lead = k, view.probabilities[k]
    rival = -1.0
    for k in range(view.probabilities.shape[0]):
        if k != best:
            rival = max(rival, view.probabilities[k])
    found.predicted[t], found.certainty[t], found.second[t] = best, lead - rival, view.probabilities[1]


@separate
def likeness(X: Any, t: int, models: Any, view: Any) -> float:
    """Return minus the squared distance of row t to the nearest labelled row, by their scaled columns."""
    lanes, least = models.lanes, np.inf
    if not any_trusted(models.mixture.trust, lanes.dampings.shape[0]):  # otherwise `predict` has scored the row
        score(X, t, models.scales, lanes, models.places, view)
    for row in range(models.counts[REMEMBERED]):
        distance = 0.0
        for j in range(X.dense.shape[1]):
            distance += (view.dense[j] - lanes.dense[row, j]) ** 2
        least = min(least, distance)
    return -least if models.counts[REMEMBERED] else 0.0


@separate
def compare(view: Any, code: int, chance: float, mixture: Any, linear: int) -> None:
    """Compare what each model predicts with a label, before it learns from it."""
    weight, width = min(HEAVIEST, 1.0 / chance), view.scores.shape[0] // linear
    for place in range(mixture.losses.shape[1]):
        for model in range(mixture.losses.shape[0]):
            if model < linear:
                from_scores(view.scores, model * width, width, SCORE_TEMPERATURES[place], view.parts)
            else:
                from_votes(view.votes, VOTE_TEMPERATURES[place], view.parts)
            count_loss(mixture, model, place, view.parts[code], weight)
    settle(mixture)


@inlined
def has_room(X: Any, t: int, models: Any) -> bool:
    """Whether row t can be remembered without forgetting others, in the arrays as they are."""
    entries, rows = X.starts[t + 1] - X.starts[t], models.counts[REMEMBERED]
    fits: bool = (
        rows < min(models.memory, models.lanes.codes.shape[0])
        and models.lanes.starts[rows] + entries <= models.lanes.values.shape[0]
        and models.counts[PLACES] + entries <= models.vocabulary.shape[0]
        and 2 * rows + 1 <= models.trees.features.shape[1]
    )
    return fits


@separate
def remember(X: Any, t: int, code: int, models: Any, view: Any) -> None:
    """Add row t, whose features and squared norms are in `view`, to the labelled rows."""
    labelled, lanes, counts = models.labelled, models.lanes, models.counts
    row, first, last = counts[REMEMBERED], X.starts[t], X.starts[t + 1]
    for j in range(X.dense.shape[1]):
        labelled.dense[row, j] = X.dense[t, j]
    for j in range(view.dense.shape[0]):
        lanes.dense[row, j] = view.dense[j]
    to = lanes.starts[row]
    for place in range(first, last):
        term = X.indices[place]
        if models.places[term] == 0:
            models.places[term] = counts[PLACES]
            models.vocabulary[counts[PLACES]] = term
            counts[PLACES] += 1
        labelled.indices[to], labelled.values[to] = term, X.values[place]
        lanes.places[to] = models.places[term]
        for k in range(lanes.values.shape[1]):
            lanes.values[to, k] = view.values[place - first, k]
        to += 1
    labelled.starts[row + 1] = lanes.starts[row + 1] = to
    lanes.codes[row] = code
    for k in range(lanes.values.shape[1]):
        lanes.squared_norms[row, k] = view.squared_norms[k]
    for lane in range(lanes.duals.shape[1]):
        lanes.duals[row, lane] = 0.0
    if code != lanes.codes[0]:
        counts[SEVERAL] = 1
    counts[REMEMBERED] += 1
    counts[LABELS] += 1


@separate
def train(lanes: Any, counts: Any, steps: Any, sweeps: int) -> None:
    """Visit all remembered rows `sweeps` times, or if that is 0, the newest and as many others in turn."""
    rows = counts[REMEMBERED]
    others = rows - VISITS
    if sweeps == 0 and others <= VISITS:
        sweeps = 1
    for turn in range(max(2, sweeps)):
        first, last = 0, rows
        if sweeps == 0:
            first = others if turn == 0 else counts[LABELS] * VISITS % others
            last = rows if turn == 0 else min(others, first + VISITS)
        elif turn >= sweeps:
            break
        visit(lanes, first, last, steps)


@separate
def learn_one(X: Any, t: int, code: int, chance: float, models: Any, view: Any) -> None:
    """Compare predictions with the label of row t, unless its chance is 0, and remember it."""
    score(X, t, models.scales, models.lanes, models.places, view)
    if chance > 0.0 and models.counts[REMEMBERED] >= FEWEST_FOR_LOSSES:
        if has_trees(models):
            vote(X.dense, t, models.trees, models.counts, view)
        compare(view, code, chance, models.mixture, models.lanes.dampings.shape[0])
    remember(X, t, code, models, view)


@inlined
def improve(models: Any, view: Any, sweeps: int) -> None:
    """Let all models learn from what is remembered; `sweeps` of 0 means as many as suit the number of labels."""
    counts, rows = models.counts, models.counts[REMEMBERED]
    since = counts[LABELS] - counts[SWEPT_AT]
    grew = rows >= 2 and since * GROWTH >= min(counts[SWEPT_AT], rows)
    if sweeps == 0 and rows <= YOUNG:
        sweeps = YOUNG_SWEEPS
    elif sweeps == 0 and grew:
        sweeps = GROWTH_SWEEPS
    if grew:
        counts[SWEPT_AT] = counts[LABELS]
    # Models that are not trusted need not be up to date.
    if sweeps or any_trusted(models.mixture.trust, models.lanes.dampings.shape[0]):
        train(models.lanes, counts, view.scores, sweeps)
    if rows >= 2 and has_trees(models):
        grow_forest(models)


@inlined
def grow_forest(models: Any) -> None:
    """Teach the forest what it does not know yet."""
    counts = models.counts
    known, classes = (counts[REMEMBERED], counts[GROWN_AT], counts[LABELS]), max(2, models.lanes.width)
    grow_trees(models.labelled.dense, models.lanes.codes, known, classes, models.trees, models.random_state)
    counts[GROWN_AT] = counts[LABELS]


def _advance(
    X: Any, codes: Any, coins: Any, plan: Any, past: Any, models: Any, found: Any, t: int, start: Any
) -> tuple[int, int]:
    """Go on from row t; return the row at which the loop stopped, and why. `codes` are -1 for unknown classes."""
    observed, granted = start
    view = new_view(X, models)
    while t < coins.shape[0]:
        if not observed:
            observe(X, t, models.scales)
        observed = False
        if models.scales.rows[0] >= models.counts[NEXT_REFRESH]:
            return t, REFRESH
        predict(X, t, models, view)
        note(view, t, found)
        several = models.counts[SEVERAL] > 0
        like = 0.0
        if plan.unusual > 0.0 and past.counts[QUESTIONS] < plan.burst:
            like = likeness(X, t, models, view)
        asks, probability = decide(found.certainty[t], like, coins[t], plan, past, granted, several)
        found.asked[t], found.ask_probabilities[t] = asks, probability
        if asks and granted:
            if codes[t] < 0 or not has_room(X, t, models):
                return t, ASKED
            learn_one(X, t, codes[t], probability, models, view)
            improve(models, view, 0)
            if models.counts[LABELS] >= plan.pause_at:
                return t + 1, PAUSED
        t += 1
    return t, DONE


def _learn(X: Any, codes: Any, chances: Any, models: Any, sweeps: int) -> None:
    """Learn the labels of rows; there must be room for them. Those with a chance of 0 are not compared."""
    view = new_view(X, models)
    for t in range(codes.shape[0]):
        learn_one(X, t, codes[t], chances[t], models, view)
    improve(models, view, sweeps)


def _regrow(models: Any) -> None:
    """Grow the whole forest from scratch."""
    models.counts[GROWN_AT] = 0
    grow_forest(models)


def _observe_all(X: Any, scales: Any) -> None:
    for t in range(X.dense.shape[0]):
        observe(X, t, scales)


def _probabilities(X: Any, models: Any, probabilities: Any) -> None:
    view = new_view(X, models)
    for t in range(X.dense.shape[0]):
        predict(X, t, models, view)
        for k in range(probabilities.shape[1]):
            probabilities[t, k] = view.probabilities[k]


def _retrain(models: Any, rebuild: bool, sweeps: int) -> None:
    """Visit all remembered rows. Before that, `rebuild` their features and the weights from the dual variables."""
    lanes, labelled = models.lanes, models.labelled
    steps, rows = np.empty(lanes.duals.shape[1]), models.counts[REMEMBERED]
    if rebuild:
        for t in range(rows):
            values = lanes.values[lanes.starts[t] : lanes.starts[t + 1]]
            features_of(labelled, t, models.scales, lanes.dense[t], values, lanes.squared_norms[t])
        gather(lanes, rows, steps)
    if sweeps:
        train(lanes, models.counts, steps, sweeps)


advance = persistent(_advance, exact=True)
learn = persistent(_learn, exact=True)
observe_all = persistent(_observe_all, exact=True)
probabilities = persistent(_probabilities, exact=True)
regrow = persistent(_regrow, exact=True)
retrain = persistent(_retrain, exact=True)
