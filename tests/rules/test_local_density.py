"""Questions that depend on where other rows are: windows by hand, what counts, and the rows of scikit-activeml."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import askance
import streams
from askance import Learner, queries, updates
from askance.engine.machine import copied
from askance.engine.watching import watch
from askance.errors import ModelFileError
from askance.learners.files import from_bytes, to_bytes
from askance.rules.query import recent_rows
from askance.rules.query.rule import with_room
from askance.rules.rows import DenseRows, Seen
from conformance_checks import pieces, same
from needs import missing
from refusals import refused

WINDOWS = (queries.LocalDensity, queries.CognitiveWindow)


def densities(rule: Any, X: Any) -> list[int]:
    """The local density of each row."""
    memory, rows, found = memory_of(rule, X), DenseRows(np.asarray(X, float)), []
    for t in range(len(X)):
        watch(rule, memory, rows, t)
        found.append(int(memory.density[0]))
    return found


def memory_of(rule: Any, X: Any) -> Any:
    return with_room(rule, rule.start(), np.shape(X)[1])


def asking(rule: Any, X: Any, scores: Any, coins: Any, memory: Any = None) -> Any:
    """Which rows are asked about."""
    memory, rows, asked = memory_of(rule, X) if memory is None else memory, DenseRows(np.asarray(X, float)), []
    for t, (score, coin) in enumerate(zip(scores, coins, strict=True)):
        watch(rule, memory, rows, t)
        asked.append(coin < rule.ask(memory, Seen(score, 0.0, 1.0, 1.0, 0, 0.0), coin))
    return np.array(asked)


# ---------------------------------------------------------------------- windows by hand


@pytest.mark.parametrize("kind", WINDOWS)
def test_the_density_counts_new_nearest_neighbours(kind: Any) -> None:
    """Rows on a line. The one at 3 is nearer to 0 and to 5 than these are to each other; that at 1 only to 0.

    The second row at 1 is nearer to the first than all others. The third is no nearer than the second.
    """
    rule = kind(queries.Always(), window=10)
    assert densities(rule, [[0.0], [5.0], [3.0], [1.0], [1.0], [1.0]]) == [0, 1, 2, 1, 1, 0]


def test_the_oldest_row_leaves_the_window() -> None:
    """The second row at 0 is a neighbour of that at 9 alone, since the first has left: 9 is nearer to 9.5."""
    rule = queries.LocalDensity(queries.Always(), window=2)
    assert densities(rule, [[0.0], [9.0], [9.5], [0.0]]) == [0, 1, 1, 0]
    assert densities(rule._replace(window=3), [[0.0], [9.0], [9.5], [0.0]]) == [0, 1, 1, 1]


def test_the_row_with_the_weakest_memory_is_forgotten() -> None:
    """The row at 1 recalls that at 0. One round later the strengths are exp(-1/2) and exp(-1): 1 is forgotten.

    So the last row has a neighbour at 0. A window of the last two rows holds 1 and 9, to which it is no nearer.
    """
    rule = queries.CognitiveWindow(queries.Always(), window=2)
    X = [[0.0], [1.0], [9.0], [-0.1]]
    assert densities(rule, X) == [0, 1, 0, 1]
    assert densities(queries.LocalDensity(queries.Always(), window=2), X) == [0, 1, 0, 0]


@pytest.mark.parametrize("kind", WINDOWS)
def test_a_window_of_one_row(kind: Any) -> None:
    assert densities(kind(queries.Always(), window=1), [[0.0], [9.0], [3.0], [3.0]]) == [0, 1, 1, 1]


def test_the_first_values_of_a_long_row_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recent_rows, "MOST_ENTRIES", 2)
    rule = queries.LocalDensity(queries.Always())
    X = np.array([[1.0, 2.0, 0.0, 7.0], [1.0, 0.0, 2.0, 0.0], [1.0, 2.0, 0.0, 9.0]])
    memory = memory_of(rule, X)
    assert memory.values.shape == (101, 2)
    asking(rule, X, np.zeros(3), np.zeros(3), memory)
    assert memory.nearest[:3].tolist() == [0.0, 8.0, 0.0]  # the third is where the first is


@pytest.mark.parametrize("kind", WINDOWS)
def test_distances_beyond_the_largest_number_are_equal(kind: Any) -> None:
    with np.errstate(over="ignore"):
        assert densities(kind(queries.Always()), [[1e200], [-1e200], [1e200]]) == [0, 0, 1]


# ---------------------------------------------------------------------- what counts


def test_what_is_withheld_and_what_the_inner_rule_counts() -> None:
    rng = np.random.default_rng(2)
    X, scores, coins = rng.normal(size=(300, 4)), rng.normal(size=300), rng.random(300)
    inner = queries.VariableUncertainty(rate=0.3, s=0.1, audit=0.0)
    near = queries.LocalDensity(inner, window=20, audit=0.0)
    dense = np.array(densities(near, X)) >= 1
    assert 50 < dense.sum() < 250
    memory = memory_of(near, X)
    asked = asking(near, X, scores, coins, memory)
    assert not asked[~dense].any()
    alone = inner.start()  # with the dense rows only
    expected = [
        coin < inner.ask(alone, Seen(score, 0, 1, 1, 0, 0), coin)
        for score, coin in zip(scores[dense], coins[dense], strict=True)
    ]
    np.testing.assert_array_equal(asked[dense], expected)
    assert memory.inner == alone
    counting, memory = near._replace(count_all=True), memory_of(near, X)
    asking(counting, X, scores, coins, memory)
    other = inner.start()
    for score, coin, is_dense in zip(scores, coins, dense, strict=True):
        inner.ask(other, Seen(score, 0, 1, 1, 0, 0), coin if is_dense else 1.0)
    assert memory.inner == other != alone


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", WINDOWS)
def test_the_audit_is_a_share_of_the_probability(kind: Any) -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(2000, 5))
    rule = kind(queries.Random(0.5), window=9, audit=0.2)
    learner = Learner(updates.PassiveAggressive1(), rule, classes=(-1, 1), dtype="float64")
    trace = learner.run(X, np.sign(X[:, 0]))
    sparse = np.array(densities(rule, X)) == 0
    np.testing.assert_allclose(trace.ask_probabilities, np.where(sparse, 0.1, 0.5))
    assert trace.asked[sparse].mean() == pytest.approx(0.1, abs=0.03)


@pytest.mark.slow
def test_steering_makes_up_for_what_is_withheld() -> None:
    made = streams.noisy(rows=1500, width=5, random_state=4)
    for inner in (queries.Margin(), queries.VariableUncertainty(0.5)):
        query = queries.Within(queries.AtRate(queries.LocalDensity(inner, window=20), 0.1), rate=0.1, burst=30)  # type: ignore[arg-type]
        trace = Learner(updates.PassiveAggressive1(), query, classes=(-1, 1)).run(made.X, made.y)
        assert 130 < trace.asked.sum() <= 180


@pytest.mark.parametrize("kind", WINDOWS)
def test_rows_without_available_labels_are_seen_and_labels_alone_are_not(kind: Any) -> None:
    made = streams.noisy(rows=60, width=4, random_state=5)
    one, other = (Learner(query=kind(queries.Random(0.5)), classes=(-1, 1)) for _ in range(2))
    for t in range(40):
        one.ask(made.X[t], granted=False)
        other.ask(made.X[t])
    before = copied(one._core.machine.core.memory)
    one.tell(made.X[50], 1).partial_fit(made.X[:20], made.y[:20]).predict(made.X)
    for field in ("values", "density", "arrivals", "recalls"):
        for memory in (before, other._core.machine.core.memory):
            np.testing.assert_array_equal(getattr(one._core.machine.core.memory, field), getattr(memory, field))


# ---------------------------------------------------------------------- learners


@pytest.mark.parametrize("kind", WINDOWS)
@pytest.mark.parametrize(
    "update",
    [
        updates.PassiveAggressive2(),
        askance.kernels.Kernelized(updates.Perceptron()),
        askance.rules.imbalance.OnlineBagging(members=3),
    ],
    ids=lambda rule: type(rule).__name__,
)
def test_chunks_forms_and_saving_do_not_matter(update: Any, kind: Any) -> None:
    X, y, _ = streams.sparse_units(rows=90, width=12, random_state=4)
    query = queries.Within(kind(queries.Margin(), window=7, audit=0.2), 0.5)
    whole = Learner(update, query, classes=(-1, 1), dtype="float64")
    trace = whole.run(X, y)
    for rows, size in ((X, 7), (sp.csr_array(X), 1)):
        part = Learner(update, query, classes=(-1, 1), dtype="float64")
        first = pieces(part, rows[:50], y[:50], *range(0, 50, size))
        part = from_bytes(to_bytes(part))
        same(askance.Trace.join([first, part.run(rows[50:], y[50:])]), trace)
        assert to_bytes(part) == to_bytes(whole)


def test_several_classes_and_scaled_rows() -> None:
    X, y, _ = streams.several()
    query = queries.CognitiveWindow(queries.Margin())
    learners = [
        Learner(query=query, multiclass=True, classes=sorted(set(y.tolist())), scaling="standard", intercept=0.3)
        for _ in range(2)
    ]
    same(pieces(learners[0], X, y, 11, 30), learners[1].run(X, y))
    assert len(set(np.round(learners[1].run(X, y).ask_probabilities, 3))) > 2


def test_a_bad_row_changes_nothing() -> None:
    learner = Learner(query=queries.LocalDensity(queries.Margin()), classes=(-1, 1))
    learner.run([[1.0, 2.0], [2.0, 1.0]], [1, -1])
    before = to_bytes(learner)
    with refused("row 1"):
        learner.run([[1.0, 2.0], [1e30, 1.0]], [1, -1])
    with refused("row"):
        learner.ask([1e30, 1.0])
    assert to_bytes(learner) == before


def test_another_query_rule_later() -> None:
    made = streams.noisy(rows=60, width=4, random_state=5)
    learner = Learner(classes=(-1, 1))
    learner.run(made.X, made.y)
    learner.set_query_rule(queries.LocalDensity(queries.Always(), audit=0.0))
    assert learner.run(made.X, made.y).ask_probabilities[0] == 0


def test_a_forged_window_is_refused() -> None:
    learner = Learner(query=queries.LocalDensity(queries.Always()), classes=(-1, 1))
    learner.run([[1.0, 2.0]], [1])
    learner._core.machine.core.memory.sizes[0] = 3
    with pytest.raises(ModelFileError, match="recent rows"):
        from_bytes(to_bytes(learner))


def test_a_fleet_refuses() -> None:
    with refused("LocalDensity", "fleet"):
        askance.Fleet("PAA-II", classes=[-1, 1], query=queries.Within(queries.LocalDensity(queries.Margin())))


# ---------------------------------------------------------------------- scikit-activeml

BUDGET = 0.2
SHARED: Any = {"rate": BUDGET, "audit": 0.0}
# A random row in all but 2⁻⁵³ of the cases: then only the budget and the coin count.
COIN = queries.Split(nu=1.0 - 2.0**-53, **SHARED)


class GivenDraws:
    """A random state whose next draw is given."""

    draw = 0.0

    def get_state(self) -> None:
        return None

    def set_state(self, state: None) -> None:
        pass

    def random_sample(self, count: int | None = None) -> Any:
        return self.draw if count is None else np.full(count, self.draw)

    def normal(self, mean: float, deviation: float) -> float:
        return mean + deviation * self.draw


def peer(name: str, random_state: int) -> Any:
    """A strategy of scikit-activeml with given draws."""
    try:
        from skactiveml import stream
    except ImportError:
        missing("the comparison with scikit-activeml", "scikit-activeml")
    more = {"classes": [0, 1]} if name.endswith("FixUn") else {}
    strategy = getattr(stream, name)(budget=BUDGET, random_state=random_state, **more)
    manager = strategy._get_default_budget_manager()
    kept = {"classes": [0, 1]} if name.endswith("FixUn") else {}
    strategy.budget_manager_ = manager(budget=BUDGET, **kept)
    strategy.budget_manager_.random_state_ = GivenDraws()
    strategy.budget_manager_._validate_random_state = lambda: None
    return strategy


def asked_by(strategy: Any, X: Any, chances: Any, draws: Any) -> Any:
    """Which rows it asks about, row by row."""
    from skactiveml.base import SkactivemlClassifier

    class Known(SkactivemlClassifier):  # type: ignore[misc]
        def fit(self, X: Any, y: Any) -> Any:
            raise NotImplementedError

        def predict_proba(self, X: Any) -> Any:
            return self.chances[np.newaxis]

    known, asked = Known(), []
    for x, known.chances, draw in zip(X, chances, draws, strict=True):
        strategy.budget_manager_.random_state_.draw = draw
        found = strategy.query(candidates=x[np.newaxis], clf=known)
        strategy.update(candidates=x[np.newaxis], queried_indices=np.array(found, int))
        asked.append(len(found) == 1)
    return np.array(asked)


def stream_of(random_state: int, rows: int = 400) -> Any:
    """Rows in three groups and far from them, probabilities of two classes, coins, and normal draws from these."""
    from scipy.special import ndtri

    rng = np.random.default_rng(random_state)
    X = rng.normal(size=(rows, 4)) * np.where(rng.random(rows) < 0.1, 5.0, 1.0)[:, None]
    X += 4.0 * rng.integers(0, 3, rows)[:, None]
    chance = 0.5 + rng.random(rows) / 2
    coins = rng.random(rows)
    return X, np.column_stack([chance, 1 - chance]), coins, -ndtri(coins)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("random_state", [1, 2])
def test_the_rows_of_density_based_active_learning(random_state: int) -> None:
    """The budget of DBALStream counts from the first row on, and its threshold rises where rows are not dense."""
    X, chances, coins, draws = stream_of(random_state)
    inner = queries.RandomVariableUncertainty(rate=1.0, audit=0.0)
    near = queries.LocalDensity(inner, audit=0.0, count_all=True)
    query = queries.Within(near, BUDGET, burst=1 - 1e-9)
    confidence = 1 - (1 - (chances[:, 0] - chances[:, 1]))
    ours = asking(query, X, confidence, coins)
    np.testing.assert_array_equal(ours, asked_by(peer("StreamDensityBasedAL", random_state), X, chances, draws))
    assert ours.sum() > 60


INNER = {
    "Ran": COIN,
    "FixUn": queries.FixedUncertainty(theta=0.5 + BUDGET / 2, **SHARED),
    "VarUn": queries.VariableUncertainty(**SHARED),
    "RanVarUn": queries.RandomVariableUncertainty(**SHARED),
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("count_all", [False, True])
@pytest.mark.parametrize("variant", INNER)
def test_the_rows_of_the_cognitive_strategy(variant: str, count_all: bool) -> None:
    """Its window has one row more than its parameter says."""
    X, chances, coins, draws = stream_of(3)
    strategy = peer(f"CognitiveDualQueryStrategy{variant}", 3)
    strategy.force_full_budget = count_all
    query = queries.CognitiveWindow(INNER[variant], window=11, audit=0.0, count_all=count_all)
    confidence = 1 - (1 - chances[:, 0])
    theirs = asked_by(strategy, X, chances, coins if variant == "Ran" else draws)
    ours = asking(query, X, confidence, coins)
    np.testing.assert_array_equal(ours, theirs)
    assert ours.sum() > 20
