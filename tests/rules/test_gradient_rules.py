"""Gradient rules on any loss, and L1: what the formulas imply, and what other libraries return."""

import math
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import askance
import streams
from askance import queries, updates
from askance._util.sealed_file import arrays_of, own_header, seal
from askance.engine.bank import has_room_for_lanes, kind_of
from askance.learners.files import from_bytes, to_bytes
from askance.rules.state import timed
from askance.rules.update.losses import LOSSES
from exact_learners import exact
from needs import missing

NOISY = streams.noisy(rows=200, width=8, random_state=3)
SPARSE = (updates.TruncatedGradient, updates.FTRL, updates.AdaFOBOS, updates.AdaRDA, updates.RDA)
STRONG: dict[type, Any] = {
    updates.TruncatedGradient: updates.TruncatedGradient(gravity=0.1, every=3),
    updates.FTRL: updates.FTRL(l1=8.0),
    updates.AdaFOBOS: updates.AdaFOBOS(l1=0.1),
    updates.AdaRDA: updates.AdaRDA(l1=0.1),
    updates.RDA: updates.RDA(l1=0.1),
}


def weights(rule: Any, X: Any = NOISY.X, y: Any = NOISY.y) -> Any:
    learner = exact(rule, queries.Always())
    learner.run(X, y)
    return learner.coef_[0]


# ---------------------------------------------------------------------- what they are without L1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (updates.SGD(updates.Hinge(), 0.3, 0.5), updates.OGD(0.3)),
        (updates.SGD(updates.Hinge(), 0.3, 0.0), updates.OGD(0.3, decaying=False)),
        (updates.SGD(updates.Logistic(), 0.3, 0.5), updates.OGD(0.3, logistic=True)),
        (updates.SGD(updates.PerceptronLoss(), 1.0, 0.0), updates.Perceptron()),
        (updates.TruncatedGradient(updates.Hinge(), 0.3, gravity=0.0), updates.OGD(0.3, decaying=False)),
        (updates.AdaFOBOS(updates.Hinge(), 0.5, 0.3, 0.0), updates.MirrorDescent(0.5, 0.3)),
        (updates.AdaRDA(updates.Hinge(), 0.5, 0.3, 0.0), updates.DualAveraging(0.5, 0.3)),
    ],
    ids=str,
)
def test_a_rule_is_a_simpler_one_without_its_further_parameters(one: Any, other: Any) -> None:
    learner = exact(other, queries.Always(), sgn0=-int(NOISY.y[0]))
    learner.run(NOISY.X, NOISY.y)
    np.testing.assert_allclose(weights(one), learner.coef_[0], rtol=1e-12, atol=1e-12)


# ---------------------------------------------------------------------- zeros


@pytest.mark.parametrize("kind", SPARSE)
def test_a_strong_l1_leaves_few_weights(kind: type) -> None:
    random = np.random.default_rng(5)
    X = random.normal(size=(300, 20))
    y = np.where(X[:, 0] + X[:, 1] > 0, 1, -1)
    few, many = (exact(rule, queries.Always()) for rule in (STRONG[kind], kind()))
    for learner in (few, many):
        learner.run(X, y)
        assert learner.n_nonzero_ == np.count_nonzero(learner.coef_)
    assert 2 <= few.n_nonzero_ < many.n_nonzero_ <= 20
    assert few.coef_[0, :2].all()
    assert few.score(X, y) > 0.85


@pytest.mark.parametrize("kind", [updates.TruncatedGradient, updates.AdaFOBOS])
def test_a_reset_of_the_clock_is_not_noticed(kind: type, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = weights(STRONG[kind])
    monkeypatch.setattr(timed, "LATEST_CUT", 7.0)
    monkeypatch.setattr(timed, "LATEST_LABEL", 7.0)
    np.testing.assert_allclose(weights(STRONG[kind]), wanted, rtol=1e-12, atol=1e-12)


def test_rounding_in_single_precision_costs_a_small_part_of_what_a_label_shrinks() -> None:
    """Just before its clock is reset, when what Ada-FOBOS adds to its weights is largest."""
    steps = np.random.default_rng(8).random(100, np.float32)
    state, double = (updates.AdaFOBOS(l1=0.1).start(100, dtype) for dtype in (np.float32, np.float64))
    for each in (state, double):
        each.clock[:] = [timed.LATEST_LABEL - 1, (timed.LATEST_LABEL - 1) * 0.1]
        for j, step in enumerate(steps.astype(each.pairs.dtype)):
            each.move(j, type(step)(1), each.timed(step))
    lost = np.abs(state.weights - double.weights)
    assert state.weights.min() > 0 < lost.max()
    assert (lost <= 0.1 / (1 + steps) / 128).all()


def test_a_feature_that_does_not_occur_shrinks_with_every_label() -> None:
    """The weight is w₀ after its row, and w₀ - 9 η g after nine labels more, of rows without it."""
    rule = updates.TruncatedGradient(updates.Hinge(), eta=0.5, gravity=0.02, every=1)
    learner = exact(rule, queries.Always())
    learner.run(sp.csr_array(([1.0] * 10, ([*range(10)], [0] + [1] * 9)), (10, 2)), [1] * 10)
    assert learner.coef_[0, 0] == pytest.approx(0.5 - 10 * 0.5 * 0.02)


# ---------------------------------------------------------------------- weights of rows, banks, files, errors


@pytest.mark.parametrize(
    "rule", [updates.SGD(), updates.COCOB(), *STRONG.values()], ids=lambda rule: type(rule).__name__
)
def test_a_weight_multiplies_the_gradient(rule: Any) -> None:
    """A row of twice the length has twice the gradient; with the Perceptron's loss, its margin does not matter."""
    rule = rule._replace(loss=updates.PerceptronLoss())
    long, heavy = exact(rule), exact(rule)
    for x, label in zip(NOISY.X[:40], NOISY.y[:40].tolist(), strict=True):
        long.tell(2 * x, label)
        heavy.tell(x, label, sample_weight=2.0)
    np.testing.assert_allclose(heavy.coef_, long.coef_, rtol=1e-12, atol=1e-12)


def test_learners_with_different_losses_share_no_bank() -> None:
    kinds = {kind_of(updates.SGD(loss()), queries.Always()) for loss in LOSSES.values()}
    assert len(kinds) == len(LOSSES)


def test_five_numbers_per_feature_are_too_many_for_a_bank() -> None:
    states = [rule.start(3, np.dtype("float32")) for rule in (updates.SGD(), updates.FTRL(), updates.COCOB())]
    assert [has_room_for_lanes(state) for state in states] == [True, True, False]


@pytest.mark.parametrize("loss", LOSSES)
def test_a_file_keeps_the_loss(loss: str) -> None:
    learner = askance.make("SGD", loss=loss, schedule="inverse", dtype="float64")
    learner.run(NOISY.X, NOISY.y)
    again = from_bytes(to_bytes(learner))
    assert type(again.update.loss) is LOSSES[loss]
    assert again.run(NOISY.X, NOISY.y).scores.tobytes() == learner.run(NOISY.X, NOISY.y).scores.tobytes()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_files_of_ada_fobos_with_three_numbers_per_feature_are_read(dtype: str) -> None:
    learner = askance.make("Ada-FOBOS", l1=0.01, dtype=dtype)
    learner.run(NOISY.X[:100], NOISY.y[:100])
    content = to_bytes(learner)
    arrays = dict(arrays_of(content))
    labels, totals, weights = arrays["state/clock"][0], arrays.pop("state/pairs")[:, 1], learner.coef_[0]
    # Each weight as it was some labels ago, when it was current.
    past = np.arange(len(weights), dtype=dtype)
    weights = weights + np.sign(weights) * past * np.asarray(0.01, dtype) / (1 + totals)
    arrays["state/numbers"] = np.stack([weights, totals, labels.astype(dtype) - past], axis=1)
    arrays["state/clock"] = np.array([labels])
    earlier = from_bytes(seal(arrays, own_header(content)))
    digits = 10 * np.finfo(dtype).eps
    np.testing.assert_allclose(earlier.coef_, learner.coef_, rtol=100 * digits, atol=digits)
    scores = [each.run(NOISY.X[100:], NOISY.y[100:]).scores for each in (earlier, learner)]
    np.testing.assert_allclose(*scores, rtol=100 * digits, atol=100 * digits)


def test_what_is_no_loss_is_refused() -> None:
    with pytest.raises(TypeError, match=r"SGD: loss must be one of Hinge.*'hinge'"):
        exact(updates.SGD("hinge")).run(NOISY.X, NOISY.y)
    with pytest.raises(ValueError, match=r"loss must be 'hinge' or .*'huber'"):
        askance.make("FTRL", loss="huber")
    with pytest.raises(ValueError, match=r"power must be 0, 0.5 or 1, not 2"):
        exact(updates.SGD(power=2.0)).run(NOISY.X, NOISY.y)
    with pytest.raises(ValueError, match="schedule must be 'const' or"):
        askance.make("SGD", schedule="linear")


# ---------------------------------------------------------------------- other libraries


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("loss", LOSSES)
def test_sgd_agrees_with_scikit_learn(loss: str, power: float) -> None:
    from sklearn.linear_model import SGDClassifier

    named = {"logistic": "log_loss"}.get(loss, loss)
    schedule = {"learning_rate": "invscaling", "power_t": power} if power else {"learning_rate": "constant"}
    theirs = SGDClassifier(
        loss=named,
        alpha=0.0,
        penalty=None,
        fit_intercept=False,
        eta0=0.1,
        shuffle=False,
        max_iter=1,
        tol=None,
        **schedule,
    )
    theirs.partial_fit(NOISY.X, NOISY.y, classes=[-1, 1])
    np.testing.assert_allclose(
        weights(updates.SGD(LOSSES[loss](), 0.1, power)), theirs.coef_[0], rtol=1e-6, atol=1e-9
    )


def test_ftrl_agrees_with_river() -> None:
    """River's model learns with the weights of one label before, so that its optimizer alone is compared."""
    try:
        from river import optim
    except ImportError:
        missing("the comparison with river", "river")
    theirs = optim.FTRLProximal(alpha=0.2, beta=0.7, l1=1.5, l2=0.3)
    nothing = dict.fromkeys(range(8), 0.0)
    for x, label in zip(NOISY.X, NOISY.y, strict=True):
        now = theirs.step({}, dict(nothing))
        margin = label * sum(weight * x[j] for j, weight in now.items())
        theirs.step(now, {j: -label * x[j] / (1 + math.exp(margin)) for j in range(8)})
    wanted = theirs.step({}, dict(nothing))
    found = weights(updates.FTRL(updates.Logistic(), 0.2, 0.7, 1.5, 0.3))
    assert 0 < len(wanted) == np.count_nonzero(found)
    np.testing.assert_allclose(found, [wanted.get(j, 0.0) for j in range(8)], rtol=1e-6, atol=1e-9)
