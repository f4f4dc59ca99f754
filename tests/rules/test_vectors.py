"""Every name of the catalog returns what its formulas give, at 1e-9, in whatever form and chunks the rows come."""

import itertools
import pathlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import askance
import make_vectors
import naive
from askance import kernels
from askance.jit.interop import COMPILING
from askance.rules.imbalance import ManyCosts, OnlineBagging
from naive import imbalance, multiclass
from thinning import one_of_each_form, rest_in_soak

FORMS = {"dense": np.asarray, "sparse": sp.csr_array}
CHUNKS = (1, 7, None) if COMPILING else (7,)  # how rows are cut is no matter of the compiler
SPEC_FIELDS = {
    "predictions": "pred",
    "scores": "margin",
    "ask_probabilities": "prob",
    "asked": "query",
    "updated": "update",
    "w": "w",
}


with np.load(pathlib.Path(make_vectors.__file__).with_name("spec_vectors.npz")) as _archive:
    # Names that came later have twins and vectors of their own, and are compared with other libraries.
    SPECIFIED = {key.split("/")[2] for key in _archive.files if key.startswith("out/")}


def names_and_forms(*further: pytest.MarkDecorator) -> Iterator[Any]:
    """Every name with rows of either form.

    One name per form of states is compiled too. The others meet the vectors of the specification in one form, by
    turns, and their own in `make slow`; the soak has all in both forms.
    """
    compiled = {(name, list(FORMS)[number % 2]) for number, name in enumerate(one_of_each_form())}
    for (number, name), (turn, form) in itertools.product(enumerate(askance.catalog), enumerate(FORMS)):
        if (name, form) in compiled:
            marks = [pytest.mark.plain, pytest.mark.compiled]
        else:
            marks = further if (number + turn) % 2 == 0 else [pytest.mark.soak]
        yield pytest.param(name, form, marks=marks)


def run_in_chunks(learner: askance.Learner, X: Any, y: Any, coins: Any, size: int | None) -> dict[str, Any]:
    """The trace of a run in chunks of `size` rows, and the last weights."""
    edges = range(0, len(y), size or len(y))
    parts = [slice(start, start + (size or len(y))) for start in edges]
    trace = askance.Trace.join([learner.run(X[part], y[part], coins=coins[part]) for part in parts])
    fields = {
        name: getattr(trace, name) for name in ("predictions", "scores", "ask_probabilities", "asked", "updated")
    }
    return fields | {"w": weights_of(learner)}


def weights_of(learner: askance.Learner) -> Any:
    """The weights as the vectors have them: a row a class or a member, or the coefficients of a dual form."""
    if learner.multiclass or isinstance(learner.update, ManyCosts | OnlineBagging):
        return learner.coef_
    return learner.dual_coef_[0] if isinstance(learner.update, kernels.RULES) else learner.coef_[0]


def made(name: str) -> askance.Learner:
    """The learner of a name in exact mode; many classes are known from the start, however few a chunk shows."""
    several = {"k": make_vectors.CLASSES} if askance.catalog[name].kind == "multiclass" else {}
    return askance.make(name, dtype="float64", **several)


def coins_of(name: str, one: str, several: str) -> str:
    """Which coins a name takes: one a round, or one a member."""
    return several if name.startswith(("iOOB", "iUOB")) else one


def streams_of(name: str, two: tuple[str, ...], many: str) -> tuple[str, ...]:
    """The streams that a name has vectors on."""
    return (many,) if askance.catalog[name].kind == "multiclass" else two


def without_empty_vectors(name: str, X: Any, wanted: Mapping[str, Any]) -> Mapping[str, Any]:
    """The vectors of kernel forms list a coefficient for every update; learners keep none for rows of zeros."""
    if not name.startswith("K-"):
        return wanted
    learned_from = X[np.asarray(wanted["updated"], bool)]
    return {**wanted, "w": wanted["w"][learned_from.any(axis=1)]}


def differences(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> Iterator[str]:
    """What differs by more than 1e-9, and from which round on."""
    for field, values in wanted.items():
        if found[field].shape != values.shape:
            yield f"{field} has the shape {found[field].shape}, not {values.shape}"
            continue
        wrong = np.flatnonzero(~(np.abs(np.asarray(found[field], float) - np.asarray(values, float)) <= 1e-9))
        if len(wrong):
            yield f"{field} from {wrong[0]} on"


@pytest.fixture(scope="module")
def own_vectors() -> Mapping[str, Any]:
    with np.load(make_vectors.PATH) as archive:
        return {name: archive[name] for name in archive.files}


def test_every_name_has_vectors(own_vectors: Mapping[str, Any]) -> None:
    for name in askance.catalog:
        for stream in streams_of(name, tuple(make_vectors.STREAMS), "several"):
            stored = f"out/{stream}/{name}/w" in own_vectors
            assert stored, f"{name} has no vector: write its twin, run tests/support/make_vectors.py"


@pytest.mark.parametrize(("name", "form"), list(names_and_forms(pytest.mark.slow)))
def test_own_vectors(name: str, form: str, own_vectors: Mapping[str, Any]) -> None:
    for stream in streams_of(name, tuple(make_vectors.STREAMS), "several"):
        X, y, coins = (own_vectors[f"in/{stream}/{part}"] for part in ("X", "y", coins_of(name, "coins", "draws")))
        wanted = {field: own_vectors[f"out/{stream}/{name}/{field}"] for field in make_vectors.FIELDS}
        for size in CHUNKS:
            learner = made(name)
            found = run_in_chunks(learner, FORMS[form](X), y, coins, size)
            assert list(differences(found, without_empty_vectors(name, X, wanted))) == [], (stream, size)


@pytest.mark.parametrize(("name", "form"), [case for case in names_and_forms() if case.values[0] in SPECIFIED])
def test_vectors_of_the_specification(name: str, form: str, spec_vectors: Mapping[str, Any]) -> None:
    # Plain Python takes a stream per form; the soak takes both.
    two = ("bin", "sparse") if COMPILING else ("sparse",) if form == "sparse" else ("bin",)
    for stream in streams_of(name, two, "multi"):
        X, y, coins = (spec_vectors[f"in/{stream}/{part}"] for part in ("X", "y", coins_of(name, "u", "U")))
        wanted = {own: spec_vectors[f"out/{stream}/{name}/{theirs}"] for own, theirs in SPEC_FIELDS.items()}
        for size in CHUNKS:
            learner = made(name)
            found = run_in_chunks(learner, FORMS[form](X), y, coins, size)
            assert list(differences(found, without_empty_vectors(name, X, wanted))) == [], (stream, size)


# The learners meet the same vectors, and their twins on any stream: a name per form of states closes the circle.
TWINS = rest_in_soak(askance.catalog, one_of_each_form())


@pytest.mark.slow
@pytest.mark.parametrize("name", TWINS)
def test_the_stored_vectors_are_those_of_the_twins(name: str, own_vectors: Mapping[str, Any]) -> None:
    for stream in streams_of(name, tuple(make_vectors.STREAMS), "several"):
        run = make_vectors.run(name, stream)
        wanted = {field: own_vectors[f"out/{stream}/{name}/{field}"] for field in make_vectors.FIELDS}
        assert list(differences(vars(run), wanted)) == []
        assert run.settled == len(run.predictions)


@pytest.mark.parametrize("name", rest_in_soak(filter(SPECIFIED.__contains__, askance.catalog), one_of_each_form()))
def test_the_twins_return_the_vectors_of_the_specification(name: str, spec_vectors: Mapping[str, Any]) -> None:
    for stream in streams_of(name, ("bin", "sparse"), "multi"):
        arrays = [spec_vectors[f"in/{stream}/{part}"] for part in ("X", "y", "u")]
        if name in imbalance.ALGORITHMS:
            run = imbalance.algorithm(name, *arrays, spec_vectors[f"in/{stream}/U"])
        elif stream == "multi":
            run = multiclass.algorithm(name, *arrays, classes=make_vectors.CLASSES)
        else:
            run = naive.algorithm(name, *arrays)
        wanted = {own: spec_vectors[f"out/{stream}/{name}/{theirs}"] for own, theirs in SPEC_FIELDS.items()}
        assert list(differences(vars(run), wanted)) == []


def test_the_streams_hold_what_they_are_for(own_vectors: Mapping[str, Any]) -> None:
    assert (~own_vectors["in/sparse/X"].any(axis=1)).sum() == 1
    for stream in make_vectors.STREAMS:
        assert set(own_vectors[f"in/{stream}/y"].tolist()) == {-1, 1}
