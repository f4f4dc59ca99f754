"""Probabilities of an automatic learner: what its models say together, to a power that depends on the labels."""

import numpy as np
import pytest

from askance import AutoLearner
from askance.auto.calibration import SHARPEST, sharpened, sharpness


@pytest.mark.parametrize("labels", [1, 30, 2000])
@pytest.mark.parametrize("shares", [(0.5, 0.5), (0.9, 0.1), (0.2, 0.5, 0.3), (1.0, 0.0), (1.0, 1e-300, 0.0)])
def test_shares_are_raised_to_a_power(shares: tuple[float, ...], labels: int) -> None:
    (found,) = sharpened(np.array([shares]), labels)
    power = SHARPEST * labels / (labels + len(shares))
    expected = [share**power for share in shares]
    np.testing.assert_allclose(found, np.array(expected) / sum(expected), rtol=1e-12)


def test_few_labels_per_class_make_probabilities_vaguer_and_many_make_them_sharper() -> None:
    assert sharpness(7, 2) < 1 == sharpness(8, 2) < sharpness(200, 2) < SHARPEST
    assert sharpness(39, 10) < 1 == sharpness(40, 10)


@pytest.mark.parametrize("classes", [2, 3])
def test_predictions_and_scores_do_without_the_power(classes: int) -> None:
    random = np.random.default_rng(classes)
    X = random.normal(size=(300, 3))
    y = np.digitize(X[:, 0] + 0.3 * random.normal(size=300), [-0.5, 0.5][: classes - 1])
    learner = AutoLearner(0.3).fit(X[:200], y[:200])
    chances, scores = learner.predict_proba(X[200:]), learner.decision_function(X[200:])
    assert learner.predict(X[200:]).tolist() == learner.classes_[chances.argmax(axis=1)].tolist()
    logarithms = np.log(chances)
    own = logarithms[:, 1] - logarithms[:, 0] if classes == 2 else logarithms - logarithms.mean(axis=1)[:, None]
    plain = scores if classes == 2 else scores - scores.mean(axis=1)[:, None]
    np.testing.assert_allclose(own, sharpness(200, classes) * plain, rtol=1e-9, atol=1e-9)
    decision = learner.ask(X[200])
    assert decision.prediction == learner.predict(X[200:201])[0]
    if classes == 2:
        assert decision.score == pytest.approx(scores[0], rel=1e-9)


def calibration_error(chances: np.ndarray, right: np.ndarray) -> float:
    """The mean difference, over ten bins of confidence, between confidence and the share of right predictions."""
    confidence = chances.max(axis=1)
    bins = np.minimum((10 * confidence).astype(int), 9)
    parts = [bins == number for number in np.unique(bins)]
    return float(sum(part.mean() * abs(confidence[part].mean() - right[part].mean()) for part in parts))


@pytest.mark.compiled
@pytest.mark.slow
def test_probabilities_are_closer_to_the_share_that_is_right_than_what_models_say() -> None:
    errors = []
    for seed in range(20):
        random = np.random.default_rng(seed)
        X = random.normal(size=(4000, 6))
        angle = 2 * X[:, 0] * X[:, 1] + X[:, 2] + 0.5 * random.normal(size=4000)
        y = np.digitize(angle, [-1.0, 1.0] if seed % 2 else [0.0])
        learner = AutoLearner(0.1, random_state=seed)
        learner.run(X[:2000], y[:2000])
        right = learner.predict(X[2000:]) == y[2000:]
        plain = np.exp(learner.decision_function(X[2000:]))
        shares = plain if seed % 2 else np.column_stack([1 / (1 + plain), plain / (1 + plain)])
        errors.append([calibration_error(each, right) for each in (shares, learner.predict_proba(X[2000:]))])
    before, after = np.mean(errors, axis=0)
    assert after < 0.9 * before
