"""Estimates with helpers: what they equal, how narrow they are, and how often they hold."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import askance
from askance.metrics import METRICS, AskedTally, Tally, augmented_estimate, guess_columns
from askance.metrics.augmented import PREVALENCE, WITHOUT_HELPERS
from askance.metrics.control import _fit, expected
from naive.augmented import left_out_fit, number_of

WITH_HELPERS = [name for name in METRICS if name not in WITHOUT_HELPERS]


def made(rows: int = 2000, random_state: int = 0, labels: int = 150, *, signal: float = 2.0) -> dict[str, Any]:
    """Rows with a helper; the rows that it is less sure of are asked for more often."""
    random = np.random.default_rng(random_state)
    truth = np.where(random.random(rows) < 0.4, 1, -1)
    helper = random.normal(size=rows) + signal * (truth > 0) - signal / 2
    chances = labels / rows * (0.3 + 0.7 * np.exp(-(helper**2)) / np.exp(-(helper**2)).mean())
    return {
        "y_true": truth,
        "y_pred": np.where(helper + random.normal(size=rows) > 0, 1, -1),
        "asked": random.random(rows) < chances,
        "ask_probabilities": chances,
        "helpers": np.stack([helper > edge for edge in (-1, 0, 1)], axis=1).astype(float),
    }


def truth_of(metric: str, rows: dict[str, Any]) -> float:
    if metric == PREVALENCE:
        return float(np.mean(rows["y_true"] > 0))
    tally = Tally()
    tally.add(rows["y_true"], rows["y_pred"], rows["asked"])
    return tally.value(metric)


# ---------------------------------------------------------------------- what it equals


def test_each_row_is_left_out_of_its_own_fit() -> None:
    random = np.random.default_rng(1)
    columns, target = random.normal(size=(40, 4)), (random.random(40) < 0.4).astype(float)
    weights, penalties = random.uniform(0.2, 3, size=40), np.array([1e-6, 2.0, 2.0, 2.0])
    _, without = _fit(columns, target, weights, penalties)
    assert without == pytest.approx(left_out_fit(columns, target, weights, penalties), abs=1e-6)


def test_what_is_expected_of_a_row_does_not_depend_on_its_label() -> None:
    rows = made(300, labels=60)
    target = (rows["y_true"] > 0).astype(float)
    place = int(np.flatnonzero(rows["asked"])[0])
    other = target.copy()
    other[place] = 1 - other[place]
    # With a single penalty that cannot be chosen by the label.
    ones, chances = np.ones((300, 1)), np.full(300, 0.2)
    both = [expected(one, rows["asked"], chances, ones, rows["helpers"][:, :0])[place] for one in (target, other)]
    assert both[0] == pytest.approx(both[1], abs=1e-6)


def test_the_interval_is_that_of_the_naive_twin() -> None:
    rows = made()
    tally = AskedTally()
    negative = np.full(len(rows["y_true"]), -1)
    tally.add(rows["y_true"], negative, rows["asked"], rows["ask_probabilities"])
    target = (rows["y_true"] > 0).astype(float)
    free = np.stack([np.ones(len(target)), -np.ones(len(target))], axis=1)
    f = expected(target, rows["asked"], rows["ask_probabilities"], free, -rows["helpers"])
    unseen = tally.known().unseen.weight(0.95)
    arrays = (target > 0, rows["asked"], rows["ask_probabilities"], f)
    naive = number_of(*(one.tolist() for one in arrays), unseen)
    found = augmented_estimate(**{**rows, "y_pred": None}, metric=PREVALENCE)
    assert (found.value, found.low, found.high) == pytest.approx([one / len(target) for one in naive])


@pytest.mark.parametrize("metric", WITH_HELPERS)
def test_without_helpers_it_is_the_plain_estimate(metric: str) -> None:
    rows = made()
    tally = AskedTally()
    tally.add(rows["y_true"], rows["y_pred"], rows["asked"], rows["ask_probabilities"])
    plain = tally.estimate(metric)
    found = augmented_estimate(**{**rows, "helpers": np.empty((2000, 0))}, metric=metric)
    assert found == plain._replace(effective_labels=plain.labels)


def test_uniform_labels_and_a_useless_helper_give_the_mean() -> None:
    """The mean of the others, averaged over the asked rows, is their mean."""
    random = np.random.default_rng(2)
    y, asked = np.where(random.random(1000) < 0.3, 1, -1), random.random(1000) < 0.1
    found = augmented_estimate(PREVALENCE, y, None, asked, np.full(1000, 0.1), np.zeros(1000))
    assert found.value == pytest.approx(np.mean(y[asked] > 0))


@pytest.mark.parametrize("metric", [*WITH_HELPERS, PREVALENCE])
def test_where_every_label_is_asked_for_nothing_is_in_doubt(metric: str) -> None:
    rows = made(500) | {"asked": np.ones(500, dtype=bool), "ask_probabilities": np.ones(500)}
    found = augmented_estimate(**rows, metric=metric)
    assert found.value == pytest.approx(truth_of(metric, rows))
    assert found.width == pytest.approx(0, abs=1e-9)


# ---------------------------------------------------------------------- how narrow, how often it holds


def check_intervals(metric: str, signal: float, streams: int, gain: float) -> None:
    """They hold, are not biased, and the number of effective labels is at least `gain` times that of labels."""
    holds, gains, errors = [], [], []
    for random_state in range(streams):
        rows = made(1000, random_state, 100, signal=signal)
        found, truth = augmented_estimate(**rows, metric=metric), truth_of(metric, rows)
        assert found.value is not None
        assert found.low is not None
        assert found.high is not None
        assert found.effective_labels is not None
        holds.append(found.low <= truth <= found.high)
        gains.append(found.effective_labels / found.labels)
        errors.append(found.value - truth)
    assert np.mean(holds) >= 0.95 - 2 * np.sqrt(0.95 * 0.05 / streams)
    assert abs(np.mean(errors)) < 4 * np.std(errors) / np.sqrt(streams)
    assert np.mean(gains) > gain


def test_intervals_hold_and_good_helpers_make_them_narrower() -> None:
    check_intervals(PREVALENCE, 2.0, 60, 1.25)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("metric", "signal", "gain"),
    [(PREVALENCE, 2.0, 1.25), ("accuracy", 2.0, 1.1), ("f", 2.0, 1.1), (PREVALENCE, 0.0, 0.95), ("f", 0.0, 0.95)],
)
def test_intervals_of_many_streams_hold(metric: str, signal: float, gain: float) -> None:
    check_intervals(metric, signal, 500, gain)


@pytest.mark.slow
def test_a_class_that_was_not_seen_is_not_excluded() -> None:
    """One row in fifty is positive; of sixty labels often none is."""
    holds = []
    for random_state in range(200):
        random = np.random.default_rng(random_state)
        y = np.where(random.random(3000) < 0.02, 1, -1)
        helper = random.normal(size=3000) + 2 * (y > 0)
        found = augmented_estimate(
            PREVALENCE, y, None, random.random(3000) < 0.02, np.full(3000, 0.02), helper > 1.5
        )
        assert found.low is not None
        assert found.high is not None
        holds.append(found.low <= np.mean(y > 0) <= found.high)
    assert np.mean(holds) >= 0.92


# ---------------------------------------------------------------------- what is refused


def test_rows_that_could_not_be_asked_for() -> None:
    rows = made()
    reached = np.arange(2000) < 1500
    rows |= {
        "asked": rows["asked"] & reached,
        "ask_probabilities": np.where(reached, rows["ask_probabilities"], 0.0),
    }
    found = augmented_estimate(**rows, metric="accuracy")
    assert found.note == "500 rows could not be asked for: the estimate is of the others."
    others = {name: column[reached] for name, column in rows.items()}
    assert found[:5] == pytest.approx(augmented_estimate(**others, metric="accuracy")[:5])


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"metric": "auroc"}, "not for 'auroc'"),
        ({"metric": "skill"}, "there is no metric 'skill'"),
        ({"helpers": np.zeros(3)}, r"2,000 rows, but helpers have the shape \(3,\)"),
        ({"helpers": np.full(2000, np.nan)}, "helpers must be finite"),
        ({"y_pred": None}, "needs predictions"),
        ({"metric": PREVALENCE, "many": True}, "of one class"),
        ({"ask_probabilities": np.zeros(2000)}, "cannot have an asking probability of 0"),
    ],
)
def test_what_is_refused(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        augmented_estimate(**({"metric": "accuracy"} | made() | change))


def test_without_labels_there_is_no_estimate() -> None:
    found = augmented_estimate(**made() | {"asked": np.zeros(2000, dtype=bool)}, metric="accuracy")
    assert found.value is None
    assert found.note == "Cannot tell yet: no label is known by asking."


# ---------------------------------------------------------------------- guesses


def test_columns_of_guesses() -> None:
    guesses, confidences = ["a", "b", "a", None, "a"], [0.1, np.nan, 0.9, 0.5, np.nan]
    columns = guess_columns(guesses, confidences, bins=2)
    assert columns.sum(axis=1).tolist() == [1, 1, 1, 1, 1]
    assert len(np.unique(columns, axis=0)) == 5
    assert guess_columns(guesses).shape == (5, 3)
    with pytest.raises(ValueError, match=r"5 guesses, but confidences have the shape \(2,\)"):
        guess_columns(guesses, [0.5, 0.5])
    with pytest.raises(ValueError, match="at least 1, not 0"):
        guess_columns(guesses, bins=0)


# ---------------------------------------------------------------------- traces


def stream(classes: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Rows, classes and guesses, nine of ten of which are right."""
    random = np.random.default_rng(4)
    y = random.integers(classes, size=3000)
    X = random.normal(size=(3000, classes)) + np.eye(classes)[y]
    return X, y, np.where(random.random(3000) < 0.9, y, random.integers(classes, size=3000))


def test_a_trace_with_helpers() -> None:
    X, y, guesses = stream(2)
    trace = askance.make("RPA-II", ratio=0.1).run(X, y)
    plain, found = trace.estimate("accuracy"), trace.estimate("accuracy", helpers=guess_columns(guesses))
    assert found.effective_labels is not None
    assert found.effective_labels > 1.5 * plain.labels
    assert found.width < plain.width
    assert found.low is not None
    assert found.high is not None
    assert found.low <= np.mean(trace.predictions == trace.y) <= found.high
    shares = [trace.estimate(PREVALENCE, positive=name, helpers=guesses).value or 0.0 for name in (0, 1)]
    assert sum(shares) == pytest.approx(1, abs=1e-6)
    assert trace.estimate(PREVALENCE).effective_labels == plain.labels
    last = trace.estimate("accuracy", last=1000, helpers=guesses)
    assert last.labels == np.count_nonzero(trace.asked[-1000:])
    with pytest.raises(ValueError, match="no intervals for all times"):
        trace.estimate("accuracy", anytime=True, helpers=guesses)


def test_a_trace_of_three_classes() -> None:
    X, y, guesses = stream(3)
    trace = askance.make("MRPA-II", ratio=0.1).run(X, y)
    found = trace.estimate("accuracy", helpers=guess_columns(guesses == trace.predictions))
    assert found.width < trace.estimate("accuracy").width
    share = trace.estimate(PREVALENCE, positive=2, helpers=guess_columns(guesses))
    assert share.low is not None
    assert share.high is not None
    assert share.low <= np.mean(y == 2) <= share.high
    assert share.width < trace.estimate(PREVALENCE, positive=2).width
