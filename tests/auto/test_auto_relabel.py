"""A remembered label that turns out to be wrong is replaced: the models become fits to the right one."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from askance.auto.codec import decode, encode
from askance.auto.contents import FOREST, contents
from askance.auto.core import AutoCore
from askance.auto.models import regrow
from askance.auto.rows import part, plain
from askance.auto.settings import AutoSettings
from askance.jit.kernels import labelling
from askance.jit.kernels.labelling import GROWN_AT, SEVERAL

STREAMS = ("table", "words")


def rows_of(stream: str, rows: int, classes: int, random_state: int = 0) -> tuple[Any, np.ndarray]:
    """Rows of classes that can be told apart, and their labels."""
    rng = np.random.default_rng(random_state)
    codes = rng.integers(0, classes, rows)
    names = np.array(["ash", "elm", "fir", "oak", "yew"])[codes]
    if stream == "table":
        centres = np.random.default_rng(7).normal(size=(classes, 6))
        return plain((centres[codes] + 0.4 * rng.normal(size=(rows, 6))) * [1, 10, 100, 1, 1, 0.1]), names
    words = (rng.random((rows, 60)) < 0.05).astype(float)
    for row, code in enumerate(codes):
        words[row, code * 10 + rng.integers(0, 10, 3)] = 1.0
    return plain(sp.csr_array(words)), names


def taught(X: Any, y: np.ndarray, **settings: Any) -> AutoCore:
    core = AutoCore(AutoSettings(rate=1.0, **settings))
    for t in range(len(y)):
        core.ask(part(X, t, t + 1))
        core.tell(part(X, t, t + 1), y[t : t + 1])
    return core


def with_wrong(y: np.ndarray, share: float = 0.2) -> tuple[np.ndarray, np.ndarray]:
    """Labels of which some are wrong, and the places of these."""
    rng = np.random.default_rng(3)
    places, classes = np.flatnonzero(rng.random(len(y)) < share), np.unique(y)
    wrong = y.copy()
    wrong[places] = classes[(np.searchsorted(classes, y[places]) + 1) % len(classes)]
    return wrong, places


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("stream", STREAMS)
def test_linear_models_become_those_of_the_right_labels(stream: str, classes: int) -> None:
    X, y = rows_of(stream, 60, classes)
    wrong, places = with_wrong(y)
    known = np.unique(y).tolist()
    core, twin = taught(X, wrong, classes=known), taught(X, y, classes=known)
    before = core.models.lanes.dense_weights.copy()
    for place in places:
        core.relabel(int(place), y[place])
    assert np.array_equal(core.models.lanes.codes[:60], twin.models.lanes.codes[:60])
    assert not np.allclose(core.models.lanes.dense_weights, before, atol=1e-3)
    for one in (core, twin):
        labelling.retrain(one.models, False, 3000)
    for name in ("duals", "dense_weights", "weights"):
        np.testing.assert_allclose(
            getattr(core.models.lanes, name), getattr(twin.models.lanes, name), rtol=1e-6, atol=1e-8
        )


@pytest.mark.parametrize("stream", STREAMS)
def test_a_few_sweeps_come_close(stream: str) -> None:
    X, y = rows_of(stream, 60, 3)
    wrong, places = with_wrong(y, 0.05)
    core, converged = taught(X, wrong), taught(X, wrong)
    for place in places:
        core.relabel(int(place), y[place])
        converged.relabel(int(place), y[place])
    labelling.retrain(converged.models, False, 3000)
    linear = slice(0, 3)  # the strongest penalty, which is the first to converge
    np.testing.assert_allclose(
        core.models.lanes.dense_weights[:, linear], converged.models.lanes.dense_weights[:, linear], atol=0.02
    )


def test_the_forest_is_the_one_of_the_right_labels() -> None:
    X, y = rows_of("table", 50, 3)
    wrong, places = with_wrong(y)
    core, twin = taught(X, wrong, classes=np.unique(y).tolist()), taught(X, y, classes=np.unique(y).tolist())
    for place in places:
        core.relabel(int(place), y[place])
    regrow(twin.models)
    one, other = contents(core)[1], contents(twin)[1]
    for name in FOREST:
        assert np.array_equal(one[f"forest/{name}"], other[f"forest/{name}"]), name


@pytest.mark.parametrize("stream", STREAMS)
def test_corrected_labels_are_worth_as_much_as_right_ones(stream: str) -> None:
    X, y = rows_of(stream, 700, 3)
    wrong, places = with_wrong(y[:150])
    new, truth = part(X, 150, 700), y[150:]

    def accuracy(core: AutoCore) -> float:
        return float(np.mean(core.encoder.observed[core.probabilities(new).argmax(axis=1)] == truth))

    right, spoilt = taught(part(X, 0, 150), y[:150]), taught(part(X, 0, 150), wrong)
    before = accuracy(spoilt)
    for place in places:
        spoilt.relabel(int(place), y[place])
    assert accuracy(spoilt) >= accuracy(right) - 0.01
    assert accuracy(spoilt) > before


@pytest.mark.parametrize("stream", STREAMS)
def test_a_learner_that_was_saved_relabels_to_the_same_bits(stream: str) -> None:
    X, y = rows_of(stream, 60, 2)
    core = taught(part(X, 0, 40), y[:40])
    loaded = decode(encode(core))
    for one in (core, loaded):
        one.relabel(3, "elm" if y[3] == "ash" else "ash")
        one.relabel(17, "oak")  # a new class
        for t in range(40, 60):
            one.tell(part(X, t, t + 1), y[t : t + 1])
    assert encode(core) == encode(loaded)
    assert encode(decode(encode(core))) == encode(core)


@pytest.mark.parametrize("stream", STREAMS)
def test_the_label_may_be_of_a_new_class(stream: str) -> None:
    X, y = rows_of(stream, 40, 3)
    late = np.flatnonzero(y == "fir")
    core = taught(X, np.where(y == "fir", "elm", y))
    for place in late:
        core.relabel(int(place), "fir")
    assert sorted(core.encoder.observed) == ["ash", "elm", "fir"]
    predicted = core.encoder.observed[core.probabilities(X).argmax(axis=1)]
    assert np.mean(predicted == y) > 0.9


def test_the_same_label_again_changes_nothing() -> None:
    X, y = rows_of("table", 30, 2)
    core = taught(X, y)
    before = encode(core)
    core.relabel(4, y[4])
    assert encode(core) == before


def test_it_knows_whether_labels_of_several_classes_are_left() -> None:
    X, y = rows_of("table", 12, 2)
    core = taught(X, np.full(12, "ash"))
    assert not core.models.counts[SEVERAL]
    core.relabel(0, "elm")
    assert core.models.counts[SEVERAL]
    core.relabel(0, "ash")
    assert not core.models.counts[SEVERAL], "the other label was a mistake"
    small = taught(X, y, memory=4)
    small.relabel(0, "ash")
    for place in range(small.remembered):
        small.relabel(place, "ash")
    assert small.models.counts[SEVERAL], "there were others, which are forgotten"


def test_a_place_that_does_not_exist_is_refused() -> None:
    X, y = rows_of("table", 5, 2)
    core = taught(X, y)
    before = encode(core)
    for place in (-1, 5):
        with pytest.raises(IndexError, match=f"there is no remembered row {place}: there are 5"):
            core.relabel(place, "ash")
    assert encode(core) == before


def test_one_row_is_enough() -> None:
    X, y = rows_of("table", 1, 2)
    core = taught(X, y)
    core.relabel(0, "yew")
    assert not core.models.counts[GROWN_AT]
    assert core.encoder.observed[core.probabilities(X).argmax()] == "yew"
