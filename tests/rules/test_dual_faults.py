"""Mistakes around kernels get one sentence, and nothing is lost: the learner is as before."""

import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics.pairwise import rbf_kernel

import askance
import streams
from askance import Learner, kernels, queries, updates
from askance.engine.passes import arrays_of
from refusals import refused
from thinning import rest_slow

X, Y, _ = streams.noisy(rows=60, width=4, random_state=8)
PA2 = updates.PassiveAggressive2()


def learned(learner: Learner) -> dict[str, bytes]:
    """All that a learner has learned and counted."""
    return {path: array.tobytes() for path, array in arrays_of(learner._core.machine.core).items()}


# ---------------------------------------------------------------------- parameters


class TwoNumbers(updates.PassiveAggressive):
    """A rule whose step is two numbers."""

    def step(self, seen: Any, label: float) -> tuple[bool, Any]:
        return True, (label, label)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Learner(kernels.Kernelized(PA2, kernels.RBF(0))), ["RBF", "gamma", "greater than 0", "not 0"]),
        (lambda: Learner(kernels.Kernelized(PA2, kernels.RBF(np.nan))), ["RBF", "gamma", "nan"]),
        (lambda: Learner(kernels.Kernelized(PA2, kernels.RBF("x"))), ["RBF", "gamma", "'x'"]),
        (lambda: Learner(kernels.SecondOrder(kernels.RBF(-1.0))), ["RBF", "gamma", "-1.0"]),
        (lambda: Learner(kernels.Kernelized(PA2, kernels.Polynomial(0))), ["degree", "1 or more", "not 0"]),
        (lambda: Learner(kernels.Kernelized(PA2, kernels.Polynomial(1.5))), ["degree", "whole", "1.5"]),
        (lambda: Learner(kernels.Kernelized(PA2, kernels.Polynomial(coef0=-1))), ["coef0", "0 or more", "-1"]),
        (lambda: Learner(kernels.Kernelized(PA2, kernels.Polynomial(gamma=0))), ["gamma", "not 0"]),
        (lambda: Learner(kernels.Kernelized(PA2, "rbf")), ["kernel", "kernels.RBF", "'rbf'"]),
        (lambda: Learner(kernels.Kernelized(PA2, kernels.RBF)), ["kernel", "RBF"]),
        (lambda: Learner(kernels.SecondOrder(None)), ["kernel", "None"]),
        (lambda: Learner(kernels.Kernelized(PA2, budget=0)), ["budget", "1 or more", "not 0"]),
        (lambda: Learner(kernels.Kernelized(PA2, budget=-3)), ["budget", "-3"]),
        (lambda: Learner(kernels.Kernelized(PA2, budget=2.5)), ["budget", "whole", "2.5"]),
        (lambda: Learner(kernels.Kernelized(PA2, budget=np.inf)), ["budget", "inf"]),
        (lambda: Learner(kernels.Kernelized(PA2, budget=True)), ["budget", "True"]),
        (lambda: Learner(kernels.SecondOrder(budget=0)), ["budget", "not 0"]),
        (lambda: Learner(kernels.Kernelized(updates.PassiveAggressive2(-1))), ["PassiveAggressive2", "C", "-1"]),
        (lambda: Learner(kernels.Kernelized(None)), ["update rule", "None"]),
        (lambda: Learner(kernels.Kernelized("x")), ["update rule", "'x'"]),
        (lambda: Learner(kernels.Kernelized(queries.Margin())), ["Margin"]),
        (
            lambda: Learner(kernels.Kernelized(kernels.SecondOrder())),
            ["SecondOrder", "cannot be kernelized", "Perceptron"],
        ),
        (lambda: Learner(kernels.Kernelized(kernels.Kernelized(PA2))), ["Kernelized", "cannot be kernelized"]),
        (lambda: Learner(kernels.Kernelized(TwoNumbers())), ["TwoNumbers", "cannot be kernelized"]),
        (lambda: askance.make("K-PAA-II", kernel="sigmoid"), ["'linear', 'rbf', 'poly'", "'sigmoid'"]),
        (lambda: askance.make("K-PAA-II", kernel=None), ["kernel", "None"]),
        (lambda: askance.make("K-SEL-2ND", kernel="rbf", gamma=0), ["RBF", "gamma", "not 0"]),
        (lambda: askance.make("K-PAA-II", gamma=-1), ["gamma", "-1"]),  # checked even where it is not used
        (lambda: askance.make("K-PAA", kernel="poly", degree="x"), ["degree", "'x'"]),
        (lambda: askance.make("K-PAA", budget=0), ["budget", "not 0"]),
        (lambda: askance.make("K-PAA", C=1), ["K-PAA has no parameter 'C'", "delta, kernel"]),
        (lambda: askance.make("K-PAA-I", C=0), ["PassiveAggressive1", "C", "not 0"]),
        (
            lambda: askance.make("K-SEL-P", C=1),
            ["K-SEL-P", "'C'", "b, kernel, gamma, degree, coef0, budget, sgn0"],
        ),
        (lambda: askance.make("K-SEL-ADA", beta=0), ["beta", "not 0"]),
    ],
)
def test_parameters(make: Callable[[], Any], words: list[str]) -> None:
    with refused(*words):
        make()


# ---------------------------------------------------------------------- rows


def spoiled(row: int, value: float) -> Any:
    rows = X.copy()
    rows[row, 1] = value
    return rows


BAD_ROWS = [
    (spoiled(40, np.nan), ["NaN", "row 40"]),
    (sp.csr_array(spoiled(40, np.inf)), ["infinity", "row 40"]),
    (X[:, :3], ["3 features", "4 features"]),
    (spoiled(40, 1e160), ["row 40", "too long"]),  # its square is not finite
    (spoiled(40, 1e120), ["row 40", "too long for this kernel"]),  # its square is, the cube of that is not
]


@pytest.mark.parametrize(
    "update", [kernels.Kernelized(PA2, kernels.Polynomial()), kernels.SecondOrder(kernels.Polynomial())]
)
@pytest.mark.parametrize(("rows", "words"), BAD_ROWS)
def test_bad_rows_change_nothing(update: Any, rows: Any, words: list[str]) -> None:
    learner = Learner(update, queries.Within(queries.Margin(), 0.9), dtype="float64", classes=(-1, 1))
    learner.run(X, Y)
    before = learned(learner)
    for call in (learner.run, learner.partial_fit, lambda rows, _: learner.decision_function(rows)):
        with refused(*words):
            call(rows, Y)
        assert learned(learner) == before
    if rows.shape[1] == 4:
        bad = rows[[40]] if sp.issparse(rows) else rows[40]
        for ask in (lambda: learner.ask(bad), lambda: learner.tell(bad, 1)):
            with refused():
                ask()
            assert learned(learner) == before
    twin = Learner(update, queries.Within(queries.Margin(), 0.9), dtype="float64", classes=(-1, 1))
    twin.run(X, Y)
    assert np.array_equal(learner.run(X, Y).scores, twin.run(X, Y).scores)


# ---------------------------------------------------------------------- functions of the user's


class Moody:
    """A kernel that is sound until its `patience` is at an end."""

    def __init__(self, nonsense: Callable[[Any], Any], patience: int = 60) -> None:
        self.nonsense, self.patience = nonsense, patience

    def __call__(self, left: Any, right: Any) -> Any:
        self.patience -= 1
        gram = rbf_kernel(left, right)
        return gram if self.patience > 0 else self.nonsense(gram)


NONSENSE = [
    (lambda gram: gram[:, 0], ["kernel", "shape"]),
    (lambda gram: gram.T if len(gram) > 1 else gram[0], ["kernel", "shape"]),
    (lambda gram: np.vstack([gram, gram]), ["kernel", "shape"]),
    (lambda gram: 1.0, ["kernel", "not 1.0"]),
    (lambda gram: None, ["kernel", "matrix of numbers", "None"]),
    (lambda gram: "gram", ["kernel", "matrix of numbers", "'gram'"]),
    (lambda gram: gram * np.nan, ["kernel", "NaN"]),
    (lambda gram: gram * np.inf, ["kernel", "infinity"]),
    (lambda gram: -gram, ["kernel", "k(x, x) = -1", "negative"]),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("update", [kernels.Kernelized(PA2), kernels.SecondOrder()])
@pytest.mark.parametrize(("nonsense", "words"), rest_slow(NONSENSE, NONSENSE[::3]))
def test_a_kernel_that_returns_nonsense_changes_nothing(
    update: Any, nonsense: Callable[[Any], Any], words: list[str]
) -> None:
    kernel = Moody(nonsense)
    learner = Learner(update._replace(kernel=kernel), queries.AtRate(queries.Margin(), 0.8), dtype="float64")
    learner.run(X[:20], Y[:20])
    before = learned(learner)
    calls = [
        lambda: learner.run(X[20:], Y[20:]),
        lambda: learner.partial_fit(X[20:], Y[20:]),
        lambda: learner.decision_function(X),
        lambda: learner.ask(X[20]),
        lambda: learner.tell(X[20], int(Y[20])),
    ]
    for call in calls:
        kernel.patience = 1 if call in calls[3:] else 15
        with refused(*words):
            call()
        assert learned(learner) == before
    kernel.patience = 10**9
    twin = Learner(update._replace(kernel=rbf_kernel), queries.AtRate(queries.Margin(), 0.8), dtype="float64")
    twin.run(X[:20], Y[:20])
    assert np.array_equal(learner.run(X[20:], Y[20:]).scores, twin.run(X[20:], Y[20:]).scores)


def test_an_error_inside_a_kernel_comes_through_and_changes_nothing() -> None:
    def fails(gram: Any) -> Any:
        raise ZeroDivisionError("mine")

    kernel = Moody(fails)
    learner = Learner(kernels.Kernelized(PA2, kernel), dtype="float64")
    learner.run(X[:20], Y[:20])
    before = learned(learner)
    kernel.patience = 10
    with pytest.raises(ZeroDivisionError, match="mine"):
        learner.run(X[20:], Y[20:])
    assert learned(learner) == before


def test_second_order_notices_what_is_no_kernel() -> None:
    def distance(left: Any, right: Any) -> Any:
        return 1 + 10 * np.linalg.norm(left[:, np.newaxis] - right[np.newaxis], axis=2)

    learner = Learner(kernels.SecondOrder(distance), queries.Always(), dtype="float64", classes=(-1, 1))
    with refused("kernel", "positive semi-definite"):
        learner.run(X, Y)
    assert learner.spending_.rows == 0


def test_a_learner_with_a_function_cannot_be_saved(tmp_path: pathlib.Path) -> None:
    learner = Learner(kernels.Kernelized(PA2, rbf_kernel))
    learner.run(X, Y)
    before = learned(learner)
    with refused("kernel is a function", "cannot be saved"):
        learner.save(tmp_path / "model")
    assert list(tmp_path.iterdir()) == []
    assert learned(learner) == before


def test_rules_that_look_at_the_spread_need_a_rule_that_has_one() -> None:
    class Spread(queries.Margin):
        """Looks at the spread."""

        def needs_spread(self) -> bool:
            return True

        def ask(self, memory: Any, seen: Any, coin: float) -> float:
            return float(seen.spread / (1.0 + seen.spread))

    with refused("Spread", "Kernelized"):
        Learner(kernels.Kernelized(PA2), Spread())
    trace = Learner(kernels.SecondOrder(), Spread(), dtype="float64").run(X, Y)
    inverse = np.eye(4)
    for t, x in enumerate(X):  # v = xᵀA⁻¹x
        spread = x @ inverse @ x
        assert trace.ask_probabilities[t] == pytest.approx(spread / (1 + spread))
        if trace.updated[t]:
            inverse = np.linalg.inv(np.linalg.inv(inverse) + np.outer(x, x))
