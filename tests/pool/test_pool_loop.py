"""The labelling loop: answers late, out of order, in part or corrected, and what it refuses."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from askance.pool import CoTesting, MarginSampling, PoolLoop, RandomSampling, Selection
from askance.pool.selection import selected
from examples import examples

X = np.random.default_rng(0).standard_normal((30, 3))
TRUTH = np.where(X[:, 0] > 0, "cat", "dog")
SEEDS = {place: str(TRUTH[place]) for place in (int(np.argmax(TRUTH == "cat")), int(np.argmax(TRUTH == "dog")))}


class Recorder:
    """A strategy that prefers late rows and keeps what it was given."""

    def __init__(self) -> None:
        self.fits: list[Any] = []

    def fit(self, X: Any, y: Any, privileged: Any = None) -> "Recorder":
        self.fits.append((X, y, privileged))
        return self

    def select(self, X: Any, n: int, privileged: Any = None) -> Selection:
        self.pool = X, privileged
        return selected(np.arange(X.shape[0], dtype=float), n)


@pytest.mark.parametrize("strategy", [RandomSampling(3), MarginSampling()])
def test_it_labels_the_whole_pool_asking_each_row_once(strategy: Any) -> None:
    asked: list[int] = []
    loop = PoolLoop(strategy, X, SEEDS, batch=4)
    for question in loop:
        assert 1 <= len(question.rows) <= 4
        asked += question.rows.tolist()
        loop.tell(question.rows, TRUTH[question.rows])
    assert sorted([*asked, *SEEDS]) == list(range(30))
    rows, labels = loop.labelled()
    assert rows.tolist() == list(range(30))
    assert labels.tolist() == TRUTH.tolist()


def test_rows_are_places_in_the_whole_pool_and_fits_see_all_labels() -> None:
    strategy = Recorder()
    P = np.arange(60.0).reshape(30, 2)
    P[4] = np.nan
    loop = PoolLoop(strategy, sp.csr_array(X), {29: 1, 4: 0}, privileged=P, batch=2)
    question = next(loop)
    assert question.rows.tolist() == [28, 27]
    np.testing.assert_array_equal(strategy.pool[0].toarray(), np.delete(X, [4, 29], axis=0))
    np.testing.assert_array_equal(strategy.pool[1], np.delete(P, [4, 29], axis=0))
    rows, labels, privileged = strategy.fits[0]
    np.testing.assert_array_equal(rows.toarray(), X[[4, 29]])
    assert labels.tolist() == [0, 1]
    np.testing.assert_array_equal(privileged, P[[4, 29]])
    loop.tell(question.rows, [1, 0])
    next(loop)
    assert strategy.fits[1][1].tolist() == [0, 0, 1, 1]


def test_no_more_labels_than_wanted() -> None:
    loop = PoolLoop(RandomSampling(), X, SEEDS, batch=4, queries=10)
    sizes = []
    for question in loop:
        sizes.append(len(question.rows))
        loop.tell(question.rows, TRUTH[question.rows])
    assert sizes == [4, 4, 2]
    assert len(loop.labelled()[0]) == 12
    assert list(loop) == []


def test_answers_may_come_late_and_in_part() -> None:
    loop = PoolLoop(Recorder(), X[:8], {0: "cat", 1: "dog"}, batch=2)
    assert [next(loop).rows.tolist() for _ in range(3)] == [[7, 6], [5, 4], [3, 2]]
    assert loop.outstanding().tolist() == [2, 3, 4, 5, 6, 7]
    assert next(loop).rows.tolist() == [7, 6], "nothing else is left to ask about"
    loop.tell([3, 6], ["cat", "dog"]).tell(7, "cat")
    assert next(loop).rows.tolist() == [5, 4]
    loop.skip([2, 4]).tell(5, "dog")
    assert list(loop) == []
    assert loop.labelled()[0].tolist() == [0, 1, 3, 5, 6, 7]


def test_outstanding_answers_count_as_wanted_labels() -> None:
    loop = PoolLoop(Recorder(), X, SEEDS, batch=3, queries=4)
    first, second = next(loop).rows.tolist(), next(loop).rows.tolist()
    assert [len(first), len(second)] == [3, 1]
    assert sorted(next(loop).rows.tolist()) == sorted(sorted(first + second)[1:])
    loop.tell(first + second, ["cat"] * 4)
    assert list(loop) == []


def test_a_label_may_be_corrected_and_come_unasked() -> None:
    strategy = Recorder()
    loop = PoolLoop(strategy, X, {0: "cat", 1: "dog"}, batch=1)
    loop.tell(29, "dog").tell(0, "dog").tell(1, "cat")
    assert next(loop).rows.tolist() == [28]
    assert strategy.fits[0][1].tolist() == ["dog", "cat", "dog"]


@examples(60)
@given(st.data())
def test_whatever_the_oracle_does_no_row_is_asked_twice_too_early(data: st.DataObject) -> None:
    count, batch = data.draw(st.integers(3, 12)), data.draw(st.integers(1, 5))
    loop = PoolLoop(RandomSampling(data.draw(st.integers(0, 9))), X[:count], {0: 1}, batch=batch)
    waiting: set[int] = set()
    known = {0}
    for _ in range(40):
        question = next(loop, None)
        if question is None:
            break
        asked = set(question.rows.tolist())
        assert len(asked) == len(question.rows) <= batch
        assert not asked & known
        fresh = set(range(count)) - known - waiting
        assert asked <= fresh if fresh else asked <= waiting
        waiting |= asked
        answered = data.draw(st.lists(st.sampled_from(sorted(waiting)), unique=True))
        loop.tell(answered, [row % 2 for row in answered])
        known |= set(answered)
        waiting -= set(answered)
        assert loop.outstanding().tolist() == sorted(waiting)
        assert loop.labelled()[0].tolist() == sorted(known)


FAULTS = [
    ([30], ["cat"], "there is no row 30: the pool has rows 0 to 29"),
    ([-1], ["cat"], "there is no row -1"),
    ([5, 5], ["cat", "dog"], "rows has the same row twice"),
    ([2.0], ["cat"], "rows must be whole numbers from 0 to 29"),
    (["2"], ["cat"], "rows must be whole numbers"),
    ([True], ["cat"], "rows must be whole numbers"),
    ([2, 3], ["cat"], "X has 2 rows but y has 1 labels"),
    ([2], [7], "y mixes text like"),
    ([2, 3], ["cat", None], "y mixes"),
    ([2], [float("nan")], "NaN"),
]


@pytest.mark.parametrize(("rows", "labels", "sentence"), FAULTS)
def test_a_bad_answer_changes_nothing(rows: Any, labels: Any, sentence: str) -> None:
    loop = PoolLoop(Recorder(), X, SEEDS, batch=2)
    next(loop)
    before = [part.tolist() for part in (*loop.labelled(), loop.outstanding())]
    with pytest.raises(ValueError, match=sentence):
        loop.tell(rows, labels)
    assert [part.tolist() for part in (*loop.labelled(), loop.outstanding())] == before


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"batch": 0}, "PoolLoop: batch must be 1 or more and at most 1e.06, not 0"),
        ({"batch": 2.5}, "PoolLoop: batch must be a whole number, .*, not 2.5"),
        ({"queries": -1}, "PoolLoop: queries must be 1 or more"),
        ({"labels": {}}, "labels is empty"),
        ({"labels": {99: "cat"}}, "there is no row 99"),
        ({"privileged": np.zeros((29, 2))}, "X has 30 rows but privileged has 29"),
        ({"X": np.full((30, 1), np.inf)}, "infinity"),
    ],
)
def test_a_bad_beginning(changes: Any, sentence: str) -> None:
    with pytest.raises((ValueError, TypeError), match=sentence):
        PoolLoop(**{"strategy": Recorder(), "X": X, "labels": SEEDS, **changes})


def test_two_views_with_holes() -> None:
    P = np.where(np.arange(30)[:, None] % 5 == 4, np.nan, X[:, ::-1] ** 2 + X)
    loop = PoolLoop(CoTesting(), X, SEEDS, privileged=P, batch=5, queries=15)
    for question in loop:
        loop.tell(question.rows, TRUTH[question.rows])
    assert len(loop.labelled()[0]) == 17
