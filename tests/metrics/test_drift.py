"""Alarms of drift: the e-detector and its twin, false alarms, and changes that are found."""

import itertools
import math
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

import askance
from askance.errors import ParameterError
from askance.metrics import DriftDetector, ScoreDriftDetector, rising
from askance.metrics.rising import Rising
from naive import drift as naive

MANY = 20_000


def some(count: int) -> Iterator[naive.Seen]:
    random = np.random.default_rng(count)
    for number in range(count):
        trials, group = int(random.integers(1, 4)), int(random.integers(2))
        events = random.binomial(trials, 0.1 + 0.3 * group + 0.3 * (number > count // 2))
        yield group, trials, int(events), int(random.integers(1, 20))


@pytest.mark.slow
@pytest.mark.parametrize(("margin", "windows"), [(1.0, (10, 25)), (1.5, (7,)), (1e9, (7,))])
def test_the_evidence_is_the_sum_over_starting_times(margin: float, windows: tuple[int, ...]) -> None:
    detector, seen, row = Rising(2, 1e9, margin, windows, 5), list(some(60)), 0
    for number, (group, trials, events, elapsed) in enumerate(seen, 1):
        row += elapsed
        detector.add(group, trials, events, row, elapsed)
        if number in (5, 6, 60):
            expected = naive.evidence(seen[:number], 2, margin, windows, 5)
            assert math.exp(detector.evidence) == pytest.approx(expected, rel=1e-9)


def mean_sum(chances: list[float]) -> float:
    """The exact mean of the sum, over all sequences of events with these chances."""
    mean = 0.0
    for events in itertools.product([0, 1], repeat=len(chances)):
        detector = Rising(1, 1e9, 1.0, (3,), 2)
        for row, event in enumerate(events):
            detector.add(0, 1, event, row, 1)
        weight = math.prod(chance if event else 1 - chance for chance, event in zip(chances, events, strict=True))
        mean += weight * math.exp(detector.evidence)
    return mean


@pytest.mark.parametrize("chances", [[0.3] * 7, [0.9, 0.8, 0.4, 0.4, 0.1, 0.1, 0.02]])
def test_the_sum_has_a_mean_of_at_most_the_number_of_rows(chances: list[float]) -> None:
    assert mean_sum(chances) <= len(chances)


def alarms(chance: float, streams: int, rows: int, every: float) -> int:
    """How many of the streams have an alarm though nothing changes."""
    random, found = np.random.default_rng(7), 0
    for _ in range(streams):
        detector = Rising(1, every, 1.0, (50,), 30)
        found += any(detector.add(0, 1, int(random.random() < chance), row, 1) for row in range(rows))
    return found


def test_false_alarms_are_as_rare_as_promised(monkeypatch: pytest.MonkeyPatch) -> None:
    # Within N rows with a probability of at most N/(2 every): 0.1 here.
    assert alarms(0.2, 20, 100, 500) <= 0.1 * 20
    # The simulation can tell: without the normalization of the means, it finds far too many.
    monkeypatch.setattr(rising, "ABOVE", 0.0)
    monkeypatch.setattr(rising, "BELOW", 0.0)
    assert alarms(0.2, 20, 100, 500) > 0.3 * 20


def wrong(chances: NDArray[np.float64], seed: int) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = np.random.default_rng(seed).random(len(chances)) < chances
    return found


def test_a_learner_that_improves_raises_no_alarm_and_one_that_gets_worse_does() -> None:
    detector = DriftDetector()
    improving = 0.05 + 0.45 * np.exp(-np.arange(1000) / 150)
    for is_wrong in wrong(np.concatenate([improving, np.full(200, 0.3)]), 3).tolist():
        detector.update(is_wrong)
    assert len(detector.drifts_) == 1
    found = detector.drifts_[0]
    assert 1000 < found.row < 1080
    assert abs(found.since - 1000) < 20
    assert found.kind == "mistakes"
    assert detector.rows_ == 1200


def test_a_mistake_where_none_is_expected_counts_more() -> None:
    """Rows that are asked about rarely are followed apart."""
    random, when = np.random.default_rng(5), {}
    for apart in (True, False):
        detector = DriftDetector()
        for row in range(2500):
            doubtful, later = random.random() < 0.1, row >= 2000
            chance = 1.0 if doubtful else 0.05
            asked = random.random() < chance
            is_wrong = random.random() < (0.45 if doubtful else 0.6 if later else 0.01)
            detector.update(is_wrong if asked else None, chance if apart else 1.0)
        when[apart] = detector.drifts_[0].row if detector.drifts_ else math.inf
    assert 2000 < when[True] < 2300 < when[False]


def test_late_labels_count_when_they_come() -> None:
    prompt, late = DriftDetector(), DriftDetector()
    awaited: list[bool] = []
    for row, is_wrong in enumerate(wrong(np.where(np.arange(600) < 400, 0.1, 0.6), 9).tolist()):
        prompt.update(is_wrong, 0.3)
        late.update(None, 0.3)
        awaited.append(is_wrong)
        if row >= 50:
            late.tell(awaited.pop(0), 0.3)
    assert late.drifts_[0].row == prompt.drifts_[0].row + 50


def test_confidences_that_fall_raise_an_alarm_without_labels() -> None:
    random, detector = np.random.default_rng(2), ScoreDriftDetector()
    for row in range(6000):
        detector.update(float(random.exponential(3.0 if row < 1500 else 4.0 if row < 4000 else 1.0)))
    assert [drift.kind for drift in detector.drifts_] == ["confidence"]
    assert 4000 < detector.drifts_[0].row < 4250
    assert abs(detector.drifts_[0].since - 4000) <= 40


def test_a_rise_within_the_margin_raises_no_alarm() -> None:
    random = np.random.default_rng(4)
    found = {}
    for margin in (1.0, 3.0):
        detector = DriftDetector(margin=margin)
        for row in range(1000):
            detector.update(bool(random.random() < (0.1 if row < 400 else 0.25)))  # odds times three
        found[margin] = len(detector.drifts_)
    assert found == {1.0: 1, 3.0: 0}


@pytest.fixture(scope="module")
def trace() -> askance.Trace:
    """Of a stream whose labels are random from row 2,000 on."""
    random = np.random.default_rng(1)
    X = random.normal(size=(3000, 3))
    return askance.make("PAA-II").run(X, np.where(np.arange(3000) < 2000, X[:, 0] > 0, random.random(3000) < 0.5))


def test_a_trace_finds_what_its_detectors_find(trace: askance.Trace) -> None:
    detector, found = DriftDetector(every=200_000), trace.drift()
    mistakes = trace.predictions != trace.y
    for row in range(len(trace)):
        detector.update(bool(mistakes[row]) if trace.asked[row] else None, trace.ask_probabilities[row] or 1.0)
    assert [drift for drift in found if drift.kind == "mistakes"] == detector.drifts_
    assert 2000 < detector.drifts_[0].row < 2200
    assert found == sorted(found, key=lambda drift: drift.row)


def test_a_trace_estimates_its_last_rows(trace: askance.Trace) -> None:
    recent, right = trace.estimate("accuracy", last=1000), trace.predictions == trace.y
    assert recent.low <= right[-1000:].mean() <= recent.high < trace.estimate("accuracy").low
    assert trace.estimate("accuracy", last=MANY) == trace.estimate("accuracy")
    with pytest.raises(ParameterError, match="last must be None or a whole number of at least 1, not 0"):
        trace.estimate("accuracy", last=0)
    with pytest.raises(ValueError, match="an interval for all times is about all rows"):
        trace.estimate("accuracy", last=10, anytime=True)


@pytest.mark.parametrize("kind", [DriftDetector, ScoreDriftDetector])
def test_bad_parameters_are_refused(kind: type[DriftDetector] | type[ScoreDriftDetector]) -> None:
    with pytest.raises(ParameterError, match="every must be a number of at least 1, not 0"):
        kind(every=0)
    with pytest.raises(ParameterError, match=r"margin must be a number of at least 1, not 0\.5"):
        kind(margin=0.5)
    with pytest.raises(ParameterError, match="ask_probability must be greater than 0 and at most 1, not 0"):
        DriftDetector().tell(True, 0)
