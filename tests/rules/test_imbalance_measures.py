"""What a panel notes of its members is what scikit-learn says of their scores, in bins, with the same weights."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import auc, f1_score, precision_recall_curve, roc_auc_score

from askance.rules.imbalance.measures import AUPRC, AUROC, F
from examples import examples

MEMBERS, LANES = 3, 16


def noted(measure: Any, scores: Any, labels: Any, weights: Any) -> Any:
    """The values after these rows, of which each member has a score."""
    observed = measure.start(LANES)
    row, places = np.zeros(LANES), np.zeros(LANES)
    for given_scores, label, weight in zip(scores, labels, weights, strict=True):
        row[:MEMBERS] = given_scores
        observed.record(row, places, MEMBERS, label, weight)
    return observed.values[:MEMBERS]


def in_bins(scores: Any, m: int) -> Any:
    return np.minimum(np.floor(m / (1 + np.exp(-scores))), m - 1)


@st.composite
def any_rows(draw: st.DrawFn) -> tuple[Any, Any, Any, int]:
    """Scores of every member, labels of both classes, weights, and how many bins."""
    count, random_state = draw(st.integers(2, 60)), draw(st.integers(0, 2**32))
    rng = np.random.default_rng(random_state)
    labels = np.where(rng.random(count) < draw(st.floats(0.05, 0.95)), 1.0, -1.0)
    labels[:2] = -1.0, 1.0
    scores = (
        rng.normal(size=(count, MEMBERS)) * draw(st.sampled_from([0.1, 1.0, 10.0])) + 0.5 * labels[:, np.newaxis]
    )
    weights = 1 / rng.uniform(0.05, 1, count) if draw(st.booleans()) else np.ones(count)
    return (
        np.where(rng.random(scores.shape) < 0.1, 0.0, scores),
        labels,
        weights,
        draw(st.sampled_from([2, 10, 100])),
    )


@examples(100)
@given(any_rows())
def test_measures_are_those_of_scikit_learn_on_binned_scores(rows: tuple[Any, Any, Any, int]) -> None:
    scores, labels, weights, m = rows
    f, auroc, auprc = (noted(measure, scores, labels, weights) for measure in (F(), AUROC(m), AUPRC(m)))
    for member in range(MEMBERS):
        own, bins = scores[:, member], in_bins(scores[:, member], m)
        wanted = f1_score(labels, np.where(own > 0, 1.0, -1.0), sample_weight=weights, zero_division=0.0)
        assert f[member] == pytest.approx(wanted, abs=1e-12)
        wanted = roc_auc_score(labels, bins, sample_weight=weights)
        assert auroc[member] == pytest.approx(wanted, abs=1e-12)
        precision, recall, _ = precision_recall_curve(labels, bins, sample_weight=weights)
        assert auprc[member] == pytest.approx(auc(recall, precision), abs=1e-12)


@pytest.mark.parametrize("measure", [F(), AUROC(), AUPRC()], ids=lambda measure: type(measure).__name__)
@pytest.mark.parametrize("label", [-1.0, 1.0])
def test_of_one_class_alone_a_measure_is_a_number(measure: Any, label: float) -> None:
    values = noted(measure, np.linspace(-2, 2, 15).reshape(5, 3), [label] * 5, [1.0] * 5)
    assert ((values >= 0) & (values <= 1)).all()
    if not isinstance(measure, F) and label < 0:
        assert not values.any()
