"""Screening: nearly all positives are found, and the reading ends."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from askance.data import MixedRows, read_table
from askance.errors import ParameterError
from askance.pool import LabellingSession, Screening


def pool(rows: int = 1200) -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(0).normal(size=(rows, 3))
    return X, X[:, 0] > 1.3


def test_nearly_all_positives_are_found_and_the_rest_is_not_read() -> None:
    X, relevant = pool()
    screening = Screening(X).run(relevant)
    assert screening.done
    assert screening.next() is None
    assert len(screening.positives) >= 0.95 * relevant.sum()
    assert relevant[screening.positives].all()
    assert screening.certifier.read < 0.8 * len(X)
    with pytest.raises(ValueError, match="the screening is done"):
        screening.answer(True)


def test_texts_as_sparse_rows() -> None:
    random = np.random.default_rng(1)
    relevant = random.random(800) < 0.15
    words = random.poisson(0.05, (800, 200))
    words[relevant, :5] += random.poisson(1.0, (relevant.sum(), 5))
    screening = Screening(sp.csr_array(words.astype(float)), recall=0.9).run(relevant)
    assert len(screening.positives) >= 0.9 * relevant.sum()
    assert screening.certifier.read < 800


def test_the_row_to_read_stays_until_it_is_answered_and_none_is_read_twice() -> None:
    X, relevant = pool(300)
    screening, read = Screening(X, recall=1.0), []
    while (reading := screening.next()) is not None:
        assert screening.next() == reading
        read.append(reading.row)
        screening.answer(bool(relevant[reading.row]))
    assert len(set(read)) == len(read) == screening.certifier.read
    assert len(screening.positives) == relevant.sum()


def test_a_pool_without_positives_is_read_to_its_end() -> None:
    screening = Screening(pool(60)[0]).run(np.zeros(60))
    assert screening.certifier.read == 60
    assert screening.positives == []


def test_wrong_input_is_refused() -> None:
    with pytest.raises(ParameterError, match="recall"):
        Screening(pool(10)[0], recall=0)
    with pytest.raises(ValueError, match="y has 3 answers, but there are 10 rows"):
        Screening(pool(10)[0]).run([1, 0, 1])


def word_rows(rows: int = 200) -> sp.csr_array:
    return sp.random_array((rows, 20), density=0.1, rng=np.random.default_rng(2), format="csr")


def unsorted(X: sp.csr_array) -> sp.csr_array:
    """The same rows, with the entries of each in reverse order."""
    order = np.concatenate([np.arange(*place)[::-1] for place in zip(X.indptr[:-1], X.indptr[1:], strict=True)])
    return sp.csr_array((X.data[order], X.indices[order], X.indptr), shape=X.shape)


def read_rows(X: Any, relevant: Any) -> tuple[list[int], int]:
    screening = Screening(X).run(relevant)
    return screening.positives, screening.certifier.read


@pytest.mark.parametrize("form", [sp.csc_array, sp.coo_array, sp.csr_matrix, unsorted])
def test_sparse_rows_of_every_form_are_the_same_rows(form: Any) -> None:
    X = word_rows()
    relevant = X[:, [0]].toarray().ravel() > 0
    assert read_rows(form(X), relevant) == read_rows(X, relevant)
    mixed = [MixedRows(np.ones((200, 1)), sparse) for sparse in (X, form(X))]
    assert read_rows(mixed[0], relevant) == read_rows(mixed[1], relevant)


def test_lists_and_small_floats_are_rows() -> None:
    X, relevant = pool(200)
    X = np.round(X, 1).astype(np.float32)
    assert read_rows(X.tolist(), relevant) == read_rows(X.astype(float), relevant) == read_rows(X, relevant)


def records(count: int = 70) -> list[dict[str, Any]]:
    """Texts of which one in seven is relevant, with a number."""
    words = ["a trial of aspirin in adults", "a letter about the weather"]
    return [{"text": f"{words[row % 7 > 0]} {row}", "pages": float(row % 5)} for row in range(count)]


def test_a_stream_is_read_to_its_end() -> None:
    rows = records()
    relevant = [row % 7 == 0 for row in range(len(rows))]
    whole = next(iter(read_table(rows, label=False))).X
    assert Screening(read_table(rows, label=False, chunk_rows=16)).pool.rows == 70
    assert read_rows(read_table(rows, label=False, chunk_rows=16), relevant) == read_rows(whole, relevant)


def test_a_data_frame_is_read_like_a_file() -> None:
    pandas = pytest.importorskip("pandas")
    rows = records()
    relevant = [row % 7 == 0 for row in range(len(rows))]
    found = read_rows(pandas.DataFrame(rows), relevant)
    assert found == read_rows(read_table(rows, label=False), relevant)


def beyond_the_last_column() -> sp.csr_array:
    X = word_rows(10)
    X.indices[-1] = 20
    return X


@pytest.mark.parametrize(
    ("X", "says"),
    [
        (np.array([[1.0], [np.nan]]), "X contains NaN"),
        (sp.csr_array([[1.0], [np.nan]]), "X contains NaN"),
        (np.array([["a"], ["b"]]), "could not convert string to float"),
        (np.array([1.0, 2.0]), "Expected 2D array"),
        (np.empty((3, 0)), "0 feature"),
        (beyond_the_last_column(), "row 9 of X has a feature beyond the last column"),
        (MixedRows(np.full((3, 1), np.inf), sp.csr_array((3, 2))), "contains infinity"),
        (MixedRows(np.ones((2, 1)), sp.csr_array([[1.0], [np.nan]])), "contains NaN"),
        (MixedRows(np.ones((10, 1)), beyond_the_last_column()), "a feature beyond the last column"),
        (MixedRows(np.ones((3, 1)), sp.csr_array((4, 2))), "the dense part has 3 rows"),
    ],
)
@pytest.mark.parametrize("make", [Screening, LabellingSession])
def test_rows_that_cannot_be_used_are_refused(make: Any, X: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        make(X)


def test_answers_are_booleans_or_0_and_1() -> None:
    X, relevant = pool(100)
    for form in (relevant.tolist(), relevant.astype(int), relevant.astype(float), relevant.astype(object)):
        assert read_rows(X, form) == read_rows(X, relevant)


@pytest.mark.parametrize(
    ("positive", "negative", "shown"),
    [(1, -1, "-1"), ("relevant", "irrelevant", "'(ir)?relevant'"), (1.0, np.nan, "nan"), (True, None, "None")],
)
def test_other_answers_are_refused(positive: Any, negative: Any, shown: str) -> None:
    X, relevant = pool(100)
    says = f"answers must be True or False, or 1 or 0, not {shown}: compare labels with the positive one"
    with pytest.raises(ValueError, match=says):
        Screening(X).run([positive if one else negative for one in relevant])
    screening = Screening(X)
    with pytest.raises(ValueError, match=says):
        screening.answer(negative)
    assert screening.certifier.read == 0
