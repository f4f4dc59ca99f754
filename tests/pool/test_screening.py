"""Screening: nearly all positives are found, and the reading ends."""

import numpy as np
import pytest
import scipy.sparse as sp

from askance.errors import ParameterError
from askance.pool import Screening


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
