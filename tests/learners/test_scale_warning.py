"""Learners say so when columns are too different for them and nothing scales them."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import askance
from askance.errors import ScaleWarning
from askance.learners.files import to_bytes

LABELS = np.tile([1, -1], 20)
SENTENCE = (
    r"^typical values of the columns range from .* to .*: pass scaling='standard', or use AutoLearner, which "
)


def of_sizes(*sizes: float) -> Any:
    return np.random.default_rng(0).normal(size=(40, len(sizes))) * sizes


UNLIKE = {
    "a large column": of_sizes(1.0, 1.0, 3e4),
    "a small column": of_sizes(1.0, 1.0, 2e-4),
    "large and of either sign": np.column_stack([of_sizes(1.0), np.tile([1e5, -1e5], 20)]),
    "all large": of_sizes(3e4, 3e4),
    "far from 0": np.add(of_sizes(1.0, 1.0), [0, 1e5]),
}
ALIKE = {
    "alike": of_sizes(1.0, 10.0, 0.1),
    "one wrong value": np.vstack([of_sizes(1.0, 1.0), [[1.0, 1e9]]]),
    "a rare category": np.column_stack([of_sizes(10.0), np.arange(40) == 3]),
    "a constant": np.add(of_sizes(1.0, 1.0, 0.0), [0, 0, 1e6]),
    "few rows": of_sizes(1.0, 1e6)[:9],
    "no columns that vary": np.ones((40, 2)),
    "sparse": sp.csr_array(of_sizes(1.0, 1e6)),
}


@pytest.mark.parametrize("what", UNLIKE)
def test_columns_of_very_different_size_are_reported_once(what: str) -> None:
    X = UNLIKE[what]
    learner = askance.make("PA-II")
    for work in (learner.run, learner.partial_fit, learner.fit):
        fresh = clone(learner)
        with pytest.warns(ScaleWarning, match=SENTENCE) as caught:
            getattr(fresh, work.__name__)(X, LABELS)
        assert [one.filename for one in caught] == [__file__]
        fresh.partial_fit(X, LABELS)
        fresh.run(X, LABELS)
        fresh.predict(X)
    askance.make("PA-II", scaling="standard").run(X, LABELS)


@pytest.mark.parametrize("what", ALIKE)
def test_other_columns_are_not(what: str) -> None:
    X = ALIKE[what]
    askance.make("PA-II").fit(X, np.resize(LABELS, X.shape[0]))


def test_streams_are_judged_by_their_first_chunk(tmp_path: Any) -> None:
    path = tmp_path / "table.npz"
    np.savez(path, X=UNLIKE["a large column"], y=LABELS)
    learner = askance.make("PA-II")
    with pytest.warns(ScaleWarning, match=SENTENCE) as caught:
        for _ in learner.iter_run(askance.data.read(path, chunk_rows=15)):
            pass
    assert len(caught) == 1


def test_as_an_error_the_warning_changes_nothing() -> None:
    learner = askance.make("PA-II", classes=[-1, 1])
    before = to_bytes(learner)
    with pytest.raises(ScaleWarning):
        learner.partial_fit(UNLIKE["all large"], LABELS)
    assert to_bytes(learner) == before
