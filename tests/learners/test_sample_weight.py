"""Weights of rows: each multiplies the loss of its row, exactly, or is refused."""

import math
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize, minimize_scalar
from sklearn.ensemble import BaggingClassifier

import askance
import streams
from askance import kernels, queries, updates
from askance.learners.files import to_bytes
from askance.rules.state.full import covariance
from exact_learners import exact
from naive import weighted as twin
from thinning import also_compiled

X, Y, _ = streams.noisy(rows=40, width=5, random_state=7)
WEIGHTS = np.random.default_rng(1).uniform(0.1, 5.0, 40)
PA1, PA2, OGD = updates.PassiveAggressive1, updates.PassiveAggressive2, updates.OGD
CSPA, CPA, SOAL = updates.CostSensitivePA1, updates.CPA, updates.SOAL

HARD = [updates.PassiveAggressive(), updates.ConfidenceWeighted(), updates.ConfidenceWeightedStdev()]
GRADIENTS = [updates.Perceptron(), updates.DualAveraging(0.5, 0.3), updates.MirrorDescent(0.5, 0.3)]
OTHERS = [
    *(PA1(0.2), PA2(0.3), OGD(), updates.AROW(), updates.AROW(full=True), updates.AROW(inverse=True)),
    *(updates.SoftConfidence1(0.3), updates.SoftConfidence2(0.3), updates.SoftConfidence2(full=True)),
    *(updates.NHERD(), updates.NHERD(full=True), updates.NHERD(exact=True)),
    *(SOAL(), SOAL(full=True), CSPA(), CSPA(literal=True), CPA(), CPA(math.inf), CPA(squared=True)),
    *(updates.CostSensitiveDA(0.5, 0.3), updates.CostSensitiveMD(0.5, 0.3)),
    *(updates.PAUM(), updates.OCS1(), updates.OCS2(running=True), updates.Winnow(), updates.PNorm()),
]


@pytest.mark.parametrize("rule", also_compiled([*HARD, *GRADIENTS, *OTHERS], {GRADIENTS[0]}), ids=str)
def test_a_weight_of_one_changes_nothing(rule: Any) -> None:
    plain = exact(rule).partial_fit(X, Y)
    weighted = exact(rule).partial_fit(X, Y, sample_weight=np.ones(40))
    told = exact(rule).resize(5)
    for x, label in zip(X, Y, strict=True):
        told.tell(x, label, sample_weight=1)
    assert to_bytes(plain) == to_bytes(weighted) == to_bytes(told)


@pytest.mark.parametrize("rows", [np.asarray, sp.csr_array])
@pytest.mark.parametrize(("rule", "squared"), [(PA1(0.05), False), (PA2(0.3), True)], ids=str)
def test_each_step_minimises_the_weighted_loss(rule: Any, squared: bool, rows: Any) -> None:
    """w minimises ½‖w - w_t‖² + weight · C · ℓ: the direction is y x, and no other length does better."""
    learner, before = exact(rule), np.zeros(5)
    for t, (x, label) in enumerate(zip(X, Y, strict=True)):
        learner.partial_fit(rows(X[t : t + 1]), [label], sample_weight=[WEIGHTS[t]])
        lengths = np.linspace(0, 4, 4001)
        losses = np.maximum(0, 1 - label * (before @ x) - lengths * (x @ x))
        costs = lengths**2 * (x @ x) / 2 + WEIGHTS[t] * rule.C * (losses**2 if squared else losses)
        step = learner.coef_[0] - before
        length = label * (step @ x) / (x @ x)
        np.testing.assert_allclose(step, length * label * x, atol=1e-12)
        assert length == pytest.approx(lengths[np.argmin(costs)], abs=2e-3)
        before = learner.coef_[0].copy()


def length_of(rule: Any, x: Any, label: int, before: Any, weight: float) -> float:
    """The length of the step along y x that minimises ½‖step‖² + weight · C · loss."""
    norm, margin = x @ x, label * (before @ x)
    wanted = (
        math.sqrt(rule.rho if label > 0 else 1.0) if isinstance(rule, CPA) else (rule.rho if label > 0 else 1.0)
    )
    power = 2 if getattr(rule, "squared", False) else 1

    def cost(length: float) -> float:
        loss = max(0.0, wanted - margin - length * norm)
        return length**2 * norm / 2 + weight * rule.C * loss**power

    return float(minimize_scalar(cost, bounds=(0, 20), method="bounded", options={"xatol": 1e-10}).x)


@pytest.mark.parametrize("rule", [CSPA(0.05), CSPA(3.0), CPA(0.05), CPA(0.3, squared=True)], ids=str)
def test_each_cost_sensitive_step_minimises_the_weighted_loss(rule: Any) -> None:
    learner, before = exact(rule), np.zeros(5)
    for x, label, weight in zip(X, Y, WEIGHTS, strict=True):
        mistake = (1 if before @ x >= 0 else -1) != label
        learner.partial_fit([x], [label], sample_weight=[weight])
        wanted = 0.0 if isinstance(rule, CPA) and not mistake else length_of(rule, x, label, before, weight)
        np.testing.assert_allclose(learner.coef_[0] - before, wanted * label * x, atol=1e-6)
        before = learner.coef_[0].copy()


def divergence(mean: Any, spread: Any, mean_0: Any, spread_0: Any) -> float:
    """Of two normal distributions, up to constants."""
    inverse, difference = np.linalg.inv(spread_0), mean - mean_0
    log_volume = np.linalg.slogdet(spread)[1]
    return 0.5 * float(np.trace(inverse @ spread) + difference @ inverse @ difference - log_volume)


def unpacked(numbers: Any) -> tuple[Any, Any]:
    """A mean of three numbers and a positive definite matrix."""
    root = np.zeros((3, 3))
    root[np.tril_indices(3)] = numbers[3:]
    return numbers[:3], root @ root.T


@pytest.mark.parametrize("weight", [0.3, 4.0])
def test_arow_minimises_the_weighted_objective(weight: float) -> None:
    """KL(μ, Σ ‖ μ_t, Σ_t) + weight (ℓ² + xᵀΣx) / (2r)."""
    x, label, r = np.array([0.5, -1.0, 0.8]), 1, 0.7
    learner = exact(updates.AROW(r, full=True)).partial_fit(X[:6, :3], Y[:6])
    state = learner._core.machine.core.state
    mean_0, spread_0 = state.weights.copy(), covariance(state)
    learner.tell(x, label, sample_weight=weight)
    state = learner._core.machine.core.state

    def cost(numbers: Any) -> float:
        mean, spread = unpacked(numbers)
        loss = max(0.0, 1 - label * (mean @ x))
        return divergence(mean, spread, mean_0, spread_0) + weight * (loss**2 + x @ spread @ x) / (2 * r)

    start = np.concatenate([mean_0, np.linalg.cholesky(spread_0)[np.tril_indices(3)]])
    mean, spread = unpacked(minimize(cost, start, options={"gtol": 1e-9}).x)
    np.testing.assert_allclose(state.weights, mean, atol=1e-5)
    np.testing.assert_allclose(covariance(state), spread, atol=1e-5)
    assert not np.allclose(mean, mean_0, atol=1e-3)


@pytest.mark.parametrize("weight", [0.3, 4.0])
@pytest.mark.parametrize(("rule", "power"), [(updates.SoftConfidence1, 1), (updates.SoftConfidence2, 2)])
def test_soft_confidence_minimises_the_weighted_objective(rule: Any, power: int, weight: float) -> None:
    """KL(μ, Σ ‖ μ_t, Σ_t) + weight C ℓ, or C ℓ²; C is so small that a loss remains."""
    x, label, C, phi = np.array([0.5, -1.0, 0.8]), 1, 0.03, 0.7
    learner = exact(rule(C, phi, full=True)).partial_fit(X[:6, :3], Y[:6])
    state = learner._core.machine.core.state
    mean_0, spread_0 = state.weights.copy(), covariance(state)
    learner.tell(x, label, sample_weight=weight)
    state = learner._core.machine.core.state

    def cost(numbers: Any) -> float:
        mean, spread = unpacked(numbers)
        loss = max(0.0, phi * math.sqrt(x @ spread @ x) - label * (mean @ x))
        return divergence(mean, spread, mean_0, spread_0) + weight * C * loss**power

    start = np.concatenate([mean_0, np.linalg.cholesky(spread_0)[np.tril_indices(3)]])
    mean, spread = unpacked(minimize(cost, start, options={"gtol": 1e-9}).x)
    np.testing.assert_allclose(state.weights, mean, atol=1e-5)
    np.testing.assert_allclose(covariance(state), spread, atol=1e-5)
    assert not np.allclose(mean, mean_0, atol=1e-3)


@pytest.mark.parametrize("weight", [0.3, 4.0])
def test_soal_minimises_the_weighted_objective(weight: float) -> None:
    """First Σ of KL + weight xᵀΣx / (2γ); then μ of ½(μ - μ_t)ᵀΣ⁻¹(μ - μ_t) - weight η y μ·x."""
    x, eta, gamma = np.array([0.5, -1.0, 0.8]), 0.4, 0.7
    learner = exact(SOAL(eta, gamma, full=True)).partial_fit(X[:6, :3], Y[:6])
    mean_0, spread_0 = learner.coef_[0].copy(), covariance(learner._core.machine.core.state)
    label = -1 if mean_0 @ x > 0 else 1
    learner.tell(x, label, sample_weight=weight)
    precision = np.linalg.inv(spread_0) + weight * np.outer(x, x) / gamma
    found = minimize(
        lambda mean: (mean - mean_0) @ precision @ (mean - mean_0) / 2 - weight * eta * label * (mean @ x), mean_0
    )
    np.testing.assert_allclose(np.linalg.inv(covariance(learner._core.machine.core.state)), precision, rtol=1e-9)
    np.testing.assert_allclose(learner.coef_[0], found.x, atol=1e-5)


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize("rule", GRADIENTS, ids=str)
def test_gradients_are_multiplied(rule: Any, many: bool) -> None:
    """A twin that knows its weights and multiplies every gradient."""
    made = streams.several(rows=60, width=5) if many else streams.noisy(rows=60, width=5, random_state=3)
    weights = np.random.default_rng(2).uniform(0.2, 4.0, 60)
    learner = askance.Learner(rule, queries.Always(), dtype="float64", multiclass=many, classes=np.unique(made.y))
    learner.partial_fit(made.X, made.y, sample_weight=weights)
    expected = twin.learned(
        rule, made.X, np.searchsorted(learner.classes_, made.y), weights, len(learner.classes_)
    )
    np.testing.assert_allclose(learner.coef_, expected if many else expected[1:], atol=1e-12)


@pytest.mark.parametrize("rule", HARD, ids=str)
def test_a_hard_constraint_has_no_weight(rule: Any) -> None:
    """The smallest change after which the label is right enough: no loss is left that a weight could multiply."""
    plain, weighted = exact(rule).partial_fit(X, Y), exact(rule).partial_fit(X, Y, sample_weight=WEIGHTS)
    assert to_bytes(plain) == to_bytes(weighted)


@pytest.mark.parametrize(
    "rule",
    [
        updates.Perceptron(),
        updates.PAUM(3.0, 3.0, 0.1),
        OGD(0.1, decaying=False),
        updates.OCS1(3.0, decaying=False),
    ],
    ids=str,
)
def test_a_weight_of_two_is_two_copies_if_both_have_the_same_gradient(rule: Any) -> None:
    twice, weighted = (exact(rule).partial_fit([[0.9, 0.1]], [-1]) for _ in range(2))
    before, row = weighted.coef_.copy(), [0.6, 0.2]  # a mistake, also the second time
    twice.partial_fit([row, row], [1, 1])
    weighted.partial_fit([row], [1], sample_weight=[2.0])
    np.testing.assert_allclose(weighted.coef_, twice.coef_, atol=1e-15)
    assert (weighted.coef_ > before).all()


def test_weights_of_multiplicative_rules_are_in_the_exponent() -> None:
    """Winnow: θ ← θ + weight η y x, and w is the softmax of θ. The p-norm: w = f(θ) with the same θ."""
    x = np.array([0.5, -0.2, 1.0])
    learner = exact(updates.Winnow(0.3)).partial_fit([x], [-1], sample_weight=[2.5])
    powers = np.exp(-2.5 * 0.3 * x)
    np.testing.assert_allclose(learner.coef_[0], powers / powers.sum(), rtol=1e-12)
    learner = exact(updates.PNorm(4.0, 0.3)).partial_fit([x], [-1], sample_weight=[2.5])
    theta = -2.5 * 0.3 * x
    np.testing.assert_allclose(learner.coef_[0], theta**3 / np.linalg.norm(theta, 4) ** 2, rtol=1e-12)


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize("rule", [PA1(0.2), PA2(0.3), OGD(0.5), *GRADIENTS], ids=str)
def test_rows_together_are_rows_one_by_one(rule: Any, many: bool) -> None:
    if many and isinstance(rule, OGD):
        rule = PA2(2.0)
    make = {"dtype": "float64", "multiclass": many, "classes": (-1, 1)}
    weights = np.repeat(WEIGHTS[:8], 5)  # some rows have the same weight
    together = askance.Learner(rule, queries.Always(), **make).partial_fit(X, Y, sample_weight=weights)
    alone = askance.Learner(rule, queries.Always(), **make).resize(5)
    for x, label, weight in zip(X, Y, weights, strict=True):
        alone.tell(x, label, sample_weight=weight)
    assert to_bytes(together) == to_bytes(alone)
    plain = askance.Learner(rule, queries.Always(), **make).partial_fit(X, Y)
    assert not np.array_equal(together.coef_, plain.coef_)


def test_the_rule_itself_stays() -> None:
    learner = exact(PA1(0.05)).partial_fit(X, Y, sample_weight=WEIGHTS)
    other = exact(PA1(0.05)).partial_fit(X, Y, sample_weight=WEIGHTS)
    learner.run(X, Y)
    other.run(X, Y)
    assert learner._core.machine.core.update == PA1(0.05)
    assert to_bytes(learner) == to_bytes(other)
    assert np.isfinite(exact(PA1()).fit(X, Y, sample_weight=WEIGHTS).coef_).all()


@pytest.mark.parametrize(
    ("weights", "says"),
    [
        (np.zeros(40), "positive finite numbers"),
        (np.full(40, -1.0), "positive finite numbers"),
        (np.full(40, np.nan), "positive finite numbers"),
        (np.full(40, np.inf), "positive finite numbers"),
        (np.full(40, 1e308), "C must be"),
        (np.ones(39), "one number per row, 40 in all"),
        (np.ones((40, 2)), "one number per row, 40 in all"),
    ],
)
def test_bad_weights_are_refused_and_nothing_changes(weights: Any, says: str) -> None:
    learner = exact(PA2(10.0)).partial_fit(X[:5], Y[:5])
    before = to_bytes(learner)
    with pytest.raises(ValueError, match=says):
        learner.partial_fit(X, Y, sample_weight=weights)
    assert to_bytes(learner) == before


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize(("form", "scaling"), [(np.asarray, None), (np.asarray, "standard"), (sp.csr_array, None)])
def test_rows_of_weight_0_are_left_out(form: Any, scaling: str | None, many: bool) -> None:
    options = {"dtype": "float64", "multiclass": many, "scaling": scaling, "classes": (-1, 1)}
    weights = np.where(np.arange(40) % 3 == 0, 0.0, WEIGHTS)
    given, fewer = (askance.Learner(PA2(0.3), queries.Always(), **options) for _ in range(2))
    given.partial_fit(form(X), Y, sample_weight=weights)
    fewer.partial_fit(form(X[weights > 0]), Y[weights > 0], sample_weight=weights[weights > 0])
    assert to_bytes(given) == to_bytes(fewer)
    bad = X.copy()
    bad[0, 2] = np.nan
    with pytest.raises(ValueError, match="row 0"):
        given.partial_fit(form(bad), Y, sample_weight=weights)
    assert to_bytes(given) == to_bytes(fewer)


def test_a_fit_needs_rows_of_two_classes_that_count() -> None:
    with pytest.raises(ValueError, match="only one class, or weights of 0"):
        askance.Learner().fit(X, Y, sample_weight=np.maximum(Y, 0))


def test_weights_that_count_how_often_a_row_was_drawn() -> None:
    model = BaggingClassifier(askance.Learner(), n_estimators=3, random_state=0).fit(X, Y)
    assert (model.predict(X) == Y).mean() > 0.7


def test_a_bad_row_changes_nothing() -> None:
    learner = exact(PA2()).partial_fit(X[:5], Y[:5])
    before, bad = to_bytes(learner), X.copy()
    bad[30, 2] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        learner.partial_fit(bad, Y, sample_weight=WEIGHTS)
    with pytest.raises(ValueError, match="NaN"):
        learner.partial_fit(sp.csr_array(bad), Y, sample_weight=WEIGHTS)
    assert to_bytes(learner) == before


@pytest.mark.parametrize(
    "rule", [updates.Replay(), updates.PAM2(), updates.SecondOrderPerceptron(), kernels.Kernelized(PA1())], ids=str
)
def test_rules_without_a_closed_form_say_so(rule: Any) -> None:
    learner = exact(rule)
    for learn in (
        lambda: learner.fit(X, Y, sample_weight=WEIGHTS),
        lambda: learner.partial_fit(X, Y, sample_weight=WEIGHTS),
        lambda: learner.tell(X[0], 1, sample_weight=2.0),
    ):
        with pytest.raises(TypeError, match=f"{type(rule).__name__} cannot weight rows.*PassiveAggressive1"):
            learn()
