"""Files of Rossel: it comes back as it was, and nothing damaged or forged does."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import BernoulliNB

from askance._util.saving import to_bytes
from askance._util.sealed_file import arrays_of, header_of, seal
from askance.errors import ModelFileError
from askance.semi_supervised import Rossel
from askance.semi_supervised.files import from_bytes

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(80, 5))
TWO = np.where(np.arange(80) < 20, (X[:, 0] > 0).astype(int), -1)
WORDS = np.array([None if label < 0 else "ab"[label] for label in TWO], object)
THREE = np.where(np.arange(80) < 20, np.digitize(X[:, 0], [-0.5, 0.5]), -1)


@pytest.mark.parametrize("y", [TWO, WORDS, THREE], ids=["two", "words", "three"])
@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("sparse", [False, True])
def test_it_comes_back_to_the_bit(y: Any, fit_intercept: bool, sparse: bool, tmp_path: Path) -> None:
    rows = sp.csr_array(np.where(X > 0, X, 0)) if sparse else X
    model = Rossel(n_estimators=np.int64(3), n_rounds=2, fit_intercept=fit_intercept).fit(rows, y)
    model.save(tmp_path / "model")
    again = from_bytes((tmp_path / "model").read_bytes())
    assert again.get_params() == model.get_params()
    assert again.classes_.tolist() == model.classes_.tolist()
    assert np.array_equal(again.decision_function(rows), model.decision_function(rows))
    assert again.predict(X).tolist() == model.predict(X).tolist()
    assert set(vars(again)) == set(vars(model))
    for name in ("weights_", "objectives_", "gaps_", "n_iter_"):
        assert np.array_equal(getattr(again, name), getattr(model, name))
    assert to_bytes(again) == to_bytes(model)


def test_an_annotator_is_not_saved(tmp_path: Path) -> None:
    model = Rossel(BernoulliNB(), n_estimators=2).fit(X, TWO)
    with pytest.warns(UserWarning, match=r"the annotator BernoulliNB\(\) is not saved"):
        model.save(tmp_path / "model")
    again = from_bytes((tmp_path / "model").read_bytes())
    assert again.estimator is None
    assert np.array_equal(again.decision_function(X), model.decision_function(X))


def test_it_must_be_fitted(tmp_path: Path) -> None:
    with pytest.raises(NotFittedError, match="This Rossel is not fitted yet: call fit before save"):
        Rossel().save(tmp_path / "model")
    assert not list(tmp_path.iterdir())


CONTENT = to_bytes(Rossel(n_estimators=2).fit(X, THREE))


@pytest.mark.parametrize("place", [0, 7, 9, 100, 600, -1])
def test_a_damaged_file_is_refused(place: int) -> None:
    damaged = bytearray(CONTENT)
    damaged[place] ^= 255
    for wrong in (bytes(damaged), CONTENT[:place]):
        with pytest.raises(ModelFileError):
            from_bytes(wrong)


@pytest.mark.parametrize(
    ("name", "change", "sentence"),
    [
        ("kind", lambda _: "ratings", "holds another kind of model, not a Rossel"),
        ("coef_", lambda array: array[:, 1:], "'coef_' of the wrong type or shape"),
        ("coef_", lambda array: array / 0, "'coef_' of the wrong type or shape, or with NaN or infinity"),
        ("weights_", lambda array: array[:1], "'weights_'"),
        ("classes", lambda _: {"dtype": "<i8", "values": [0]}, "there must be 2 or more"),
        ("classes", lambda _: {"dtype": "<i8", "values": [2, 1, 0]}, "not sorted and different"),
        ("n_iter", lambda _: -1, "has -1 passes"),
        ("n_features", lambda _: 0, "has 0 features"),
        ("parameters", lambda found: found | {"C1": 0}, "cannot have"),
        ("parameters", lambda _: [], "cannot have"),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_forged_file_is_refused(name: str, change: Any, sentence: str) -> None:
    header, arrays = header_of(CONTENT), arrays_of(CONTENT)
    part: dict[str, Any] = arrays if name in arrays else header
    part[name] = change(part[name])
    forged = seal({key: np.ascontiguousarray(array) for key, array in arrays.items()}, header)
    with pytest.raises(ModelFileError, match=sentence):
        from_bytes(forged)
