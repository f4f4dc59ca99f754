"""Counts, metrics and curves."""

import inspect
import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn import metrics as judge

from askance.metrics import METRICS, Curve, CurveRecorder, Tally, curve, measure

Stream = tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]

ROW = st.tuples(st.sampled_from([-1, 0, 1]), st.sampled_from([-1, 1]), st.booleans(), st.booleans())


def columns(rows: list[tuple[int, int, bool, bool]]) -> Stream:
    """The columns of the rows, with the guesses for scores."""
    truth, guesses, asked, updated = np.array(rows, dtype=np.int8).reshape(-1, 4).T
    return truth, guesses, asked.astype(bool), updated.astype(bool), guesses.astype(float)


STREAMS = st.lists(ROW, max_size=80).map(columns)


def tally_of(stream: Stream) -> Tally:
    tally = Tally()
    tally.add(*stream)
    return tally


def chunks(stream: Stream, cuts: list[int]) -> list[Stream]:
    edges = [0, *sorted(cut % (len(stream[0]) + 1) for cut in cuts), len(stream[0])]
    return [
        tuple(column[start:end] for column in stream)  # type: ignore[misc]
        for start, end in itertools.pairwise(edges)
    ]


@settings(deadline=None)
@given(STREAMS.filter(lambda stream: bool(stream[0].any())), st.floats(0, 8), st.floats(0, 3), st.floats(0, 3))
def test_metrics_are_those_of_scikit_learn(stream: Stream, beta: float, one: float, other: float) -> None:
    tally, known = tally_of(stream), stream[0] != 0
    y, guess = stream[0][known], stream[1][known]
    sensitivity = judge.recall_score(y, guess, zero_division=0.0)
    specificity = judge.recall_score(y, guess, pos_label=-1, zero_division=0.0)
    expected = {
        "accuracy": judge.accuracy_score(y, guess),
        "error": judge.zero_one_loss(y, guess),
        "mistakes": judge.zero_one_loss(y, guess, normalize=False),
        "f": judge.f1_score(y, guess, zero_division=0.0),
        "precision": judge.precision_score(y, guess, zero_division=0.0),
        "recall": sensitivity,
        "sensitivity": sensitivity,
        "specificity": specificity,
        "sum": (sensitivity + specificity) / 2,
        "balanced_accuracy": (sensitivity + specificity) / 2,
        "g_mean": math.sqrt(sensitivity * specificity),
        "auroc": judge.roc_auc_score(y, guess) if len(set(y)) == 2 else 0.0,
        "auprc": judge.auc(*judge.precision_recall_curve(y, guess)[1::-1]) if (y > 0).any() else 0.0,
        "cost": judge.zero_one_loss(y, guess, normalize=False),
        "query_ratio": stream[2].mean(),
    }
    assert {name: tally.value(name) for name in METRICS} == pytest.approx(expected)
    assert tally.value("f", beta=beta) == pytest.approx(judge.fbeta_score(y, guess, beta=beta, zero_division=0.0))
    assert tally.value("sum", eta_p=one, eta_n=other) == pytest.approx(one * sensitivity + other * specificity)
    costs = np.where(y > 0, one, other)
    assert tally.value("cost", c_p=one, c_n=other) == pytest.approx(costs[y != guess].sum())


def test_counts_of_a_stream_done_by_hand() -> None:
    tally = tally_of(
        columns(
            [
                (1, 1, True, True),
                (1, -1, False, False),
                (-1, 1, True, True),
                (-1, 1, True, False),
                (-1, -1, False, False),
                (0, 1, True, False),
            ]
        )
    )
    assert (tally.counts.mistakes, tally.counts.known) == (3, 5)
    assert tally.counts == (6, 4, 2, 1, 2, 1, 1)


@settings(deadline=None)
@given(STREAMS, st.lists(st.integers(0, 80), max_size=5))
def test_chunks_and_merging_change_nothing(stream: Stream, cuts: list[int]) -> None:
    growing, merged = Tally(), Tally()
    for piece in chunks(stream, cuts):
        growing.add(*piece)
        merged = merged + tally_of(piece)
    assert growing == merged == tally_of(stream)


def test_adding_two_tallies_leaves_them_as_they_were() -> None:
    one, two = tally_of(columns([(1, 1, True, True)])), tally_of(columns([(1, -1, False, False)]))
    assert (one + two).counts.rows == 2
    assert one.counts.rows == two.counts.rows == 1


def test_updates_may_be_left_out() -> None:
    tally = Tally()
    tally.add([1, -1], [1, 1], [True, False])
    assert tally.counts.updates == 0


@pytest.mark.parametrize("name", METRICS)
def test_no_rows(name: str) -> None:
    nothing_to_judge = name in {"accuracy", "error", "query_ratio"}
    assert Tally().value(name) == pytest.approx(math.nan if nothing_to_judge else 0, nan_ok=True)


@pytest.mark.parametrize(
    ("truth", "guess", "undefined"),
    [
        (-1, -1, ["precision", "recall", "sensitivity", "f"]),
        (1, 1, ["specificity"]),
        (1, -1, ["precision", "f"]),
    ],
)
def test_ratios_over_nothing_are_0(truth: int, guess: int, undefined: list[str]) -> None:
    tally = tally_of(columns([(truth, guess, True, True)] * 3))
    assert [tally.value(name) for name in undefined] == [0] * len(undefined)


def test_unknown_labels_are_rows_and_nothing_else() -> None:
    tally = tally_of(columns([(0, 1, True, False)] * 4))
    assert tally.counts == (4, 4, 0, 0, 0, 0, 0)
    assert math.isnan(tally.value("accuracy"))
    assert tally.value("query_ratio") == 1


@pytest.mark.parametrize("name", METRICS)
def test_the_register_knows_the_better_direction(name: str) -> None:
    good, bad = (
        columns([(1, 1, False, False), (-1, -1, False, False)]),
        columns([(1, -1, True, True), (-1, 1, True, True)]),
    )
    gain = tally_of(good).value(name) - tally_of(bad).value(name)
    assert gain > 0 if METRICS[name].larger_is_better else gain < 0


@pytest.mark.parametrize("name", METRICS)
def test_every_weight_has_a_default_and_refuses_what_is_no_weight(name: str) -> None:
    weights = METRICS[name].weights
    assert set(weights) == set(inspect.signature(METRICS[name].function).parameters) - {"counts", "bins"}
    assert Tally().value(name, **weights) == pytest.approx(Tally().value(name), nan_ok=True)
    for weight in weights:
        for bad in (-0.5, math.nan, math.inf):
            with pytest.raises(ValueError, match=f"the weight {weight} of the metric '{name}' must be"):
                Tally().value(name, **{weight: bad})


def test_unknown_names_are_refused() -> None:
    with pytest.raises(ValueError, match="there is no metric 'auc': here it is called auroc"):
        Tally().value("auc")
    with pytest.raises(ValueError, match="the metric 'sum' has no weight 'beta'; it takes eta_p, eta_n"):
        Tally().value("sum", beta=1)
    with pytest.raises(ValueError, match="it takes none"):
        measure(Tally().counts, "accuracy", beta=1)


@pytest.mark.parametrize("counter", [Tally(), CurveRecorder()])
def test_bad_rows_are_refused_and_counted_nowhere(counter: Tally | CurveRecorder) -> None:
    with pytest.raises(ValueError, match="equal length"):
        counter.add([1, 1], [1, -1], [True])
    with pytest.raises(ValueError, match="one-dimensional"):
        counter.add([[1]], [[1]], [[True]])
    with pytest.raises(ValueError, match="convert class labels"):
        counter.add([1, 1], [1, 0], [True, True])
    with pytest.raises(ValueError, match="convert class labels"):
        counter.add([1, 2], [1, 1], [True, True])
    assert (counter if isinstance(counter, Tally) else counter.tally) == Tally()


def random_stream(rows: int) -> Stream:
    rng = np.random.default_rng(rows)
    truth, guesses = rng.choice([-1, 1], (2, rows)).astype(np.int8)
    return truth, guesses, rng.random(rows) < 0.3, rng.random(rows) < 0.1, rng.normal(size=rows)


def recorded(stream: Stream, size: int, points: int, metric: str) -> Curve:
    recorder = CurveRecorder(points)
    for start in range(0, len(stream[0]), size):
        recorder.add(*(column[start : start + size] for column in stream))
    return recorder.curve(metric)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("rows", [1, 2, 16, 17, 100, 1000])
def test_a_curve_is_the_metric_of_each_beginning(rows: int, metric: str) -> None:
    stream = random_stream(rows)
    whole = curve(*stream[:3], metric=metric, points=16, scores=stream[4])
    beginnings = [tally_of(tuple(column[:row] for column in stream)) for row in whole.rows]  # type: ignore[arg-type]
    assert whole.labels.tolist() == [tally.counts.asked for tally in beginnings]
    assert whole.values.tolist() == [tally.value(metric) for tally in beginnings]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("rows", [1, 5, 199, 200, 201, 1000])
@pytest.mark.parametrize("points", [1, 2, 10, 200])
def test_chunks_change_no_curve(rows: int, points: int) -> None:
    stream = random_stream(rows)
    whole = curve(*stream[:3], metric="f", points=points)
    for size in (1, 7, rows):
        for one, other in zip(recorded(stream, size, points, "f"), whole, strict=True):
            np.testing.assert_array_equal(one, other)


@settings(deadline=None)
@given(st.integers(1, 3000), st.integers(1, 50))
def test_points_are_even_and_few_and_end_at_the_last_row(rows: int, points: int) -> None:
    kept = curve(*random_stream(rows)[:3], points=points).rows
    assert points / 2 < len(kept) <= points or len(kept) == rows or points == 1
    assert kept[-1] == rows
    assert len(set(np.diff(np.append(0, kept))[:-1])) <= 1


def test_a_recorder_holds_no_more_than_its_points() -> None:
    recorder = CurveRecorder(points=8)
    for _ in range(50):
        recorder.add(*random_stream(37))
        assert len(recorder._kept) <= 8
    assert recorder.tally.counts.rows == 50 * 37


def test_a_curve_of_nothing_is_empty() -> None:
    for column in curve([], [], []):
        assert column.shape == (0,)


def test_a_curve_needs_a_point() -> None:
    with pytest.raises(ValueError, match="at least one point, not 0"):
        CurveRecorder(points=0)


def test_weights_reach_the_curve() -> None:
    stream = random_stream(300)
    assert curve(*stream[:3], metric="cost", c_p=3).values[-1] == tally_of(stream).value("cost", c_p=3)
