"""What the formulas of second-order learning imply: of Σ, of a step, of a diagonal, of sparse and dense rows."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import askance
import streams
from askance import queries, updates
from askance.cli.methods import parse_parameters
from askance.engine.lanes import LANES, lane_dot
from askance.engine.seam import COMPILING, compiled
from askance.forms.matrix import PENDING, scratch
from askance.forms.triangle import base, identity, product_of_few, product_of_many, whole
from askance.inputs import as_rows
from askance.model_file import from_bytes, to_bytes
from askance.papers import rules_of
from askance.queries.rule import NoMemory
from askance.rows import Seen
from askance.updates.confidence_weighted import PHI
from askance.updates.full import covariance
from askance.updates.rule import about
from test_bad_input import refused

SEEDS = st.integers(0, 2**32 - 1)
GAUSSIAN = [
    updates.AROW(0.5),
    updates.ConfidenceWeighted(1.5),
    updates.ConfidenceWeightedStdev(0.7),
    updates.PAM(),
    updates.PAM1(0.3),
    updates.PAM2(0.3),
    updates.SOAL(0.5, 2.0),
]
ALL = [*GAUSSIAN, updates.SecondOrderPerceptron()]
MODES = [False, True]


def exact(update: Any, query: Any = None, **options: Any) -> askance.Learner:
    return askance.Learner(update, query, **({"dtype": "float64", "classes": (-1, 1)} | options))


def state_of(learner: askance.Learner) -> Any:
    return learner._machine.core.state


def sigma(learner: askance.Learner) -> Any:
    """Σ, whole or as a diagonal matrix."""
    state = state_of(learner)
    return np.diag(state.variances) if hasattr(state, "variances") else covariance(state)


def gaussian_rows(seed: int, rows: int = 30, width: int = 4) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, width)) * 10 ** rng.uniform(-1, 1, (rows, 1)), rng.choice([-1, 1], rows)


def one_hot_rows(seed: int, rows: int = 40, width: int = 5) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = np.eye(width)[rng.integers(0, width, rows)] * rng.normal(size=(rows, 1))
    return X, rng.choice([-1, 1], rows)


# ---------------------------------------------------------------------- Σ


@pytest.mark.parametrize("update", ALL, ids=str)
@settings(max_examples=20)
@given(seed=SEEDS)
def test_sigma_is_positive_definite_and_only_shrinks(update: Any, seed: int) -> None:
    X, y = gaussian_rows(seed)
    probes = np.random.default_rng(seed + 1).normal(size=(10, X.shape[1]))
    for changes in ({"full": True}, {"full": False}):
        learner = exact(update._replace(**changes))
        learner.widen(X.shape[1])
        before = np.einsum("ij,ij->i", probes, probes)  # Σ = I
        for x, label in zip(X, y, strict=True):
            learner.tell(x, int(label))
            found = sigma(learner)
            assert np.array_equal(found, found.T)
            assert np.linalg.eigvalsh(found).min() > 0
            after = np.einsum("ij,jk,ik->i", probes, found, probes)
            assert (after <= before * (1 + 1e-12)).all()
            before = after
        assert (before < 0.99 * np.einsum("ij,ij->i", probes, probes)).any()


@pytest.mark.parametrize(
    ("update", "c"),
    [
        (updates.AROW(0.5), 2.0),
        (updates.PAM(), 1.0),
        (updates.PAM1(0.3), 1.0),
        (updates.PAM2(0.3), 1.0),
        (updates.SOAL(0.5, 2.0), 0.5),
        (updates.SecondOrderPerceptron(), 1.0),
    ],
    ids=str,
)
def test_sigma_is_the_inverse_of_what_was_added_up(update: Any, c: float) -> None:
    """Σ⁻¹ = I + c Σ x xᵀ over the rows that were learned from."""
    X, y = gaussian_rows(5)
    learner = exact(update._replace(full=True), queries.Always())
    fired = learner.run(X, y).updated
    assert fired.sum() > PENDING
    wanted = np.linalg.inv(np.eye(X.shape[1]) + c * X[fired].T @ X[fired])
    np.testing.assert_allclose(sigma(learner), wanted, rtol=1e-9, atol=1e-12)


EXTREME = [
    (np.array([[1e8, 1e8], [1e8, -1e8], [1e8, 1e8 + 1]]), "long"),
    (np.array([[1.0, 1e8], [1.0, -1e8], [1e-8, 1.0]]), "uneven"),
    (np.array([[1e-12, 1e-12], [1e-19, 0.0], [0.0, 1e-22]]), "short"),
    (np.array([[1.0, 1.0], [1.0, 1.0 + 1e-9], [1e9, 1e9]]), "almost the same"),
    (np.array([[1e15, 1.0], [-1e15, 1.0], [1e15, 1e15]]), "very long"),
]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("full", [True, False])
@pytest.mark.parametrize("update", ALL, ids=lambda update: type(update).__name__)
@pytest.mark.parametrize(("X", "what"), EXTREME, ids=[what for _, what in EXTREME])
def test_extreme_rows_break_nothing(X: Any, what: str, update: Any, full: bool, dtype: str) -> None:
    rng = np.random.default_rng(0)
    rows, y = X[rng.integers(0, 3, 60)], rng.choice([-1, 1], 60)
    for inverse in MODES:
        rule = update._replace(full=full, **({"inverse": inverse} if "inverse" in update._fields else {}))
        learner = exact(rule, queries.Always(), dtype=dtype)
        trace = learner.run(rows, y)
        assert np.isfinite(trace.scores).all()
        assert np.isfinite(learner.coef_).all()
        found = sigma(learner)
        assert (np.diag(found) > 0).all()
        assert np.linalg.eigvalsh(found).min() > -1e-14 * np.linalg.eigvalsh(found).max()
        assert (np.diag(found) <= 1).all()


def long_run(update: Any, rounds: int) -> None:
    """Correlated rows: some directions are learned from in every round, others hardly ever."""
    rng = np.random.default_rng(3)
    mixing, w = rng.normal(size=(6, 6)) * np.logspace(0, -3, 6), rng.normal(size=6)
    learner = exact(update._replace(full=True), queries.Always())
    smallest = 1.0
    for _ in range(10):
        X = rng.normal(size=(rounds // 10, 6)) @ mixing.T
        y = np.where(X @ w + rng.normal(size=len(X)) > 0, 1, -1)
        learner.run(X, y)
        found = sigma(learner)
        values = np.linalg.eigvalsh(found)
        assert np.array_equal(found, found.T)
        assert 0 < values.min() <= values.max() <= 1
        assert values.min() <= smallest
        smallest = values.min()
    assert smallest < 100 / rounds
    assert np.isfinite(learner.coef_).all()


LONG = [update for update in ALL if not isinstance(update, updates.ConfidenceWeighted)]


@pytest.mark.parametrize("update", LONG, ids=str)
def test_sigma_stays_sound_for_long(update: Any) -> None:
    long_run(update, 3_000 if COMPILING else 300)


@pytest.mark.soak
@pytest.mark.parametrize("update", LONG, ids=str)
def test_sigma_stays_sound_for_a_million_rounds(update: Any) -> None:
    long_run(update, 1_000_000)


def test_changes_that_wait_are_part_of_what_is_known() -> None:
    X, y = gaussian_rows(9, rows=3 * PENDING)
    learner = exact(updates.AROW(full=True), queries.Always())
    for t in range(len(y)):
        again = from_bytes(to_bytes(learner)) if t else learner
        learner.tell(X[t], int(y[t]))
        again.tell(X[t], int(y[t]))
        assert to_bytes(again) == to_bytes(learner)
    assert state_of(learner).learned[0] > PENDING
    assert state_of(learner).triangle.dtype == np.float64


def test_the_matrix_is_in_double_precision_in_both_modes() -> None:
    X, y = gaussian_rows(9)
    learner = exact(updates.AROW(full=True), queries.Always(), dtype="float32")
    learner.run(X, y)
    assert learner.coef_.dtype == np.float32
    assert state_of(learner).triangle.dtype == np.float64


# ---------------------------------------------------------------------- a step


def a_step(update: Any, seed: int) -> tuple[Any, float, float, float, float]:
    """The learner, and margin y p and spread xᵀΣx before and after one more label."""
    X, y = gaussian_rows(seed, rows=12)
    learner = exact(update).partial_fit(X[:-1], y[:-1])
    x, label = X[-1], y[-1]
    figures = []
    for _ in range(2):
        figures.extend([label * (learner.coef_[0] @ x), x @ sigma(learner) @ x])
        learner.tell(x, int(label)) if len(figures) == 2 else None
    return learner, *figures


@pytest.mark.parametrize("full", [True, False])
@given(seed=SEEDS, inverse=st.booleans())
def test_pam_reaches_a_margin_of_one_and_no_more(full: bool, seed: int, inverse: bool) -> None:
    _, before, v, after, v_after = a_step(updates.PAM(full, inverse), seed)
    if before < 1:
        assert after == pytest.approx(1, abs=1e-8)
        assert v_after < v
        if full:
            assert v_after == pytest.approx(v / (1 + v), rel=1e-6)
    else:
        assert (after, v_after) == (before, v)


@given(seed=SEEDS, phi=st.floats(0.05, 3.0))
def test_confidence_weighted_reaches_the_wanted_confidence_and_no_more(seed: int, phi: float) -> None:
    for rule, root in ((updates.ConfidenceWeighted, float), (updates.ConfidenceWeightedStdev, math.sqrt)):
        _, before, v, after, v_after = a_step(rule(phi, full=True), seed)
        if before < phi * root(v):
            assert after == pytest.approx(phi * root(v_after), rel=1e-6, abs=1e-9)
            assert v_after < v
        else:
            assert (after, v_after) == (before, v)


@given(seed=SEEDS, r=st.floats(-6, 6).map(lambda power: 2.0**power))
def test_arow_goes_forward_by_the_share_that_is_not_known(seed: int, r: float) -> None:
    _, before, v, after, v_after = a_step(updates.AROW(r, full=True), seed)
    if before < 1:
        assert after == pytest.approx(before + (1 - before) * v / (v + r), rel=1e-6, abs=1e-9)
        assert v_after == pytest.approx(r * v / (v + r), rel=1e-6)


@given(seed=SEEDS)
def test_soal_moves_along_the_new_sigma(seed: int) -> None:
    _, before, _, after, v_after = a_step(updates.SOAL(0.7, 2.0, full=True), seed)
    if before < 1:
        assert after == pytest.approx(before + 0.7 * v_after, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("full", [True, False])
@given(seed=SEEDS)
def test_the_first_step_of_pam_is_that_of_pa(full: bool, seed: int) -> None:
    """Σ = I then."""
    X, y = gaussian_rows(seed, rows=1)
    for ours, plain in (
        (updates.PAM(full), updates.PassiveAggressive()),
        (updates.PAM1(0.3, full), updates.PassiveAggressive1(0.3)),
        (updates.PAM2(0.3, full), updates.PassiveAggressive2(0.3)),
    ):
        moved = [exact(update).partial_fit(X, y).coef_ for update in (ours, plain)]
        np.testing.assert_allclose(*moved, rtol=1e-12)


@pytest.mark.parametrize("full", [True, False])
@pytest.mark.parametrize("update", ALL, ids=lambda update: type(update).__name__)
def test_a_row_of_zeros_teaches_nothing(update: Any, full: bool) -> None:
    X, y = gaussian_rows(2)
    learner = exact(update._replace(full=full), queries.Always())
    learner.run(X, y)
    before = [array.tobytes() for array in state_of(learner)]
    trace = learner.run(np.zeros((3, X.shape[1])), [1, -1, 1])
    assert [array.tobytes() for array in state_of(learner)] == before
    assert not trace.scores.any()


# ---------------------------------------------------------------------- diagonals


@pytest.mark.parametrize("inverse", MODES)
@pytest.mark.parametrize("update", GAUSSIAN, ids=str)
@settings(max_examples=20)
@given(seed=SEEDS)
def test_on_rows_of_one_feature_a_diagonal_is_all_there_is(update: Any, inverse: bool, seed: int) -> None:
    X, y = one_hot_rows(seed)
    full, diagonal = (exact(update._replace(full=full, inverse=inverse)) for full in (True, False))
    for learner in (full, diagonal):
        learner.partial_fit(X, y)
    np.testing.assert_allclose(diagonal.coef_, full.coef_, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(sigma(diagonal), sigma(full), rtol=1e-8, atol=1e-12)


@settings(max_examples=20)
@given(seed=SEEDS)
def test_on_rows_of_one_feature_all_second_order_perceptrons_are_one(seed: int) -> None:
    X, y = one_hot_rows(seed)
    rules = [
        updates.SecondOrderPerceptron(full=True),
        *(updates.SecondOrderPerceptron(rank1=one) for one in MODES),
    ]
    learners = [exact(rule, queries.Always()) for rule in rules]
    traces = [learner.run(X, y) for learner in learners]
    for learner, trace in zip(learners, traces, strict=True):
        np.testing.assert_allclose(trace.scores, traces[0].scores, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(learner.coef_, learners[0].coef_, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(sigma(learner), sigma(learners[0]), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("update", GAUSSIAN, ids=str)
def test_the_two_diagonals_differ_on_other_rows(update: Any) -> None:
    X, y = gaussian_rows(1)
    kept = [sigma(exact(update._replace(inverse=inverse)).partial_fit(X, y)) for inverse in MODES]
    assert not np.allclose(*kept)


# ---------------------------------------------------------------------- bounds


@pytest.mark.parametrize("update", [updates.PAM(), updates.PAM1(0.5), updates.PAM2(0.5)], ids=str)
@settings(max_examples=20)
@given(seed=SEEDS)
def test_what_the_one_step_argument_gives_for_pam(update: Any, seed: int) -> None:
    """With e = m + τv - y u·x: Σℓ² ≤ max v (‖u‖² + Σe²), and its likes for PAM-I and PAM-II.

    The theorems as printed do not hold; these follow from the same argument.
    """
    rng = np.random.default_rng(seed)
    X, u = rng.normal(size=(40, 4)), rng.normal(size=4)
    y = np.where(X @ u + (0 if isinstance(update, updates.PAM) else rng.normal(size=40)) > 0, 1, -1)
    if isinstance(update, updates.PAM):
        u /= np.abs(X @ u).min()  # now without a loss
    learner = exact(update._replace(full=True)).widen(4)
    squares, mistakes, errors, losses, spreads = 0.0, 0, 0.0, [], [0.0]
    for x, label in zip(X, y, strict=True):
        w, v, margin = learner.coef_[0].copy(), x @ sigma(learner) @ x, label * (learner.coef_[0] @ x)
        learner.tell(x, int(label))
        if margin < 1:
            moved = label * ((learner.coef_[0] - w) @ x)  # τv
            squares, mistakes = squares + (1 - margin) ** 2, mistakes + (margin < 0)
            errors += (margin + moved - label * (u @ x)) ** 2
            losses.append(max(0.0, 1 - label * (u @ x)))
            spreads.append(v)
    size, most = u @ u + errors, max(spreads)
    if isinstance(update, updates.PAM):
        assert squares <= most * size * (1 + 1e-9)
    elif isinstance(update, updates.PAM1):
        assert mistakes <= max(most, 1 / update.C) * (size + 2 * update.C * sum(losses))
    else:
        soft = size + 2 * update.C * sum(loss**2 for loss in losses)
        assert squares <= (most + 1 / (2 * update.C)) * soft * (1 + 1e-9)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("b", [0.1, 1.0])
def test_theorem_3_of_selective_sampling(b: float, seed: int) -> None:
    """E ΣM ≤ L̄ + (b/2) uᵀE[A]u + E ln det A / (2b), with a margin of 1."""
    made, u = streams.separable(rows=120, width=4, seed=seed)
    y = np.where(np.random.default_rng(seed).random(len(made.y)) < 0.05, -made.y, made.y)
    mistakes, bounds = [], []
    for coin in range(20):
        learner = exact(updates.SecondOrderPerceptron(full=True), queries.Margin(b), seed=coin, sgn0=-1)
        trace = learner.run(made.X, y)
        A = np.linalg.inv(sigma(learner))
        loss = np.maximum(0, 1 - y * (made.X @ u))[trace.updated].sum()
        mistakes.append((trace.labels != y).sum())
        bounds.append(loss + b / 2 * u @ A @ u + np.linalg.slogdet(A)[1] / (2 * b))
    assert 0 < np.mean(mistakes) <= np.mean(bounds)


# ---------------------------------------------------------------------- questions


@given(p=st.floats(-10, 10), v=st.floats(0, 10), eta=st.floats(0.01, 10), gamma=st.floats(0.01, 10))
def test_the_less_is_known_the_likelier_a_question(p: float, v: float, eta: float, gamma: float) -> None:
    rule = queries.SpreadMargin(0.5, eta, gamma)
    asking = [rule.ask(NoMemory(), Seen(p, spread, 1.0, 1.0, 0, 0.0), 0.5) for spread in (0.0, v, 2 * v)]
    assert asking[0] <= asking[1] <= asking[2] <= 1
    assert asking[0] == pytest.approx(queries.Margin(0.5).ask(NoMemory(), Seen(p, 0.0, 1.0, 1.0, 0, 0.0), 0.5))
    surely = abs(p) <= eta * v * gamma / (2 * (v + gamma))
    assert (asking[1] == 1) if surely else (asking[1] < 1 or p == 0 or abs(p) < 1e-12)


def test_a_rule_without_a_spread_cannot_be_asked_for_it() -> None:
    with refused("SpreadMargin", "PassiveAggressive2", "AROW", "Margin"):
        askance.Learner(updates.PassiveAggressive2(), queries.SpreadMargin())
    with refused("Within", "spread", "Perceptron"):
        askance.Learner(updates.Perceptron(), queries.Within(queries.SpreadMargin()))
    for update in ALL:
        askance.Learner(update, queries.AtRate(queries.SpreadMargin()))


# ---------------------------------------------------------------------- products


@pytest.mark.parametrize("width", [1, 2, 3, 4, 5, 15, 16, 17, 31, 32, 33, 63, 70])
def test_products_are_right_and_the_same_for_sparse_and_dense_rows(width: int) -> None:
    rng = np.random.default_rng(width)
    matrix = rng.normal(size=(width, width))
    matrix += matrix.T
    triangle = matrix[np.tril_indices(width)]
    assert np.array_equal(whole(triangle, width), matrix)
    for density in (0.0, 0.1, 0.5, 1.0):
        x = rng.normal(size=(1, width)) * (rng.random((1, width)) < density)
        found = []
        for form in (np.asarray, sp.csr_array):
            rows, many, few = as_rows(form(x), np.dtype(float)), scratch(width), scratch(width)
            product_of_many(triangle, rows, 0, many.product, many.row)
            product_of_few(triangle, rows, 0, few.product, few.sums)
            found.extend([many.product, few.product])
        np.testing.assert_allclose(found[0], matrix @ x[0], atol=1e-12)
        assert len({product.tobytes() for product in found}) == 1


@pytest.mark.parametrize("width", [30, 60])
@pytest.mark.parametrize("density", [0.05, 0.3])
def test_sparse_and_dense_rows_teach_the_same(width: int, density: float) -> None:
    """Below one non-zero in ten features, sparse rows are multiplied otherwise than dense ones."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, width)) * (rng.random((80, width)) < density)
    y = np.where(X @ rng.normal(size=width) + rng.normal(size=80) > 0, 1, -1)
    for update, dtype in itertools.product(ALL, ("float32", "float64")):
        learners = [exact(update._replace(full=True), queries.Always(), dtype=dtype) for _ in range(2)]
        for learner, form in zip(learners, (np.asarray, sp.csr_array), strict=True):
            learner.run(form(X), y)
        if dtype == "float64":
            assert to_bytes(learners[0]) == to_bytes(learners[1])
        else:
            np.testing.assert_allclose(learners[0].coef_, learners[1].coef_, rtol=1e-3, atol=1e-3)


def test_a_dot_product_in_lanes_is_the_same_compiled() -> None:
    def call(a, b, count):  # type: ignore[no-untyped-def]
        return lane_dot(a, b, count)

    rng = np.random.default_rng(0)
    strict, relaxed = (compiled(call, exact=exact, cache=False) for exact in (True, False))
    a, b = rng.normal(size=(2, 5 * LANES)) * 10 ** rng.uniform(-3, 3, (2, 5 * LANES))
    for count in range(5 * LANES):
        plain = lane_dot(a, b, count)
        assert strict(a, b, count) == plain
        assert plain == pytest.approx(a[:count] @ b[:count], rel=1e-9, abs=1e-6)
        assert relaxed(a, b, count) == pytest.approx(plain, rel=1e-9, abs=1e-6)


def test_a_triangle_begins_as_the_identity_and_grows_at_its_end() -> None:
    assert np.array_equal(whole(identity(7), 7), np.eye(7))
    assert np.array_equal(identity(9)[: base(7)], identity(7))


# ---------------------------------------------------------------------- what is refused


@pytest.mark.parametrize("update", ALL, ids=lambda update: type(update).__name__)
def test_a_matrix_that_does_not_fit_is_refused(update: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = gaussian_rows(3)
    rule = update._replace(full=True)
    learner = exact(rule, queries.Always())
    monkeypatch.setattr("askance.updates.full.free_bytes", lambda: 50.0)
    with refused("4 features", type(update).__name__, "full=False", "diagonal"):
        learner.run(X, y)
    assert learner.spending() == (0, 0, 0)
    exact(update._replace(full=False)).run(X, y)
    monkeypatch.undo()
    learner.run(X, y)
    state = to_bytes(learner)
    with refused("30,000,000 features", "GB", "full=False"):
        learner.widen(30_000_000)
    with refused("full=False"):
        askance.Learner(rule).run(sp.csr_array((2, 10**8)), [1, -1])
    assert to_bytes(learner) == state


@pytest.mark.parametrize(
    ("name", "parameters", "words"),
    [
        ("AROW", {"r": 0}, ["r", "greater than 0"]),
        ("AROW-diag", {"r": -1.0}, ["r", "-1.0"]),
        ("AROW-diag", {"mode": "both"}, ["mode", "'inv'", "'drop'", "'both'"]),
        ("AROW-diag", {"mode": 1.0}, ["mode", "1.0"]),
        ("PAM-II-diag", {"mode": None}, ["mode", "None"]),
        ("PAM-I", {"C": 0}, ["C", "greater than 0"]),
        ("PAM", {"C": -1}, ["C"]),
        ("CW", {"eta": 0.5}, ["eta", "greater than 0.5", "less than 1", "not 0.5"]),
        ("CW", {"eta": 1.0}, ["eta", "less than 1", "not 1.0"]),
        ("CW-diag", {"eta": 0.2}, ["eta", "0.2"]),
        ("CW-stdev", {"eta": math.nan}, ["eta", "nan"]),
        ("CW", {"eta": "x"}, ["eta", "number", "'x'"]),
        ("CW", {"form": "sd"}, ["form", "'var'", "'stdev'", "'sd'"]),
        ("CW-stdev", {"form": "var"}, ["CW-stdev", "'form'"]),
        ("CW", {"mode": "inv"}, ["CW", "'mode'"]),
        ("SOP-diag", {"rule": "rank2"}, ["rule", "'entry'", "'rank1'", "'rank2'"]),
        ("SEL-2ND", {"b": 0}, ["b", "greater than 0"]),
        ("SOAL", {"delta": 0}, ["greater than 0"]),
        ("SOAL", {"eta": 0}, ["eta", "greater than 0"]),
        ("SOAL-diag", {"gamma": math.inf}, ["gamma", "finite"]),
    ],
)
def test_parameters_of_names(name: str, parameters: dict[str, Any], words: list[str]) -> None:
    with refused(*words):
        askance.make(name, **parameters)


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (updates.AROW(1.0, full="yes"), ["full", "True or False", "'yes'"]),
        (updates.AROW(1.0, inverse=1), ["inverse", "True or False", "not 1"]),
        (updates.AROW(True), ["r", "number", "True"]),
        (updates.PAM(None), ["full", "None"]),
        (updates.PAM1(0.0), ["C", "not 0.0"]),
        (updates.PAM2(math.inf), ["C", "finite"]),
        (updates.ConfidenceWeighted(0), ["phi", "greater than 0"]),
        (updates.ConfidenceWeightedStdev(-1), ["phi", "-1"]),
        (updates.SecondOrderPerceptron(rank1="rank1"), ["rank1", "True or False"]),
        (updates.SOAL(0), ["eta", "not 0"]),
        (updates.SOAL(1, 0), ["gamma", "not 0"]),
    ],
    ids=str,
)
def test_parameters_of_rules(rule: Any, words: list[str]) -> None:
    with refused(type(rule).__name__, *words):
        askance.Learner(rule)


def test_parameters_of_the_query_rule() -> None:
    for parameters, word in (((0,), "b"), ((1, 0), "eta"), ((1, 1, -1), "gamma")):
        with refused("SpreadMargin", word):
            askance.Learner(updates.SOAL(), queries.SpreadMargin(*parameters))


# ---------------------------------------------------------------------- names and what they mean


@pytest.mark.parametrize(
    ("name", "parameters", "update"),
    [
        ("AROW", {"r": 2}, updates.AROW(2, full=True)),
        ("AROW-diag", {}, updates.AROW(1.0)),
        ("AROW-diag", {"mode": "inv"}, updates.AROW(1.0, inverse=True)),
        ("PAM-II-diag", {"C": 3, "mode": "drop"}, updates.PAM2(3, inverse=False)),
        ("PAM-I", {}, updates.PAM1(1.0, full=True)),
        ("SOP-diag", {"rule": "rank1"}, updates.SecondOrderPerceptron(rank1=True)),
        ("CW", {"form": "stdev"}, updates.ConfidenceWeightedStdev(PHI, full=True)),
        (
            "CW-diag",
            {"eta": 0.75, "mode": "drop"},
            updates.ConfidenceWeighted(updates.deviations(0.75), inverse=False),
        ),
        ("SOAL", {"eta": 0.1, "gamma": 5}, updates.SOAL(0.1, 5, full=True)),
    ],
)
def test_words_reach_the_rules(name: str, parameters: dict[str, Any], update: Any) -> None:
    made = askance.make(name, **parameters).update
    assert type(made) is type(update)
    assert made == update
    given = [f"{key}={value}" for key, value in parameters.items()]
    assert rules_of(name, parse_parameters(given, name))[0] == update


def test_soal_asks_with_what_it_learns_with() -> None:
    learner = askance.make("SOAL-diag", delta=0.5, eta=0.1, gamma=5.0)
    assert learner.query == queries.SpreadMargin(0.5, 0.1, 5.0)
    assert learner.update == updates.SOAL(0.1, 5.0)


def test_the_confidence_that_deviations_give() -> None:
    assert updates.deviations(0.9) == PHI
    for eta in (0.51, 0.75, 0.999):
        assert 0.5 * (1 + math.erf(updates.deviations(eta) / math.sqrt(2))) == pytest.approx(eta, abs=1e-14)


@pytest.mark.parametrize("update", ALL, ids=lambda update: type(update).__name__)
def test_what_a_rule_says_of_itself(update: Any) -> None:
    assert about(update._replace(full=True)).cost == "O(d²)"
    assert about(update).cost == "O(d')"
    assert about(update).has_spread
