"""Files of factorisations: they come back as they were, and nothing damaged or forged does."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import askance
from askance._util.saving import to_bytes
from askance._util.sealed_file import arrays_of, header_of, seal
from askance.errors import ModelFileError
from askance.ratings import MaxMarginFactorization, RefitAdvised
from askance.ratings.files import from_bytes, load
from examples import examples
from rating_worlds import world

CONTENT = to_bytes(
    MaxMarginFactorization(2, max_iter=5).fit(*world(20, 12, 200)).partial_fit([1, 99], [3, 3], [2, 4])
)


@pytest.mark.parametrize("thresholds", ["global", "user"])
@pytest.mark.parametrize(
    "name",
    [int, str, lambda number: f"ü{number}\ud800", lambda number: number if number % 2 else str(number)],
)
@pytest.mark.filterwarnings("ignore::askance.ratings.RefitAdvised")
def test_a_model_goes_on_from_its_file(thresholds: str, name: Any, tmp_path: Path) -> None:
    users, items, ratings = world(40, 30, 600)
    named = [name(int(user)) for user in users]
    model = MaxMarginFactorization(2, thresholds=thresholds, levels=range(6)).fit(named, items, ratings)
    model.partial_fit(named[:20], [99] * 20, ratings[:20])
    model.save(tmp_path / "model")
    again = askance.load(tmp_path / "model")
    assert again.get_params() == model.get_params() | {"levels": [0, 1, 2, 3, 4, 5]}
    assert again.users_.tolist() == model.users_.tolist()
    assert again.path_ == model.path_
    assert again.drift_ == model.drift_
    for one in (model, again):
        one.partial_fit([named[5], name(1000)], [7, 8], [1, 5])
    assert np.array_equal(again.predict_proba(named, items), model.predict_proba(named, items))
    assert again.recommend(named[0]).items.tolist() == model.recommend(named[0]).items.tolist()
    assert again.steps_ == model.steps_


def test_what_cannot_be_kept(tmp_path: Path) -> None:
    users, items, ratings = world(20, 12, 200)
    model = MaxMarginFactorization(1, max_iter=3).fit([(int(user), 0) for user in users], items, ratings)
    with pytest.raises(ValueError, match=r"holds ids that are whole numbers or text, not \("):
        model.save(tmp_path / "model")
    assert not list(tmp_path.iterdir())
    with pytest.raises(ValueError, match="is not fitted yet"):
        MaxMarginFactorization().save(tmp_path / "model")


def test_files_of_another_kind(tmp_path: Path) -> None:
    path = tmp_path / "model"
    askance.make("PAA-II").fit([[1.0], [2.0]], [0, 1]).save(path)
    with pytest.raises(ModelFileError, match="holds another kind of model"):
        load(path)
    with pytest.raises(ModelFileError, match="cannot be read"):
        load(tmp_path / "nothing")


@given(place=st.integers(0, len(CONTENT) - 1), bits=st.integers(1, 255), cut=st.booleans())
@examples(200)
def test_a_damaged_file_is_refused(place: int, bits: int, cut: bool) -> None:
    damaged = CONTENT[:place] if cut else CONTENT[:place] + bytes([CONTENT[place] ^ bits]) + CONTENT[place + 1 :]
    with pytest.raises(ModelFileError):
        from_bytes(damaged)


def forged(name: str, change: Any) -> bytes:
    """A file with a sound checksum, of which an array or an entry of the header was changed."""
    header, arrays = header_of(CONTENT), arrays_of(CONTENT)
    part: dict[str, Any] = arrays if name in arrays else header
    part[name] = change(part[name].copy() if name in arrays else part[name])
    return seal({key: np.ascontiguousarray(array) for key, array in arrays.items()}, header)


def put(place: Any, value: Any) -> Any:
    def change(array: Any) -> Any:
        array[place] = value
        return array

    return change


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("user_factors", put((0, 0), np.nan)),
        ("user_factors", lambda array: array[:-1]),
        ("user_factors", lambda array: array.astype(np.float32)),
        ("item_factors", lambda array: array[:, :1]),
        ("values", lambda array: np.append(array, 1.0)),
        ("thresholds", lambda array: array[:, 1:]),
        ("levels", lambda array: array[::-1].copy()),
        ("offsets", lambda array: array[1:]),
        ("user_biases", lambda array: array[1:]),
        ("item_biases", put(0, np.inf)),
        ("fitted/starts", put(1, -1)),
        ("fitted/starts", put(-1, 10**6)),
        ("fitted/items", put(0, 10**6)),
        ("fitted/items", put(0, -1)),
        ("fitted/levels", put(0, 9)),
        ("fitted/levels", lambda array: array[1:]),
        ("later/users", put(0, 10**6)),
        ("later/items", lambda array: array[1:]),
        ("users/numbers", put(0, 1)),
        ("users/numbers", lambda array: array[1:]),
        ("n_items", lambda _: 10**6),
        ("kind", lambda _: "learner"),
        ("parameters", lambda _: {"rank": 0}),
        ("parameters", lambda _: {"unknown": 0}),
        ("parameters", lambda _: None),
        ("path", lambda _: [[1]]),
        ("drift", lambda _: "none"),
        ("slope", lambda _: "steep"),
        ("rmse", lambda _: None),
    ],
)
def test_a_forged_file_is_refused(name: str, change: Any) -> None:
    with pytest.raises(ModelFileError) as caught:
        from_bytes(forged(name, change))
    assert "\n" not in str(caught.value)


def test_a_forgery_that_changes_nothing_is_read() -> None:
    assert to_bytes(from_bytes(forged("levels", lambda array: array))) == to_bytes(from_bytes(CONTENT))
    json.dumps(header_of(CONTENT))


def test_drift_survives() -> None:
    model = from_bytes(CONTENT)
    assert model.drift_.later == 2
    with pytest.warns(RefitAdvised):
        model.partial_fit(*world(20, 12, 200))
