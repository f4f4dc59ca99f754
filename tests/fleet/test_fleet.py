"""A fleet does for each key what a learner of its own would, in memory or spilled, saved or packed."""

import copy
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pandas
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import askance
from askance import queries
from askance.data import MixedRows, TableEncoder
from askance.errors import ModelFileError
from askance.fleet import Fleet
from askance.fleet.files import is_fleet_file, load
from askance.jit.interop import COMPILING
from askance.jit.kernels.key_table import KeyTable
from askance.rules.rows import Row
from examples import examples
from fleet_twin import Twin, world
from thinning import one_of_each_form, rest_slow

EXACT: dict[str, Any] = {"bits": 8, "random_state": 11, "dtype": "float64"}
COLUMNS = ("predictions", "scores", "ask_probabilities", "asked", "updated")
THREE = ["ham", "phish", "spam"]
A_FEW = ["PAA-II"]  # compiling takes its time: the soak has them all


def classes_for(name: str) -> list[Any]:
    return THREE if askance.catalog[name].kind == "multiclass" else [-1, 1]


def is_linear(name: str) -> bool:
    try:
        Fleet(name, classes=classes_for(name), n_jobs=1)
    except ValueError:
        return False
    return True


LINEAR = [name for name in askance.catalog if is_linear(name)]


def does_as_learners_do(name: str, rows: int = 240 if COMPILING else 50, query: Any = None) -> None:
    classes = classes_for(name)
    keys, X, y = world(rows, 9, classes)
    with Fleet(name, classes=classes, query=query, n_jobs=2, **EXACT) as fleet:
        twin = Twin(fleet)
        half = rows // 2
        trace, expected = fleet.run(keys[:half], X[:half], y[:half]), twin.run(keys[:half], X[:half], y[:half])
        for column in COLUMNS:
            np.testing.assert_array_equal(getattr(trace, column), expected[column])
        assert trace.refused == sum(learner.spending_.refused for learner in twin.learners.values())

        later, expected_later = fleet.decide(keys[half:], X[half:]), twin.ask(keys[half:], X[half:])
        assert later.scores.tolist() == [decision.score for decision in expected_later]
        assert later.predictions.tolist() == [decision.prediction for decision in expected_later]
        assert later.asked.tolist() == [decision.ask for decision in expected_later]
        for key, learner in twin.learners.items():
            assert fleet.ask(key, X[[0]]) == learner.ask(X[[0]])
        late = half + np.flatnonzero(later.asked)
        fleet.partial_fit(keys[late], X[late], y[late])
        twin.tell(keys[late], X[late], y[late])
        twin.check_weights()
        for key, learner in twin.learners.items():
            np.testing.assert_array_equal(fleet.decision_function([key] * rows, X), learner.decision_function(X))
            np.testing.assert_array_equal(fleet.predict([key] * rows, X), learner.predict(X))


@pytest.mark.plain
@pytest.mark.compiled
@pytest.mark.parametrize("name", A_FEW if COMPILING else rest_slow(LINEAR, one_of_each_form()))
def test_each_key_has_a_learner_of_its_own(name: str) -> None:
    does_as_learners_do(name)


@pytest.mark.soak
@pytest.mark.parametrize("name", LINEAR)
def test_each_key_has_a_learner_of_its_own_by_every_name(name: str) -> None:
    does_as_learners_do(name, rows=2000)


@pytest.mark.parametrize(
    "inner",
    [queries.AtRate(queries.Margin(), 0.3), queries.LeastCertain(0.3, recent=20), queries.Split(0.3, window=20)],
    ids=str,
)
def test_each_key_has_a_budget_of_its_own(inner: queries.QueryRule) -> None:
    does_as_learners_do("PAA-II", query=queries.Within(inner, rate=0.2, burst=2.0))


def test_two_of_many_classes_have_one_score_as_a_learner_has() -> None:
    keys, X, y = world(60, 3, ["ham", "spam"])
    with Fleet("MD-ADA-I", classes=["ham", "spam"], n_jobs=1, **EXACT) as fleet:
        twin = Twin(fleet)
        fleet.run(keys, X, y)
        twin.run(keys, X, y)
        for key, learner in twin.learners.items():
            np.testing.assert_array_equal(fleet.decision_function([key] * 60, X), learner.decision_function(X))


@pytest.mark.slow
def test_a_row_that_is_longer_than_the_ground_finds_room() -> None:
    long = np.ones((2, 5000))
    with Fleet("PAA-II", classes=[-1, 1], **(EXACT | {"bits": 13, "n_jobs": 1})) as fleet:
        fleet.partial_fit(["a"], long[:, :2][:1], [1]).partial_fit(["b", "c"], long, [1, -1])
        twin = Twin(fleet)
        twin.tell(np.array(["b", "c"]), long, [1, -1])
        twin.check_weights()


def test_what_hangs_together_cannot_be_had_in_a_fleet() -> None:
    for name in ("SEL-WINNOW", "AROW", "K-PAA", "OMCSL-F-h"):
        with pytest.raises(ValueError, match=f"{name} cannot be used in a fleet"):
            Fleet(name, classes=[-1, 1])


def test_the_fast_mode_differs_by_rounding_alone() -> None:
    keys, X, y = world(300, 5, [-1, 1])
    eager: Any = {"algorithm": "PAA-II", "parameters": {"delta": 1e9}, "classes": [-1, 1]}
    with Fleet(**eager, bits=8, random_state=11) as fast, Fleet(**eager, **EXACT) as exact:
        found, expected = fast.run(keys, X, y), exact.run(keys, X, y)
    np.testing.assert_allclose(found.scores, expected.scores, atol=1e-4)
    assert found.mode == "float32 relaxed"


# ---------------------------------------------------------------------- however it is cut and kept


@pytest.mark.slow
@pytest.mark.plain
@pytest.mark.compiled
@examples(25)
@given(st.lists(st.integers(1, 60), min_size=1, max_size=6), st.integers(1, 3), st.integers(0, 99))
def test_neither_chunks_nor_threads_matter(cuts: list[int], n_jobs: int, random_state: int) -> None:
    keys, X, y = world(180, 7, [-1, 1], random_state=random_state)
    with Fleet("PAA-II", classes=[-1, 1], n_jobs=1, **EXACT) as whole:
        expected = whole.run(keys, X, y)
        models = dict(whole.packed())
    with Fleet("PAA-II", classes=[-1, 1], n_jobs=n_jobs, **EXACT) as fleet:
        bounds = [0, *np.minimum(np.cumsum(cuts), 180), 180]
        traces = [
            fleet.run(keys[part], X[part], y[part])
            for part in map(slice, bounds, bounds[1:])
            if part.start < part.stop
        ]
        trace = askance.Trace.join(traces)
        for column in COLUMNS:
            np.testing.assert_array_equal(getattr(trace, column), getattr(expected, column))
        assert dict(fleet.packed()) == models


@pytest.mark.slow
def test_models_that_wait_in_a_file_are_none_the_worse(tmp_path: Any) -> None:
    keys, X, y = world(3000, 2000, [-1, 1])
    with Fleet("AROW-diag", classes=[-1, 1], **EXACT) as whole:
        expected, models = whole.run(keys, X, y), dict(whole.packed())
    given: dict[str, Any] = EXACT | {"resident": 1000, "spill": tmp_path / "models"}
    with Fleet("AROW-diag", classes=[-1, 1], **given) as fleet:
        trace = fleet.run(keys, X, y)
        for column in COLUMNS:
            np.testing.assert_array_equal(getattr(trace, column), getattr(expected, column))
        assert fleet.spilled > 400
        assert len(fleet) == len(models) == len(list(fleet.keys()))
        assert all(key in fleet for key in list(models)[:20])
        assert "nobody" not in fleet
        np.testing.assert_array_equal(fleet.predict(keys, X), whole_predictions(models, keys, X))
        assert dict(fleet.packed()) == models
        first = min(models)
        fleet.drop(first)
        assert first not in fleet
        assert len(fleet) == len(models) - 1


def test_a_file_with_models_is_not_spilled_to(tmp_path: Any) -> None:
    with Fleet("PAA-II", classes=[-1, 1], **EXACT) as fleet:
        fleet.tell("a", np.ones(3), 1).save(tmp_path / "fleet")
    before = (tmp_path / "fleet").read_bytes()
    with pytest.raises(ValueError, match="already holds models"):
        Fleet("PAA-II", classes=[-1, 1], resident=1000, spill=tmp_path / "fleet", **EXACT)
    assert (tmp_path / "fleet").read_bytes() == before


def whole_predictions(models: dict[Any, bytes], keys: Any, X: Any) -> Any:
    with Fleet("AROW-diag", classes=[-1, 1], **EXACT) as fleet:
        return fleet.unpack_all(models).predict(keys, X)


def test_a_fleet_is_saved_and_goes_on(tmp_path: Any) -> None:
    keys, X, y = world(400, 20, THREE)
    with Fleet("MD-ADA-I", classes=THREE, **EXACT) as whole:
        whole.run(keys[:200], X[:200], y[:200])
        whole.save(tmp_path / "fleet")
        expected = whole.run(keys[200:], X[200:], y[200:])
    with load(tmp_path / "fleet", n_jobs=1) as again:
        assert len(again) == 20
        trace = again.run(keys[200:], X[200:], y[200:])
    for column in COLUMNS:
        np.testing.assert_array_equal(getattr(trace, column), getattr(expected, column))
    assert trace.first_round == expected.first_round == 200


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda fleet: pickle.loads(pickle.dumps(fleet))])
@pytest.mark.parametrize("options", [{}, {"resident": 1000}])
def test_a_copy_of_a_fleet_goes_on_alone(copied: Any, options: dict[str, Any]) -> None:
    keys, X, y = world(400, 20, THREE)
    with Fleet("MD-ADA-I", classes=THREE, **(EXACT | options)) as whole:
        blank = copied(whole)
        whole.run(keys[:200], X[:200], y[:200])
        with copied(whole) as again, blank:
            expected = whole.run(keys[200:], X[200:], y[200:])
            trace = again.run(keys[200:], X[200:], y[200:])
            for column in COLUMNS:
                np.testing.assert_array_equal(getattr(trace, column), getattr(expected, column))
            assert trace.first_round == expected.first_round == 200
            assert dict(again.packed()) == dict(whole.packed())
            assert len(blank) == blank.rounds == 0


def test_a_file_that_is_no_fleet_is_refused(tmp_path: Any) -> None:
    with pytest.raises(ModelFileError, match="cannot be read: No such file"):
        load(tmp_path / "nothing")
    (tmp_path / "noise").write_bytes(b"something else" * 100)
    with pytest.raises(ModelFileError, match="is not a fleet file"):
        load(tmp_path / "noise")
    with Fleet("PAA-II", classes=[-1, 1], **EXACT) as fleet:
        model = fleet.tell("a", np.ones(3), 1).pack("a")
        fleet.save(tmp_path / "fleet")
    content = bytearray((tmp_path / "fleet").read_bytes())
    content[content.index(model) + len(model) - 1] ^= 1
    (tmp_path / "fleet").write_bytes(content)
    assert is_fleet_file(bytes(content[:72]))
    with pytest.raises(ModelFileError, match="is damaged or not a fleet file"):
        load(tmp_path / "fleet")


def test_a_model_is_packed_for_fleets_of_its_kind_alone() -> None:
    with Fleet("PAA-II", classes=[-1, 1], **EXACT) as fleet:
        fleet.tell("a", np.ones(3), 1)
        model = fleet.pack("a")
        assert fleet.unpack("b", model).pack("b") == model
        for damaged in (b"", model[:-1], model + b"x", model[:40] + b"?" + model[41:]):
            with pytest.raises(ModelFileError, match=r"not a model|damaged|version"):
                fleet.unpack("c", damaged)
        assert "c" not in fleet
        with pytest.raises(KeyError):
            fleet.pack("c")
        with (
            Fleet("PAA-II", {"delta": 2.0}, classes=[-1, 1], **EXACT) as other,
            pytest.raises(ModelFileError, match="another algorithm"),
        ):
            other.unpack("a", model)


@pytest.mark.slow
def test_plots_that_were_grown_out_of_are_used_again() -> None:
    keys, X, y = world(3000, 150, [-1, 1], width=200)
    with Fleet("PAA-II", classes=[-1, 1], n_jobs=1, **EXACT) as fleet:
        fleet.run(keys, X, y)
        slots = [1 << max(3, (features * 8 // 7).bit_length()) for features in map(features_of, fleet.packed())]
        assert fleet.nbytes < 1.4 * sum(slots) * (4 + 8)  # each a feature's number and a weight


def features_of(packed: tuple[Any, bytes]) -> int:
    return int.from_bytes(packed[1][8:12], "little")


OPERATIONS = st.lists(st.tuples(st.sampled_from(["put", "remove"]), st.lists(st.integers(-9, 31), max_size=30)))


@pytest.mark.plain
@pytest.mark.compiled
@examples(100)
@given(OPERATIONS)
def test_a_table_of_keys_is_a_dictionary(operations: Any) -> None:
    table, twin = KeyTable(size=4), {}
    for number, (operation, given_keys) in enumerate(operations):
        keys = [key * 2**58 for key in dict.fromkeys(given_keys) if operation == "put" or key * 2**58 in twin]
        array = np.array(keys, np.int64)
        if operation == "put":
            table.put(array, np.full(len(keys), number))
            twin.update(dict.fromkeys(keys, number))
        else:
            table.remove(array)
            for key in keys:
                del twin[key]
    every = np.array([key * 2**58 for key in range(-9, 32)])
    assert table.find(every).tolist() == [twin.get(key, -1) for key in every.tolist()]


def test_keys_are_of_one_kind() -> None:
    with Fleet("PAA-II", classes=[-1, 1], **EXACT) as fleet:
        fleet.partial_fit([-5, 7, -5], np.eye(3), [1, 1, -1])
        assert sorted(fleet.keys()) == [-5, 7]
        assert 7 in fleet
        assert 8 not in fleet
        assert "7" not in fleet
        for keys, complaint in ((["a"], "must be all str or all int"), (["a", 1], "all str or all int")):
            with pytest.raises(ValueError, match=complaint):
                fleet.partial_fit(keys, np.eye(len(keys)), [1] * len(keys))
        assert len(fleet) == 2


# ---------------------------------------------------------------------- one row, and wrong ones


def test_rows_come_in_every_form() -> None:
    dense = np.array([0.0, 2.0, 0.0, -1.0])
    forms = [dense, sp.csr_array(dense[np.newaxis]), Row(np.array([1, 3]), np.array([2.0, -1.0])), dense.tolist()]
    with Fleet("PAA-II", classes=["no", "yes"], **EXACT) as fleet:
        for key, form in enumerate(forms):
            assert fleet.ask(key, form).ask_probability == 1
            fleet.tell(key, form, "yes")
        weights = [fleet.coef_of(key).toarray() for key in range(4)]
        assert fleet.predict([0, 99], np.stack([dense, -dense])).tolist() == ["yes", "yes"]
    np.testing.assert_array_equal(weights, [weights[0]] * 4)


WRONG = [
    (lambda fleet: fleet.tell("a", [1.0], "maybe"), "unknown class 'maybe'"),
    (lambda fleet: fleet.tell(1.5, [1.0], "yes"), "must be str or int, not 1.5"),
    (lambda fleet: fleet.tell(2**64, [1.0], "yes"), "does not fit into 64 bits"),
    (lambda fleet: fleet.tell("\ud800", [1.0], "yes"), "lone surrogate"),
    (lambda fleet: fleet.tell("a", [np.nan], "yes"), "NaN"),
    (lambda fleet: fleet.partial_fit(["a"], np.ones((2, 2)), ["yes", "no"]), "2 rows but there are 1 keys"),
    (lambda fleet: fleet.partial_fit("a", np.ones((1, 2)), ["yes"]), "one key per row"),
    (lambda fleet: fleet.partial_fit(["a"], np.ones((1, 300)), ["yes"]), "room for 256"),
    (lambda fleet: fleet.partial_fit(["a"], np.ones((1, 2)), ["yes", "no"]), "1 rows but y has 2"),
    (lambda fleet: fleet.decide(["a"], np.array(["x"])), "must be a matrix of numbers"),
]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_a_wrong_row_changes_nothing(number: int) -> None:
    with Fleet("PAA-II", classes=["no", "yes"], **EXACT) as fleet:
        fleet.tell("a", [1.0, 2.0], "yes")
        before = dict(fleet.packed())
        work, complaint = WRONG[number]
        with pytest.raises(ValueError, match=complaint):
            work(fleet)
        assert dict(fleet.packed()) == before


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"dtype": "float16"}, "dtype must be"),
        ({"bits": 40}, "bits must be"),
        ({"random_state": -1}, "random_state must be"),
        ({"classes": ["one"]}, "classes must hold two"),
        ({"resident": 10}, "resident must be at least"),
        ({"n_jobs": 0}, "n_jobs must be"),
        ({"algorithm": "PAAA"}, "no algorithm"),
    ],
)
def test_settings_that_cannot_be_used(given: Any, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        Fleet(**({"algorithm": "PAA-II", "classes": [-1, 1]} | given))


def test_a_fleet_is_imported_late() -> None:
    code = "import sys, askance; sys.exit('askance.fleet' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_tables_go_through_an_encoder() -> None:
    records = [
        {"plan": "ab"[row % 2], "price": row / 3, "note": f"so {'good' if row % 3 else 'bad'} it is"}
        for row in range(60)
    ]
    users, y = np.arange(60) % 3, np.where(np.arange(60) % 3, "like", "skip")
    encoder = TableEncoder(output="matrix", scaled=True, bits=6, text=["note"])
    X = encoder.fit_transform(records)
    assert X.shape == (60, 68)  # price, two plans, others, and 64 hashed words
    with Fleet("PAA-II", classes=["like", "skip"], bits=7, dtype="float64") as fleet:
        trace = fleet.run(users, X, y)
        again = fleet.predict([0, 1], encoder.transform(records[:2]))
    assert trace.asked.any()
    assert again.shape == (2,)
    with Fleet("PAA-II", classes=["like", "skip"], bits=7) as fleet:
        with pytest.raises(TypeError, match="are for AutoLearner: use TableEncoder"):
            fleet.predict([0], MixedRows(np.ones((1, 2)), sp.csr_array((1, 4))))
        with pytest.raises(ValueError, match="and dtype object: encode it with TableEncoder"):
            fleet.predict([0], pandas.DataFrame(records[:1]))
        with pytest.raises(ValueError, match="X has 260 columns, but this fleet has room for 128"):
            fleet.predict([0], TableEncoder(text=["note"], bits=8, output="matrix").fit_transform(records)[:1])
