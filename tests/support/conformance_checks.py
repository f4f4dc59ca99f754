"""What every update rule with every query rule must do."""

import copy
import itertools
import pickle
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

import askance
import streams
from askance import queries, updates
from askance.learners.files import from_bytes, to_bytes
from combinations import Combination

FIELDS = ("predictions", "scores", "ask_probabilities", "asked", "updated")
STREAM = streams.sparse_units(rows=90, width=12, random_state=4)


def same(one: askance.Trace, other: askance.Trace) -> None:
    """Bit for bit the same decisions."""
    for field in FIELDS:
        assert getattr(one, field).tobytes() == getattr(other, field).tobytes(), field
    assert (one.spent, one.refused, one.first_round) == (other.spent, other.refused, other.first_round)


def pieces(learner: askance.Learner, X: Any, y: Any, *edges: int) -> askance.Trace:
    bounds = sorted({0, *edges, len(y)})
    runs = [learner.run(X[a:b], y[a:b]) for a, b in itertools.pairwise(bounds)]
    return askance.Trace.join(runs)


# ---------------------------------------------------------------------- the checks


def check_chunks_and_forms_do_not_matter(combination: Combination) -> None:
    X, y, _ = STREAM
    whole = combination.learner()
    trace = whole.run(X, y)
    for rows, size in ((X, 7), (sp.csr_array(X), 1)):
        part = combination.learner()
        same(pieces(part, rows, y, *range(0, len(y), size)), trace)
        assert to_bytes(part) == to_bytes(whole)


def check_saving_and_going_on_is_not_noticed(combination: Combination) -> None:
    X, y, _ = STREAM
    whole = combination.learner()
    trace = whole.run(X, y)
    for moment in random.Random(str(combination)).sample(range(len(y)), 3):
        first = combination.learner()
        before = [first.run(X[:moment], y[:moment])] if moment else []
        second = from_bytes(to_bytes(first))
        assert to_bytes(second) == to_bytes(first)
        same(askance.Trace.join([*before, second.run(X[moment:], y[moment:])]), trace)
        assert to_bytes(second) == to_bytes(whole)


def check_pickles_and_copies_go_on_alone(combination: Combination) -> None:
    X, y, _ = STREAM
    learner = combination.learner()
    learner.run(X[:40], y[:40])
    state = to_bytes(learner)
    twins = [pickle.loads(pickle.dumps(learner)), copy.deepcopy(learner)]
    traces = [twin.run(X[40:], y[40:]) for twin in twins]
    assert to_bytes(learner) == state
    rest = learner.run(X[40:], y[40:])
    for twin, trace in zip(twins, traces, strict=True):
        same(trace, rest)
        assert to_bytes(twin) == to_bytes(learner)


def check_nothing_is_shared_with_the_caller(combination: Combination) -> None:
    X, y, coins = (np.array(part) for part in STREAM)
    for rows in (X.copy(), sp.csr_array(X)):
        arrays = [rows] if isinstance(rows, np.ndarray) else [rows.data, rows.indices, rows.indptr]
        given = [*arrays, y.copy(), coins.copy()]
        before = [array.copy() for array in given]
        learner = combination.learner()
        trace = learner.run(rows, given[-2], coins=given[-1])
        learner.ask(rows[[0]] if sp.issparse(rows) else rows[0])
        learner.partial_fit(rows, given[-2])
        assert all(np.array_equal(array, old) for array, old in zip(given, before, strict=True))
        state, decided = to_bytes(learner), trace.asked.copy()
        for array in given:
            array[:] = 1
        assert to_bytes(learner) == state
        trace.scores[:] = trace.ask_probabilities[:] = 7
        assert to_bytes(learner) == state
        assert np.array_equal(trace.asked, decided)


def check_the_seed_decides(combination: Combination) -> None:
    X, y, _ = STREAM
    first, again = (combination.learner(random_state=11).run(X, y) for _ in range(2))
    same(first, again)
    others = [combination.learner(random_state=seed).run(X, y).asked for seed in (12, 2**64 - 1)]
    certain = set(first.ask_probabilities.tolist()) <= {0.0, 1.0}
    near = isinstance(combination.query, queries.LocalDensity | queries.CognitiveWindow)  # which has an audit
    assert certain == (innermost(combination.query) == queries.Always() and not near)
    assert [np.array_equal(first.asked, other) for other in others] == [certain, certain]


def innermost(query: Any) -> Any:
    return innermost(query.inner) if hasattr(query, "inner") else query


def check_ask_and_tell_are_run(combination: Combination) -> None:
    X, y, _ = STREAM
    sparse = sp.csr_array(X)
    whole = combination.learner()
    trace = whole.run(X, y)

    def row_of(t: int) -> askance.Row:
        places = slice(sparse.indptr[t], sparse.indptr[t + 1])
        return askance.Row(sparse.indices[places], sparse.data[places])

    forms: list[Callable[[int], Any]] = [lambda t: X[t], lambda t: sparse[[t]], lambda t: X[t].tolist(), row_of]
    learner = combination.learner()
    learner.resize(X.shape[1])
    for t, label in enumerate(y.tolist()):
        row = forms[t % len(forms)](t)
        decision = learner.ask(row)
        assert decision.prediction == trace.predictions[t]
        assert (decision.score, decision.ask_probability) == (trace.scores[t], trace.ask_probabilities[t])
        assert decision.ask == trace.asked[t]
        if decision.ask:
            learner.tell(row, label)
    assert to_bytes(learner) == to_bytes(whole)


def check_predicting_changes_nothing(combination: Combination) -> None:
    X, y, _ = STREAM
    learner = combination.learner()
    learner.run(X[:50], y[:50])
    state = to_bytes(learner)
    scores = learner.decision_function(X)
    for rows in (X, sp.csr_array(X)):
        guesses = learner.predict(rows)
        assert np.array_equal(learner.decision_function(rows), scores)
        assert np.array_equal(guesses, np.where(scores >= 0, 1, -1))
        assert learner.score(rows, y) == np.mean(guesses == y)
    assert to_bytes(learner) == state
    if not isinstance(combination.update, updates.SecondOrderPerceptron):  # whose scores look at the spread too
        np.testing.assert_allclose(scores, X @ learner.coef_[0], rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(learner.run(X[50:51], y[50:51]).scores, scores[50:51])


def check_it_asks_soon_after_a_cold_start(combination: Combination) -> None:
    X, y, _ = streams.noisy(rows=10)
    for random_state in range(5):
        assert combination.learner(random_state=random_state).run(X, y).asked.any()


def check_one_class_alone_is_learned(combination: Combination) -> None:
    X, _, _ = STREAM
    for label in (-1, 1):
        learner = combination.learner(classes=None)
        trace = learner.run(X, np.full(len(X), label))
        assert learner.classes_.tolist() == [-1, 1]
        assert np.array_equal(trace.classes, [-1, 1])
        assert (trace.y == label).all()
        assert np.isfinite(learner.coef_).all()


def check_new_features_find_room(combination: Combination) -> None:
    if isinstance(combination.update, updates.Winnow):
        return  # its scores depend on the number of features: test_selective.py has what holds of it
    X, y, _ = STREAM
    X = X.copy()
    X[:20, 4:] = 0
    X[20:50, 8:] = 0
    for form in (np.asarray, sp.csr_array):
        parts = ((0, 20, 4), (20, 50, 8), (50, 90, 12))
        grown, whole = combination.learner(), combination.learner()
        source = Growing([(form(X[a:b, :width]), y[a:b]) for a, b, width in parts])
        same(askance.Trace.join(grown.iter_run(source)), whole.run(form(X), y))
        assert to_bytes(grown) == to_bytes(whole)
        assert grown.n_features_in_ == 12


def check_a_late_label_is_learned_with_the_weights_of_now(combination: Combination) -> None:
    X, y, _ = STREAM
    learner, prompt = combination.learner(), combination.learner()
    learner.run(X[:30], y[:30])
    prompt.run(X[:30], y[:30])
    weights, scores = learner.coef_.copy(), learner.decision_function(X)
    waiting = []
    for t in range(30, 60):
        decision = learner.ask(X[t])
        assert decision.score == scores[t]
        if decision.ask:
            waiting.append(t)
    assert np.array_equal(learner.coef_, weights)
    for t in waiting:
        learner.tell(X[t], int(y[t]))
    if waiting:
        prompt.partial_fit(X[waiting], y[waiting])
    assert np.array_equal(learner.coef_, prompt.coef_)
    assert learner.spending_.rows == 60
    assert prompt.spending_.rows == 30


class Growing:
    """A stream whose rows grow wider as it goes."""

    name = "growing"

    def __init__(self, parts: list[tuple[Any, Any]]) -> None:
        self.parts = parts

    def __iter__(self) -> Iterator[Any]:
        for done, (X, y) in enumerate(self.parts, 1):
            yield askance.data.Chunk(X, y, done / len(self.parts))


# What a pair of rules can break,
OF_PAIRS = [check_chunks_and_forms_do_not_matter]
# what a rule can break by itself,
OF_RULES = [
    check_ask_and_tell_are_run,
    check_the_seed_decides,
    check_predicting_changes_nothing,
    check_it_asks_soon_after_a_cold_start,
    check_one_class_alone_is_learned,
    check_new_features_find_room,
]
# and what depends on the form of its state alone.
OF_STATES = [
    check_saving_and_going_on_is_not_noticed,
    check_pickles_and_copies_go_on_alone,
    check_nothing_is_shared_with_the_caller,
    check_a_late_label_is_learned_with_the_weights_of_now,
]
CHECKS = [*OF_PAIRS, *OF_RULES, *OF_STATES]
