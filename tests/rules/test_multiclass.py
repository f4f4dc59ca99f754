"""Many classes: the same rules, each label against its strongest rival."""

import itertools
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import askance
import naive
import streams
from askance import queries, updates
from askance.jit.interop import COMPILING
from askance.learners.files import from_bytes, to_bytes
from askance.rules.update.rule import about
from examples import examples
from naive import multiclass
from rule_strategies import FEW_QUERIES, MODEST, POSITIVE, UPDATE_PARAMETERS, VALUES, query_parameters
from thinning import also_compiled

NAMES = [name for name, entry in askance.catalog.items() if entry.kind == "multiclass"]
ABLE = [rule for rule in updates.RULES if about(rule()).many_classes]
FIELDS = ("predictions", "scores", "ask_probabilities", "asked", "updated")
MADE = streams.several()


class Stream(NamedTuple):
    X: Any
    y: Any
    coins: Any
    classes: int
    edges: list[int]


@st.composite
def any_stream(draw: st.DrawFn) -> Stream:
    rows, width, classes = draw(st.integers(1, 30)), draw(st.integers(1, 5)), draw(st.integers(2, 5))
    cells = draw(st.lists(VALUES, min_size=rows * width, max_size=rows * width))
    y = draw(st.lists(st.integers(0, classes - 1), min_size=rows, max_size=rows))
    coins = np.random.default_rng(draw(st.integers(0, 2**32))).random(rows)
    edges = draw(st.lists(st.integers(1, rows), max_size=3))
    return Stream(np.array(cells).reshape(rows, width), np.array(y), coins, classes, edges)


def many(update: Any, query: Any, **options: Any) -> askance.Learner:
    return askance.Learner(update, query, **({"dtype": "float64", "multiclass": True} | options))


def chunked(learner: askance.Learner, X: Any, y: Any, coins: Any, edges: list[int]) -> askance.Trace:
    bounds = sorted({0, *edges, len(y)})
    return askance.Trace.join(
        [learner.run(X[a:b], y[a:b], coins=coins[a:b]) for a, b in itertools.pairwise(bounds)]
    )


# ---------------------------------------------------------------------- twins


def test_every_rule_for_many_classes_has_a_twin() -> None:
    assert {rule.__name__ for rule in ABLE} == set(multiclass.UPDATES)
    assert set(NAMES) == set(multiclass.ALGORITHMS)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("update", also_compiled(ABLE, {updates.PassiveAggressive2}))
@examples(40)
@given(st.data())
def test_exact_mode_decides_as_the_twin(update: type, data: st.DataObject) -> None:
    rule, query = (
        data.draw(UPDATE_PARAMETERS[update].filter(lambda rule: about(rule).many_classes)),
        data.draw(FEW_QUERIES if COMPILING else query_parameters(update)),
    )
    made = data.draw(any_stream())
    twin = multiclass.run(
        *made[:3], multiclass.UPDATES[update.__name__](**rule._asdict()), naive.query_twin(query), made.classes
    )
    learner = many(rule, query, classes=range(made.classes))
    X = sp.csr_array(made.X) if data.draw(st.booleans()) else made.X
    trace = chunked(learner, X, *made[1:3], made.edges)
    for field in ("predictions", "asked", "updated"):
        np.testing.assert_array_equal(getattr(trace, field)[: twin.settled], getattr(twin, field)[: twin.settled])
    for field in ("scores", "ask_probabilities"):
        found, wanted = getattr(trace, field)[: twin.settled], getattr(twin, field)[: twin.settled]
        np.testing.assert_allclose(found, wanted, 1e-9, 1e-9)
    if twin.settled == len(made.y):
        np.testing.assert_allclose(learner.coef_, twin.w, rtol=1e-9, atol=1e-9)


# ---------------------------------------------------------------------- two classes


@examples(60)
@given(any_stream(), POSITIVE, POSITIVE, st.sampled_from(["PassiveAggressive1", "PassiveAggressive2"]))
def test_two_classes_are_binary_with_twice_the_aggressiveness(
    made: Stream, C: float, delta: float, name: str
) -> None:
    """MPAA(C) = PAA(2C), class 0 being +1 and w the difference of the two."""
    rule = getattr(updates, name)
    two = many(rule(C), queries.Margin(delta), classes=(0, 1))
    one = askance.Learner(rule(2 * C), queries.Margin(delta), dtype="float64", classes=(-1, 1))
    y = made.y % 2
    trace, binary = two.run(*made[:1], y, coins=made.coins), one.run(made.X, 1 - 2 * y, coins=made.coins)
    same_until(trace, binary, made.coins)
    if np.array_equal(trace.updated, binary.updated):
        np.testing.assert_allclose(two.coef_[0] - two.coef_[1], one.coef_[0], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", ["PAM", "PAM1", "PAM2"])
@examples(40)
@given(any_stream(), POSITIVE, POSITIVE)
def test_two_classes_of_pam_are_binary_with_twice_the_aggressiveness(
    name: str, made: Stream, C: float, delta: float
) -> None:
    """MPAM(C) = PAM(2C): both classes have the variances of the binary rule, and opposite weights."""
    of_two, of_one = ({}, {}) if name == "PAM" else ({"C": C}, {"C": 2 * C})
    rule = getattr(updates, name)
    two = many(rule(**of_two), queries.Margin(delta), classes=(0, 1))
    one = askance.Learner(rule(**of_one), queries.Margin(delta), dtype="float64", classes=(-1, 1))
    y = made.y % 2
    trace, binary = two.run(made.X, y, coins=made.coins), one.run(made.X, 1 - 2 * y, coins=made.coins)
    same_until(trace, binary, made.coins)
    if np.array_equal(trace.updated, binary.updated):
        np.testing.assert_allclose(two.coef_[0] - two.coef_[1], one.coef_[0], rtol=1e-7, atol=1e-9)


@examples(60)
@given(any_stream(), POSITIVE)
def test_two_classes_of_a_perceptron_are_binary_at_half_the_scale(made: Stream, delta: float) -> None:
    """MPEA(δ) = PEA(δ/2), with w the half of the difference of the two."""
    two = many(updates.Perceptron(), queries.Margin(delta), classes=(0, 1))
    one = askance.Learner(updates.Perceptron(), queries.Margin(delta / 2), dtype="float64", classes=(-1, 1))
    y = made.y % 2
    trace, binary = two.run(made.X, y, coins=made.coins), one.run(made.X, 1 - 2 * y, coins=made.coins)
    same_until(trace, binary, made.coins)


@examples(60)
@given(any_stream(), MODEST, MODEST, st.sampled_from(["DualAveraging", "MirrorDescent"]), st.booleans())
def test_two_classes_of_adaptive_subgradients_are_binary_at_twice_the_pace(
    made: Stream, delta: float, eta: float, name: str, damped: bool
) -> None:
    """MD-*(η) = D-*(2η)."""
    rule = getattr(updates, name)
    two = many(rule(delta, eta), queries.Discrimination(1.0, eta, damped), classes=(0, 1))
    binary = queries.Discrimination(1.0, 2 * eta, damped)
    one = askance.Learner(rule(delta, 2 * eta), binary, dtype="float64", classes=(-1, 1))
    y = made.y % 2
    same_until(two.run(made.X, y, coins=made.coins), one.run(made.X, 1 - 2 * y, coins=made.coins), made.coins)


def same_until(trace: askance.Trace, binary: askance.Trace, coins: Any) -> None:
    """The same probabilities up to the first decision that hangs on the last bits."""
    close = np.abs(coins - binary.ask_probabilities) < 1e-9
    close |= (np.abs(binary.scores) < 1e-9) & (binary.scores != 0)
    close |= np.abs(np.abs(binary.scores) - 1) < 1e-9
    until = int(np.argmax(close)) if close.any() else len(close)
    np.testing.assert_allclose(
        trace.ask_probabilities[:until], binary.ask_probabilities[:until], rtol=1e-9, atol=1e-9
    )
    np.testing.assert_array_equal(trace.updated[:until], binary.updated[:until])
    np.testing.assert_array_equal(trace.predicted_codes[:until], (1 - binary.predicted_codes[:until]) / 2)


# ---------------------------------------------------------------------- classes come and go on


def test_a_class_may_appear_at_any_time() -> None:
    learner = askance.make("MPAA-II", dtype="float64")
    first = learner.run(MADE.X[:40], np.where(MADE.y[:40] % 2, "b", "d"))
    before = learner.coef_.copy()
    learner.tell(MADE.X[40], "c")
    assert learner.classes_.tolist() == ["b", "c", "d"]
    assert learner.coef_.shape == (3, MADE.X.shape[1])
    # The new class has taken its step against the strongest rival; the third one stands as before.
    assert sum(np.array_equal(old, new) for old, new in zip(before, learner.coef_[[0, 2]], strict=True)) == 1
    second = learner.run(MADE.X[41:], np.array(["a", "b", "c", "d"])[MADE.y[41:]])
    assert learner.classes_.tolist() == ["a", "b", "c", "d"]
    assert set(first.y) == {"b", "d"}
    assert set(second.y) == {"a", "b", "c", "d"}


def test_the_first_class_alone_teaches_nothing() -> None:
    learner = askance.make("MPAA-II", dtype="float64")
    assert learner.ask(MADE.X[0]).prediction is None
    learner.tell(MADE.X[0], "only")
    assert not learner.coef_.any()
    decision = learner.ask(MADE.X[1])
    assert (decision.prediction, decision.score, decision.ask) == ("only", 0.0, True)
    learner.tell(MADE.X[1], "other")
    assert learner.coef_.any()


@pytest.mark.parametrize("name", [name for name in NAMES if name.endswith("-diag")])
def test_the_first_class_alone_teaches_second_order_rules_nothing(name: str) -> None:
    learner = askance.make(name, dtype="float64").tell(MADE.X[0], "only")
    assert not learner.coef_.any()
    learner.tell(MADE.X[1], "other")
    assert learner.coef_.any()


@pytest.mark.parametrize("name", ["AROW", "ConfidenceWeighted", "SoftConfidence1"])
def test_a_full_matrix_is_for_two_classes(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name} keeps a full matrix for two classes only: use full=False"):
        many(getattr(updates, name)(full=True), queries.Always()).fit(MADE.X, MADE.y)


def test_ask_and_tell_do_what_run_does() -> None:
    alone, together = (askance.make("MPAA-II", dtype="float64", k=4, random_state=3) for _ in range(2))
    trace = together.run(MADE.X, MADE.y)
    for t, x in enumerate(MADE.X):
        decision = alone.ask(x)
        assert (decision.prediction, decision.score) == (trace.predictions[t], trace.scores[t])
        assert (decision.ask_probability, decision.ask) == (trace.ask_probabilities[t], trace.asked[t])
        if decision.ask:
            alone.tell(x, MADE.y[t])
    assert to_bytes(alone) == to_bytes(together)


def test_saved_in_the_middle_it_goes_on() -> None:
    letters = np.array(["z", "a", "m", "c"])[MADE.y]

    def begun() -> askance.Learner:
        """A learner that numbers its classes otherwise than they sort."""
        return askance.make("MPAA-I", dtype="float64").tell(MADE.X[0], "z").tell(MADE.X[1], "c")

    whole, part = begun(), begun()
    trace = whole.run(MADE.X, letters)
    first = part.run(MADE.X[:50], letters[:50])
    part = from_bytes(to_bytes(part))
    both = askance.Trace.join([first, part.run(MADE.X[50:], letters[50:])])
    assert trace.classes.tolist() == ["z", "c", "a", "m"]
    for field in FIELDS:
        assert np.array_equal(getattr(both, field), getattr(trace, field))
    assert to_bytes(part) == to_bytes(whole)
    assert np.array_equal(part.predict(MADE.X), whole.predict(MADE.X))


def test_scores_have_a_column_a_class_and_two_classes_one_in_all() -> None:
    learner = askance.make("MPA-II", dtype="float64").fit(MADE.X, MADE.y)
    scores = learner.decision_function(MADE.X)
    np.testing.assert_allclose(scores, MADE.X @ learner.coef_.T, rtol=1e-9, atol=1e-12)
    assert np.array_equal(learner.predict(MADE.X), np.argmax(scores, axis=1))
    two = askance.make("MPA-II", dtype="float64").fit(MADE.X, MADE.y % 2)
    assert two.decision_function(MADE.X).shape == (len(MADE.y),)
    assert np.array_equal(two.predict(MADE.X), two.decision_function(MADE.X) > 0)


def test_new_features_find_room_in_every_class() -> None:
    learner = askance.make("MPAA-II", dtype="float64", k=4)
    learner.run(MADE.X, MADE.y)
    before = learner.coef_.copy()
    learner.resize(MADE.X.shape[1] + 3)
    assert np.array_equal(learner.coef_[:, : MADE.X.shape[1]], before)
    assert not learner.coef_[:, MADE.X.shape[1] :].any()


# ---------------------------------------------------------------------- metrics, and what is refused


def test_metrics_of_many_classes_are_those_of_right_and_wrong() -> None:
    trace = askance.make("MPAA-II", dtype="float64").run(MADE.X, MADE.y)
    assert trace.tally().value("accuracy") == np.mean(trace.predictions == MADE.y)
    assert trace.curve("mistakes").values[-1] == np.sum(trace.predictions != MADE.y)
    assert trace.summary().f is None
    for ask_for in (lambda: trace.tally().value("f"), lambda: trace.curve("recall")):
        with pytest.raises(ValueError, match="is for two classes: for many, use one of accuracy, error"):
            ask_for()


@pytest.mark.parametrize(
    ("work", "says"),
    [
        (lambda: askance.make("MPAA-II", k=1), "k must be a whole number of classes, 2 or more, not 1"),
        (lambda: askance.make("MPAA-II", k=2.5), "not 2.5"),
        (lambda: askance.make("MPAA-II", k="3"), "not '3'"),
        (lambda: askance.make("MPAA-II", k=3, classes=[1, 2]), "pass k or classes, not both"),
        (lambda: askance.make("MPAA-II", sgn0=1), "MPAA-II has no parameter 'sgn0'"),
        (lambda: askance.make("MPAA-II", classes=[1]), "two or more different values"),
        (lambda: askance.make("MPAA-II", classes=[1, 1]), "two or more different values"),
        (lambda: askance.Learner(multiclass=3).fit(MADE.X, MADE.y), "multiclass must be True or False, not 3"),
        (lambda: askance.make("MPAA-II").fit(MADE.X, [1] * len(MADE.y)), "only one class"),
        (lambda: askance.make("PAA-II").fit(MADE.X, MADE.y), "a multiclass name such as MPAA-II"),
    ],
)
def test_what_is_refused(work: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        work()


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_bad_row_changes_nothing(bad: float) -> None:
    learner = askance.make("MPAA-II", dtype="float64", k=4)
    learner.run(MADE.X[:50], MADE.y[:50])
    before = to_bytes(learner)
    X = MADE.X[50:].copy()
    X[30, 2] = bad
    for rows in (X, sp.csr_array(X)):
        with pytest.raises(ValueError, match="contains NaN, infinity"):
            learner.run(rows, MADE.y[50:] + 1)  # with a class that nobody knows
        assert to_bytes(learner) == before
    with pytest.raises(ValueError, match="labels like 'a'"):
        learner.run(MADE.X[50:], ["a"] * len(MADE.y[50:]))
    assert to_bytes(learner) == before
