"""The areas under the curves, from histograms of the scores."""

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.special import expit
from sklearn import metrics as judge

from askance.metrics import CurveRecorder, Histograms, Tally, measure

FEW = 7  # bins, so that many rows share one
ROWS = st.lists(st.tuples(st.sampled_from([-1, 1]), st.floats(-3, 3, width=16)), min_size=1, max_size=60)


def histograms_of(truth: Any, scores: Any, m: int = FEW) -> Histograms:
    histograms = Histograms(m)
    histograms.add(truth, scores)
    return histograms


def auprc_of(truth: NDArray[Any], scores: NDArray[Any]) -> float:
    precision, recall, _ = judge.precision_recall_curve(truth, scores)
    return float(judge.auc(recall, precision))


@given(ROWS)
def test_areas_are_those_of_scikit_learn_for_rounded_scores(rows: list[tuple[int, float]]) -> None:
    truth, scores = map(np.array, zip(*rows, strict=True))
    histograms = histograms_of(truth, scores)
    rounded = np.minimum(np.floor(FEW * expit(scores)), FEW - 1)
    if len(set(truth)) == 2:
        assert histograms.auroc().value == pytest.approx(judge.roc_auc_score(truth, rounded), abs=1e-12)
    if (truth > 0).any():
        assert histograms.auprc().value == pytest.approx(auprc_of(truth, rounded), abs=1e-12)


@given(ROWS)
def test_areas_of_the_scores_lie_within_the_bounds(rows: list[tuple[int, float]]) -> None:
    truth, scores = map(np.array, zip(*rows, strict=True))
    assume(len(set(truth)) == 2)
    histograms = histograms_of(truth, scores)
    for area, exact in (
        (histograms.auroc(), judge.roc_auc_score(truth, scores)),
        (histograms.auprc(), auprc_of(truth, scores)),
    ):
        assert abs(area.value - exact) <= area.bound + 1e-12


@pytest.mark.parametrize(("positives", "negatives"), [(3, 5), (40, 60)])
def test_the_bounds_are_reached_by_the_worst_orders_within_a_bin(positives: int, negatives: int) -> None:
    truth = np.repeat([1, -1], [positives, negatives])
    one_bin = histograms_of(truth, np.zeros(len(truth)))
    best, worst = -np.arange(len(truth)) * 1e-6, np.where(truth > 0, 0.0, 1e-6)
    assert one_bin.auroc().bound == pytest.approx(judge.roc_auc_score(truth, best) - one_bin.auroc().value)
    below = one_bin.auprc().value - auprc_of(truth, worst)
    above = auprc_of(truth, best) - one_bin.auprc().value
    assert one_bin.auprc().bound == pytest.approx(max(below, above))


def test_bounds_vanish_with_many_bins() -> None:
    rng = np.random.default_rng(1)
    truth = np.where(rng.random(4000) < 0.1, 1, -1)
    scores = truth + rng.normal(size=4000)
    coarse, fine = histograms_of(truth, scores, 10), histograms_of(truth, scores, 1000)
    for one, other, limit in (
        (fine.auroc(), coarse.auroc(), 0.002),
        (fine.auprc(), coarse.auprc(), 0.02),
    ):
        assert one.bound < limit
        assert one.bound < other.bound / 10


def test_a_bin_holds_its_lower_border_and_the_last_one_the_upper_too() -> None:
    m = 4
    borders = np.log([1 / 3, 1, 3])  # σ = 1/4, 1/2, 3/4, of which 1/2 is exact
    histograms = histograms_of([1, 1, 1, 1], [-800.0, 0.0, np.nextafter(0, -1e-6) - 1e-9, 800.0], m)
    assert histograms.bins.positives.tolist() == [1, 1, 1, 1]
    inside = histograms_of([-1, -1, -1], borders + 1e-9, m)
    assert inside.bins.negatives.tolist() == [0, 1, 1, 1]


@pytest.mark.parametrize(
    ("truth", "auroc", "auprc"),
    [
        ([], 0, 0),
        ([0, 0], 0, 0),
        ([-1, -1], 0, 0),
        ([1, 1], 0, 1),
        ([1], 0, 1),
        ([1, -1], 1, 1),
        ([-1, 1], 0, 0.25),
    ],
)
def test_areas_of_few_rows(truth: list[int], auroc: float, auprc: float) -> None:
    histograms = histograms_of(np.array(truth, dtype=int), -np.arange(len(truth), dtype=float))
    assert (histograms.auroc().value, histograms.auprc().value) == (auroc, auprc)
    assert histograms.auroc().bound == 0
    assert np.isfinite(histograms.auprc().bound)


@given(ROWS, st.lists(st.integers(0, 60), max_size=4), st.integers(0, 2**32 - 1))
def test_chunks_change_not_even_the_last_bit(
    rows: list[tuple[int, float]], cuts: list[int], random_state: int
) -> None:
    truth, scores = map(np.array, zip(*rows, strict=True))
    weights = 1 / np.random.default_rng(random_state).random(len(truth))
    whole, growing, merged = Histograms(FEW), Histograms(FEW), Histograms(FEW)
    whole.add(truth, scores, weights)
    edges = [0, *sorted(min(cut, len(rows)) for cut in cuts), len(rows)]
    for start, end in itertools.pairwise(edges):
        growing.add(truth[start:end], scores[start:end], weights[start:end])
        piece = Histograms(FEW)
        piece.add(truth[start:end], scores[start:end], weights[start:end])
        merged = merged + piece
    assert growing == whole
    assert merged.total == pytest.approx(whole.total)


@given(ROWS, st.integers(1, 5))
def test_a_weight_is_as_good_as_so_many_rows(rows: list[tuple[int, float]], times: int) -> None:
    truth, scores = map(np.array, zip(*rows, strict=True))
    heavy = Histograms(FEW)
    heavy.add(truth, scores, np.full(len(truth), times))
    assert heavy == histograms_of(np.repeat(truth, times), np.repeat(scores, times))


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one bin, not 0"):
        Histograms(0)
    with pytest.raises(ValueError, match="of 7 and of 8 bins"):
        Histograms(7) + Histograms(8)
    histograms = Histograms()
    with pytest.raises(ValueError, match="equal length"):
        histograms.add([1, -1], [0.5])
    with pytest.raises(ValueError, match="convert class labels"):
        histograms.add([2], [0.5])
    for scores, weights in (([np.nan], [1.0]), ([0.0], [-1.0]), ([0.0], [np.inf])):
        with pytest.raises(ValueError, match="scores must be numbers, and weights finite"):
            histograms.add([1], scores, weights)
    assert histograms.total == 0


def test_areas_are_metrics_where_scores_were_counted() -> None:
    tally = Tally()
    tally.add([1, -1, 0], [1, 1, -1], [True, False, False], scores=[0.5, 2.0, -1.0])
    assert tally.value("auroc") == 0
    tally.add([-1], [-1], [False])
    with pytest.raises(ValueError, match="'auroc' needs scores: count all rows with their scores"):
        tally.value("auroc")
    with pytest.raises(ValueError, match="'auprc' is computed from scores"):
        measure(tally.counts, "auprc")
    with pytest.raises(ValueError, match="'f' is computed from counts"):
        measure(tally.histograms.bins, "f")


def test_a_recorder_counts_no_row_of_a_score_that_is_none() -> None:
    recorder = CurveRecorder()
    with pytest.raises(ValueError, match="scores must be numbers"):
        recorder.add([1, -1], [1, 1], [True, True], scores=[0.5, np.nan])
    assert recorder.tally == Tally()
    assert recorder.curve("auroc").values.shape == (0,)
