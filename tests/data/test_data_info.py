"""The description of a stream."""

import numpy as np
import pytest
import scipy.sparse as sp

from askance.data import describe, read


@pytest.mark.parametrize("chunk_rows", [1, 3, 100])
def test_figures_do_not_depend_on_chunks(chunk_rows):
    X = sp.random_array((40, 6), density=0.5, format="csr", rng=np.random.default_rng(1)) - sp.eye_array(40, 6)
    y = np.arange(40) % 3
    found = describe(read(sp.csr_array(X), y=y, chunk_rows=chunk_rows, dtype="float64"))
    dense = X.toarray()
    assert found.rows == 40
    assert found.features == 6
    assert found.nonzeros == np.count_nonzero(dense)
    assert found.nonzeros_per_row == found.nonzeros / 40
    assert found.classes == {0: 14, 1: 13, 2: 13}
    assert not found.sorted_by_class
    assert not found.unit_length
    assert (found.smallest, found.largest) == (dense.min(), dense.max())


@pytest.mark.parametrize("sparse", [False, True])
def test_zeros_that_are_left_out_count_among_the_values(sparse):
    X = np.array([[2.0, 0.0], [3.0, 5.0]])
    found = describe(read(sp.csr_array(X) if sparse else X, label=False))
    assert (found.smallest, found.largest) == (0, 5)
    assert describe(read(X[1:], label=False)).smallest == 3
    assert found.classes == {}


@pytest.mark.parametrize(
    ("y", "is_sorted"),
    [
        (["a", "a", "a", "b", "b"], True),
        ([1] * 50 + [0] * 50, True),
        ([0] * 100 + [1] * 100 + [0] * 100 + [1] * 100, True),
        ([0, 1] * 50, False),
        ([0] * 10, False),
        ([0, 1, 2], False),
        (np.random.default_rng(0).integers(0, 2, 200), False),
    ],
)
@pytest.mark.parametrize("chunk_rows", [1, 7, 1000])
def test_whether_the_order_is_by_class(y, is_sorted, chunk_rows):
    found = describe(read(np.ones((len(y), 1)), y=y, chunk_rows=chunk_rows))
    assert found.sorted_by_class is is_sorted


def test_unit_length_passes_over_empty_rows():
    X = np.array([[0.6, 0.8], [0.0, 0.0], [1.0, 0.0]])
    assert describe(read(X, label=False)).unit_length
    assert not describe(read(0 * X, label=False)).unit_length
    assert not describe(read(1e300 * X, label=False, dtype="float64")).unit_length


def test_more_labels_than_there_can_be_classes_are_not_counted():
    y = np.arange(20_000) / 7
    assert describe(read(np.ones((20_000, 1)), y=y)).classes is None
