"""Files of SVM+ and of selectors: they come back as they were, and nothing damaged or forged does."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError
from sklearn.svm import LinearSVC

from askance._util.saving import to_bytes
from askance._util.sealed_file import arrays_of, header_of, seal
from askance.errors import ModelFileError
from askance.pool import PrivilegedSelector, SVMPlus, files
from askance.pool.svm_plus import files as svm_plus_files

RANDOM = np.random.default_rng(0)
X, P = RANDOM.normal(size=(50, 4)), RANDOM.normal(size=(50, 3))
P[::7] = np.nan
TWO = np.where(X[:, 0] + 0.3 * RANDOM.normal(size=50) > 0, "yes", "no")
THREE = np.digitize(X[:, 0], [-0.5, 0.5])


def kept(model: Any, path: Path) -> Any:
    model.save(path)
    module = files if isinstance(model, PrivilegedSelector) else svm_plus_files
    return module.from_bytes(path.read_bytes())


@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
@pytest.mark.parametrize("privileged", [P, None], ids=["privileged", "plain"])
@pytest.mark.parametrize("order", ["C", "F", "sparse"])
def test_an_svm_plus_comes_back_to_the_bit(
    y: Any, kernel: str, privileged: Any, order: str, tmp_path: Path
) -> None:
    rows = sp.csr_array(np.where(X > 0, X, 0)) if order == "sparse" else np.array(X, order=order)
    model = SVMPlus(np.float64(0.7), 2, kernel, kernel, degree=2).fit(rows, y, privileged)
    again = kept(model, tmp_path / "model")
    assert again.get_params() == model.get_params()
    assert again.classes_.tolist() == model.classes_.tolist()
    assert np.array_equal(again.decision_function(rows), model.decision_function(rows))
    assert np.array_equal(again.decision_function(X[:3]), model.decision_function(X[:3]))
    assert again.predict(rows).tolist() == model.predict(rows).tolist()
    assert set(vars(again)) == set(vars(model))
    if privileged is not None:
        assert np.array_equal(again.correcting(P), model.correcting(P), equal_nan=True)
    assert to_bytes(again) == to_bytes(model)


def test_names_of_features_are_kept(tmp_path: Path) -> None:
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = SVMPlus().fit(frame, TWO, P)
    again = kept(model, tmp_path / "model")
    assert again.feature_names_in_.tolist() == list("abcd")
    assert again.predict(frame).tolist() == model.predict(frame).tolist()
    with pytest.raises(ValueError, match="feature names should match"):
        again.predict(frame.rename(columns={"a": "e"}))


@pytest.mark.parametrize("y", [TWO, THREE, np.ones(50, int)], ids=["two", "three", "one"])
@pytest.mark.parametrize("model", [None, SVMPlus(kernel="rbf")], ids=["default", "rbf"])
def test_a_selector_comes_back_to_the_bit(y: Any, model: Any, tmp_path: Path) -> None:
    selector = PrivilegedSelector(model, combine="sum").fit(X[:20], y[:20], P[:20])
    again = kept(selector, tmp_path / "model")
    assert repr(again) == repr(selector)
    for one, other in zip(selector.select(X[20:], 5, P[20:]), again.select(X[20:], 5, P[20:]), strict=True):
        if isinstance(one, dict):
            assert all(np.array_equal(one[name], other[name], equal_nan=True) for name in one)
        else:
            assert np.array_equal(one, other)
    assert to_bytes(again) == to_bytes(selector)


def test_what_cannot_be_saved(tmp_path: Path) -> None:
    path = tmp_path / "model"
    for unfitted in (SVMPlus(), PrivilegedSelector()):
        with pytest.raises(NotFittedError, match="is not fitted yet: call fit before save"):
            unfitted.save(path)
    with pytest.raises(ValueError, match="kernel is a function, and a model file holds no code: use 'linear'"):
        SVMPlus(kernel=lambda A, B: A @ B.T).fit(X, TWO).save(path)
    with pytest.raises(ValueError, match="privileged_kernel is a function"):
        SVMPlus(privileged_kernel=lambda A, B: A @ B.T).fit(X, TWO, P).save(path)
    with pytest.raises(ValueError, match="cannot be saved with LinearSVC as model: only SVMPlus can"):
        PrivilegedSelector(LinearSVC()).fit(X, TWO).save(path)
    assert not path.exists()


CONTENT = to_bytes(SVMPlus(kernel="rbf").fit(sp.csr_array(X), THREE, P))
SELECTOR = to_bytes(PrivilegedSelector().fit(X, TWO, P))


@pytest.mark.parametrize("place", [0, 7, 9, 100, 1000, -1])
def test_a_damaged_file_is_refused(place: int) -> None:
    for content, module in ((CONTENT, svm_plus_files), (SELECTOR, files)):
        damaged = bytearray(content)
        damaged[place] ^= 255
        for wrong in (bytes(damaged), content[:place]):
            with pytest.raises(ModelFileError):
                module.from_bytes(wrong)


def test_another_kind_is_refused() -> None:
    with pytest.raises(ModelFileError, match=r"holds another kind of model, not an SVM\+"):
        svm_plus_files.from_bytes(SELECTOR)
    with pytest.raises(ModelFileError, match="holds another kind of model, not a PrivilegedSelector"):
        files.from_bytes(CONTENT)


def changed(content: bytes, name: str, change: Any) -> bytes:
    header, arrays = header_of(content), arrays_of(content)
    part: dict[str, Any] = arrays if name in arrays else header
    part[name] = change(part[name])
    return seal({key: np.ascontiguousarray(array) for key, array in arrays.items()}, header)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("scores/lines", lambda array: array[:, 1:]),
        ("scores/lines", lambda array: array * np.nan),
        ("scores/lines", lambda array: array.astype(np.float32)),
        ("scores/rows/indices", lambda array: array + 100),
        ("scores/rows/indptr", lambda array: array[::-1]),
        ("scores/rows/shape", lambda array: array + 1),
        ("duals", lambda array: array[1:]),
        ("intercepts", lambda array: array[1:]),
        ("slack_intercepts", lambda array: array[:1]),
        ("classes", lambda _: {"dtype": "<i8", "values": [1, 0, 2]}),
        ("classes", lambda _: {"dtype": "O", "values": [0, 1, 2]}),
        ("classes", lambda _: {"dtype": "<i8", "values": [0, 1]}),
        ("n_features", lambda _: 3),
        ("n_features", lambda _: "4"),
        ("feature_names", lambda _: ["a"]),
        ("n_privileged_features", lambda _: -1),
        ("corrects", lambda _: 1),
        ("scores_gamma", lambda _: -1.0),
        ("parameters", lambda found: found | {"C": -1}),
        ("parameters", lambda found: found | {"kernel": "linear"}),
        ("parameters", lambda found: found | {"unknown": 1}),
        ("by_column", lambda _: None),
    ],
)
def test_a_forged_file_is_refused(name: str, change: Any) -> None:
    with pytest.raises(ModelFileError) as caught:
        svm_plus_files.from_bytes(changed(CONTENT, name, change))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("model", lambda found: found | {"n_features": 3}),
        ("model/intercepts", lambda array: array * np.inf),
        ("prototype", lambda _: {"unknown": 1}),
        ("parameters", lambda found: found | {"combine": "magic"}),
        ("corrects", lambda _: None),
        ("classes", lambda _: {"dtype": "<i8", "values": []}),
    ],
)
def test_a_forged_selector_is_refused(name: str, change: Any) -> None:
    with pytest.raises(ModelFileError):
        files.from_bytes(changed(SELECTOR, name, change))
