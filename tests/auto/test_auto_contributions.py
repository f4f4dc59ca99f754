"""What each word of a row contributes to the scores."""

import math
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from askance import AutoLearner
from askance.auto import codec
from askance.auto.contributions import scores_of_parts
from askance.auto.core import AutoCore
from askance.auto.models import TERM_PENALTIES
from askance.auto.rows import mixed, plain
from askance.jit.kernels.mixture import SCORE_TEMPERATURES


def texts(rows: int, classes: int) -> tuple[Any, Any]:
    """Counts of words: each class has some of its own."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, classes, rows)
    own = rng.poisson(0.4, (rows, 6 * classes)) * (np.arange(6 * classes) // 6 == y[:, np.newaxis])
    return sp.csr_array(np.hstack([own, rng.poisson(1.0, (rows, 8))]).astype(float)), y


def naive(core: AutoCore, counts: dict[int, float], kept: list[bool]) -> Any:
    """The same from the definition: word by word, model by model."""
    models, scales = core.models, core.models.scales
    weighted = {term: (1 + math.log(count)) * scales.weights[term] for term, count in counts.items()}
    roots = {term: math.sqrt(count) for term, count in counts.items()}
    width, found = models.lanes.width, [0.0] * core.classes
    for model, trust in enumerate(models.mixture.trust):
        values = weighted if model < len(TERM_PENALTIES) else roots
        length = math.sqrt(sum(value**2 for value in values.values()))
        scores = []
        for lane in range(model * width, (model + 1) * width):
            score = models.lanes.dense_weights[-1, lane] * scales.intercept
            for (term, value), counts_too in zip(values.items(), kept, strict=True):
                score += counts_too * models.lanes.weights[models.places[term], lane] * value / length
            scores.append(SCORE_TEMPERATURES[models.mixture.chosen[model]] * score)
        powers = [math.exp(score) for score in ([0.0, *scores] if width == 1 else scores)]
        found = [share + trust * power / sum(powers) for share, power in zip(found, powers, strict=True)]
    ordered = [found[code] for code in np.argsort(core.encoder.observed)]
    return math.log(ordered[1] / ordered[0]) if core.classes == 2 else ordered


@pytest.mark.parametrize("classes", [2, 3])
def test_a_word_that_is_left_out_makes_no_other_stronger(classes: int) -> None:
    X, y = texts(200, classes)
    learner = AutoLearner(0.5)
    learner.run(X, y)
    core, row = learner._core, X[[7]]
    kept = np.vstack([np.ones((1, row.nnz), bool), ~np.eye(row.nnz, dtype=bool)])
    found = scores_of_parts(core, plain(row), kept, np.empty((len(kept), 0)))
    counts = dict(zip(row.indices.tolist(), row.data.tolist(), strict=True))
    np.testing.assert_allclose(found, [naive(core, counts, list(some)) for some in kept], rtol=1e-9)
    np.testing.assert_allclose(found[0], core.decision_function(plain(row))[0], rtol=1e-9)


def test_before_the_first_label_nothing_contributes() -> None:
    X, _ = texts(5, 2)
    core = AutoLearner(0.5, classes=[0, 1])._started()
    core.ask(plain(X[[0]]))
    assert scores_of_parts(core, plain(X[[0]]), np.ones((3, X[[0]].nnz), bool), np.empty((3, 0))).tolist() == [
        0.0,
        0.0,
        0.0,
    ]


def test_a_core_and_a_learner_read_the_files_of_each_other() -> None:
    X, y = texts(60, 3)
    learner = AutoLearner(0.5, classes=[0, 1, 2])
    learner.run(X, y)
    again = codec.decode(codec.encode(learner._core))
    assert codec.encode(again) == codec.encode(learner._core)
    np.testing.assert_array_equal(again.probabilities(plain(X)), learner._core.probabilities(plain(X)))


def test_a_row_that_may_not_be_asked_about_is_not_counted_as_asked() -> None:
    X, _ = texts(60, 2)
    learner, other = AutoLearner(0.5), AutoLearner(0.5)
    for t in range(20):
        assert learner.ask(X[[t]], granted=False).ask_probability == 1.0, "the first labels are still to come"
        other.ask(X[[t]])
    assert learner.spending_ == (20, 0, 20)
    assert other.spending_.asked > 10


def test_columns_that_come_later_were_zero() -> None:
    X, y = texts(20, 2)
    rng = np.random.default_rng(0)
    dense = np.hstack([rng.normal(size=(20, 2)), np.zeros((20, 3))])
    narrow, wide = (AutoLearner(0.5, classes=[0, 1])._started() for _ in range(2))
    for t in range(6):
        narrow.ask(mixed(dense[[t], :2], X[[t]]))
        wide.ask(mixed(dense[[t]], X[[t]]))
    assert codec.encode(narrow.with_columns(5)) == codec.encode(wide)
    for t in range(6):
        narrow.tell(mixed(dense[[t], :2], X[[t]]), y[[t]])
    widened = narrow.with_columns(5)
    assert (widened.remembered, widened.spending) == (6, wide.spending)
    np.testing.assert_array_equal(widened.models.labelled.dense[:6], dense[:6])
    codes = widened.probabilities(mixed(dense[:6], X[:6])).argmax(axis=1)
    np.testing.assert_array_equal(widened.encoder.observed[codes], y[:6])
