"""Rules in dual form keep the promises that every rule keeps, and a model file of theirs cannot deceive."""

import json
import pickle
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from safetensors.numpy import load as from_safetensors
from safetensors.numpy import save as to_safetensors

import askance
import conformance_checks as conformance
import streams
from askance import kernels, queries, updates
from askance.learners.files import from_bytes, to_bytes
from combinations import Combination
from model_files import forge, is_refused

BUDGETED = queries.Within(queries.AtRate(queries.Margin(), rate=0.5), rate=0.4, burst=2.0)
LINEAR = [
    Combination(kernels.Kernelized(updates.Perceptron()), queries.Adaptive()),
    Combination(kernels.Kernelized(updates.PassiveAggressive()), queries.Margin()),
    Combination(kernels.Kernelized(updates.PassiveAggressive2()), BUDGETED),
]
OTHERS = [
    Combination(kernels.Kernelized(updates.PassiveAggressive2(), kernels.RBF(0.5)), queries.Margin()),
    Combination(kernels.Kernelized(updates.PassiveAggressive1(), kernels.Polynomial(2), 7), BUDGETED),
    Combination(kernels.SecondOrder(), queries.Margin()),
    Combination(kernels.SecondOrder(kernels.RBF(0.5), 7), queries.Adaptive()),
]
# These look at weights, or say how wide rows are with a row of zeros, which is a row like others to most kernels.
OF_WEIGHTS = (
    conformance.check_ask_and_tell_are_run,
    conformance.check_predicting_changes_nothing,
    conformance.check_one_class_alone_is_learned,
    conformance.check_a_late_label_is_learned_with_the_weights_of_now,
)
CASES = [
    *((combination, check) for combination in LINEAR for check in conformance.CHECKS),
    *((combination, check) for combination in OTHERS for check in conformance.CHECKS if check not in OF_WEIGHTS),
]
STREAM = conformance.STREAM


def name(combination: Combination) -> str:
    """What tells the combinations apart."""
    return f"{combination.update}-{combination.query}"


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("combination", "check"), CASES, ids=lambda value: value.__name__ if callable(value) else name(value)
)
def test_combination(combination: Combination, check: Callable[[Combination], None]) -> None:
    check(combination)


@pytest.mark.parametrize("combination", OTHERS, ids=name)
def test_ask_and_tell_are_run(combination: Combination) -> None:
    X, y, _ = STREAM
    sparse = sp.csr_array(X)
    whole = combination.learner()
    trace = whole.run(X, y)
    for form in (lambda t: X[t], lambda t: sparse[[t]], lambda t: X[t].tolist()):
        learner = combination.learner()
        for t, label in enumerate(y.tolist()):
            decision = learner.ask(form(t))
            assert decision[:4] == (
                trace.predictions[t],
                trace.scores[t],
                trace.ask_probabilities[t],
                trace.asked[t],
            )
            if decision.ask:
                learner.tell(form(t), label)
        assert to_bytes(learner) == to_bytes(whole)


@pytest.mark.parametrize("combination", OTHERS, ids=name)
def test_predicting_changes_nothing(combination: Combination) -> None:
    X, y, _ = STREAM
    learner = combination.learner()
    learner.run(X[:50], y[:50])
    state = to_bytes(learner)
    scores = learner.decision_function(X)
    assert np.array_equal(learner.decision_function(sp.csr_array(X)), scores)
    assert np.array_equal(learner.predict(X), np.where(scores >= 0, 1, -1))
    assert to_bytes(learner) == state
    assert learner.run(X[50:51], y[50:51]).scores[0] == scores[50]


@pytest.mark.parametrize("combination", [LINEAR[1], OTHERS[0]], ids=name)
def test_rows_grow_wider_as_they_come(combination: Combination) -> None:
    X, y, _ = STREAM
    learner, whole = combination.learner(), combination.learner()
    whole.partial_fit(X, y)
    for x, label in zip(X, y.tolist(), strict=True):
        places = np.flatnonzero(x)
        learner.tell(askance.Row(places, x[places]), label)
    learner.resize(12)
    assert np.array_equal(learner.decision_function(X), whole.decision_function(X))
    learner.resize(40)
    assert learner.support_vectors_.shape[1] == learner.n_features_in_ == 40
    assert np.array_equal(learner.decision_function(np.pad(X, ((0, 0), (0, 28)))), whole.decision_function(X))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("combination", [LINEAR[2], *OTHERS], ids=name)
def test_a_file_of_few_vectors_may_be_about_many_features(combination: Combination, dtype: str) -> None:
    X = sp.csr_array(([1.0, 2.0, 3.0], [5, 1_000_000, 2_000_000], [0, 1, 3]), shape=(2, 2_000_001))
    learner = combination.learner(dtype=dtype)
    learner.run(X, [1, -1], coins=[0.0, 0.0])
    content = to_bytes(learner)
    assert len(content) < 20_000
    again = from_bytes(content)
    assert to_bytes(again) == content
    assert np.array_equal(again.decision_function(X), learner.decision_function(X))


@pytest.mark.compiled
def test_a_pickle_holds_no_more_than_the_vectors() -> None:
    """What lies in the room behind them is whatever memory held before."""
    X, y, _ = streams.noisy(rows=600, width=40)
    learner = OTHERS[0].learner()
    learner.partial_fit(X, y)
    support = learner._core.machine.core.state.support
    assert support.values.base.nbytes > support.values.nbytes
    assert len(pickle.dumps(learner)) < sum(array.nbytes for array in support) + 5000


# ---------------------------------------------------------------------- files made to deceive


def forged(learner: askance.Learner, change: Callable[[dict[str, Any]], None]) -> bytes:
    """The learner's file with other arrays, and a checksum that fits them."""
    content = to_bytes(learner)
    arrays = {path: np.array(array) for path, array in from_safetensors(content).items()}
    change(arrays)
    (size,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8 : 8 + size])["__metadata__"]["askance"]
    return forge(model=to_safetensors(arrays, {"askance": header}))


def put(path: str, place: Any, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda arrays: arrays[path].__setitem__(place, value)


def instead(path: str, make: Callable[[Any], Any]) -> Callable[[dict[str, Any]], None]:
    return lambda arrays: arrays.update({path: make(arrays[path])})


FORGERIES = {
    "a feature beyond the last": put("state/support/indices", 1, 10**6),
    "a feature twice": put("state/support/indices", 1, 0),
    "a row torn": put("state/support/starts", 1, 10**9),
    "rows that start late": put("state/support/starts", 0, 1),
    "rows that end early": put("state/support/starts", -1, 3),
    "NaN in a row": put("state/support/values", 2, np.nan),
    "NaN for a coefficient": put("state/support/coefficients", 2, np.nan),
    "an infinite square": put("state/support/squares", 2, np.inf),
    "fewer coefficients than rows": instead("state/support/coefficients", lambda array: array[:-1]),
    "fewer norms than rows": instead("state/support/norms", lambda array: array[:-1]),
    "no rows": instead("state/support/starts", lambda array: array[:0]),
    "rows of another precision": instead("state/support/values", lambda array: array.astype(np.float32)),
    "a table of rows": instead("state/support/values", lambda array: array.reshape(-1, 1)),
    "signed features": instead("state/support/indices", lambda array: array.astype(np.int32)),
    "no norms at all": lambda arrays: arrays.pop("state/support/norms"),
    "a factor cut off": instead("state/factor", lambda array: array[:-1]),
    "a factor with a zero in it": put("state/factor", 0, 0.0),
    "NaN in the factor": put("state/factor", 1, np.nan),
    "a solution cut off": instead("state/solved", lambda array: array[:-1]),
}


def trained(budget: int | None = None) -> askance.Learner:
    learner = askance.Learner(kernels.SecondOrder(kernels.RBF(0.5), budget), dtype="float64")
    X, y, _ = streams.noisy(rows=60, width=4)
    learner.run(X, y)
    return learner


@pytest.mark.parametrize("change", FORGERIES.values(), ids=FORGERIES)
def test_a_forged_support_set_is_refused(change: Callable[[dict[str, Any]], None]) -> None:
    is_refused(forged(trained(), change))


def test_more_vectors_than_the_budget_are_refused() -> None:
    learner = trained(budget=5)
    assert to_bytes(from_bytes(forged(learner, lambda arrays: None))) == to_bytes(learner)
    header = lambda inside: inside["update"]["parameters"].update(budget=4)  # noqa: E731
    is_refused(forge(header=header, model=to_bytes(learner)))


@pytest.mark.parametrize(
    "parameters", [{"kernel": {"rule": "Margin", "parameters": {}}}, {"kernel": "rbf"}, {"kernel": None}]
)
def test_a_kernel_that_is_none_is_refused(parameters: dict[str, Any]) -> None:
    header = lambda inside: inside["update"]["parameters"].update(parameters)  # noqa: E731
    is_refused(forge(header=header, model=to_bytes(trained())))


@pytest.mark.parametrize("width", [3, 4.0, -1, 2**40, "4", None])
def test_a_width_that_is_none_is_refused(width: Any) -> None:
    is_refused(forge(header=lambda inside: inside.update(width=width), model=to_bytes(trained())))
