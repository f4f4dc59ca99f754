"""Rules in dual form decide as their naive twins do, and as what they are the dual forms of."""

import functools
import itertools
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics.pairwise import laplacian_kernel, polynomial_kernel, rbf_kernel

import askance
import naive
import streams
from askance import kernels, queries, updates
from askance.rules.kernel.kernelized import has_kernel_form
from askance.rules.kernel.support_set import Support
from bit_patterns import kernel_patterns
from examples import examples, scaled
from paths import SUPPORT
from processes import run_code
from rule_strategies import POSITIVE, UPDATE_PARAMETERS, any_stream, chunked, query_parameters

# The twins of cost-sensitive rules leave rows of zeros alone, which in a kernel's space may not be zero.
FIRST_ORDER = [
    rule for rule in updates.RULES if rule.__name__ in naive.first_order.UPDATES and has_kernel_form(rule())
]
KERNELS = st.one_of(
    st.just(kernels.Linear()),
    st.builds(kernels.RBF, st.floats(-4, 2).map(lambda power: 2.0**power)),
    st.builds(kernels.Polynomial, st.integers(1, 3), st.floats(0.1, 1.0), st.sampled_from([0.0, 0.5, 1.0])),
)
BUDGETS = st.one_of(st.none(), st.integers(1, 6))
RULES = st.one_of(
    st.builds(
        kernels.Kernelized, st.sampled_from(FIRST_ORDER).flatmap(UPDATE_PARAMETERS.__getitem__), KERNELS, BUDGETS
    ),
    st.builds(kernels.SecondOrder, KERNELS, BUDGETS),
)
FIELDS = ("predictions", "scores", "ask_probabilities", "asked", "updated")


def exact(update: Any, query: Any = None, **options: Any) -> askance.Learner:
    return askance.Learner(update, query, **({"dtype": "float64", "classes": (-1, 1)} | options))


def reason_to_differ(learner: askance.Learner) -> float:
    """How much rounding can amount to: scores are sums whose terms may be much larger than they are."""
    support = learner._core.machine.core.state.support
    return 1e-9 * (1 + float((np.abs(support.coefficients) * support.norms).sum()))


# ---------------------------------------------------------------------- twins


@examples(200)
@given(st.data())
def test_exact_mode_decides_as_the_twin(data: st.DataObject) -> None:
    rule, query = data.draw(RULES), data.draw(query_parameters(updates.Perceptron))
    stream, sgn0 = data.draw(any_stream(30)), data.draw(st.sampled_from([-1, 1]))
    twin = naive.run(stream.X, stream.y, stream.coins, naive.dual_twin(rule), naive.query_twin(query), sgn0)
    learner = exact(rule, query, sgn0=sgn0)
    trace = chunked(learner, sp.csr_array(stream.X) if data.draw(st.booleans()) else stream.X, stream)
    until = twin.settled
    for field in ("predictions", "asked", "updated"):
        np.testing.assert_array_equal(getattr(trace, field)[:until], getattr(twin, field)[:until], field)
    for field in ("scores", "ask_probabilities"):
        near = reason_to_differ(learner)
        np.testing.assert_allclose(getattr(trace, field)[:until], getattr(twin, field)[:until], 1e-8, near)
    if until == len(stream.y):
        empty = [] if rule.budget else [twin_norm == 0 for twin_norm in norms_learned_from(rule, stream.X, twin)]
        wanted = [c for c, skip in itertools.zip_longest(twin.w, empty, fillvalue=False) if c and not skip]
        np.testing.assert_allclose(learner.dual_coef_[0], wanted, rtol=1e-7, atol=1e-9)
        assert trace.refused == twin.refused


def norms_learned_from(rule: Any, X: Any, run: naive.Run) -> list[float]:
    twin = naive.dual_twin(rule)
    return [twin.norm(x) for x in X[np.asarray(run.updated, bool)].tolist()]


@pytest.mark.compiled
@pytest.mark.parametrize("kernel", [kernels.Linear(), kernels.RBF(0.5), kernels.Polynomial(2)], ids=str)
@examples(20)
@given(st.data())
def test_fast_mode_stays_close_until_a_decision_differs(kernel: Any, data: st.DataObject) -> None:
    rule = data.draw(
        st.sampled_from([kernels.Kernelized(updates.PassiveAggressive2(), kernel), kernels.SecondOrder(kernel)])
    )
    stream = data.draw(any_stream(20))
    twin = naive.run(stream.X, stream.y, stream.coins, naive.dual_twin(rule), naive.margin())
    learner = exact(rule, queries.Margin(), dtype="float32")
    trace = chunked(learner, stream.X, stream)
    assert trace.scores.dtype == learner.dual_coef_.dtype == learner.support_vectors_.dtype == np.float32
    differs = (
        (trace.predictions != twin.predictions) | (trace.asked != twin.asked) | (trace.updated != twin.updated)
    )
    until = int(np.argmax(differs)) if differs.any() else len(differs)
    near = 1e-4 * (1 + np.abs(twin.scores[: until + 1]).max()) + 1e5 * reason_to_differ(learner)
    # The round of the first difference was scored by the same support set still.
    assert (np.abs(trace.scores - twin.scores)[: until + 1] <= near).all()
    if differs.any():
        close = [abs(twin.scores[until]), abs(1 - stream.y[until] * twin.scores[until])]
        close.append(abs(twin.ask_probabilities[until] - stream.coins[until]))
        assert min(close) <= near, "decisions differ where nothing was close"


# ---------------------------------------------------------------------- a linear kernel changes nothing


@pytest.mark.sampled(4)
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("query", [queries.Margin(0.5), queries.Adaptive(0.2), queries.Random(0.5)], ids=str)
@pytest.mark.parametrize("rule", FIRST_ORDER)
def test_a_linear_kernel_decides_as_weights_do(rule: Any, query: Any, form: Any) -> None:
    for made in (streams.noisy(rows=100), streams.sparse_units(rows=100)):
        primal, by_support = exact(rule(), query), exact(kernels.Kernelized(rule()), query)
        weights, supported = (learner.run(form(made.X), made.y) for learner in (primal, by_support))
        for field in ("predictions", "asked", "updated"):
            np.testing.assert_array_equal(getattr(supported, field), getattr(weights, field))
        np.testing.assert_allclose(supported.scores, weights.scores, atol=1e-8)
        np.testing.assert_allclose(by_support.coef_, primal.coef_, atol=1e-8)
        assert by_support.coef_.shape == (1, made.X.shape[1])


def test_second_order_with_a_linear_kernel_is_that_of_matrices() -> None:
    """p = vᵀ(A + x xᵀ)⁻¹ x, with v and A grown on mistakes that were asked for."""
    made = streams.noisy(rows=300)
    learner = exact(kernels.SecondOrder(), queries.Margin(0.3), sgn0=-1)
    trace = learner.run(made.X, made.y, coins=made.coins)
    v, A = np.zeros(12), np.eye(12)
    for t, (x, y) in enumerate(zip(made.X, made.y, strict=True)):
        p = v @ np.linalg.solve(A + np.outer(x, x), x)
        assert trace.scores[t] == pytest.approx(p, abs=1e-9)
        asked = made.coins[t] < 0.3 / (0.3 + abs(p))
        mistake = (1 if p > 0 else -1) != y
        assert (trace.asked[t], trace.updated[t]) == (asked, asked and mistake)
        if asked and mistake:
            v, A = v + y * x, A + np.outer(x, x)
    np.testing.assert_allclose(learner.coef_[0], v, atol=1e-9)
    assert 0 < trace.updated.sum() < trace.asked.sum() < 300


# ---------------------------------------------------------------------- kernels


PAIRWISE = [
    (kernels.RBF(0.3), functools.partial(rbf_kernel, gamma=0.3)),
    (kernels.Polynomial(2, 0.7, 0.5), functools.partial(polynomial_kernel, degree=2, gamma=0.7, coef0=0.5)),
    (kernels.Polynomial(3, 0.2, 0.0), functools.partial(polynomial_kernel, degree=3, gamma=0.2, coef0=0.0)),
]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize(("kernel", "pairwise"), PAIRWISE, ids=[str(kernel) for kernel, _ in PAIRWISE])
def test_kernels_are_those_of_scikit_learn(kernel: Any, pairwise: Any, form: Any) -> None:
    made = streams.noisy(rows=80, width=6)
    for update in (kernels.Kernelized(updates.PassiveAggressive1(0.5), kernel), kernels.SecondOrder(kernel)):
        ours, theirs = exact(update), exact(update._replace(kernel=pairwise))
        X = form(made.X)
        one, other = ours.run(X, made.y), theirs.run(X, made.y)
        for field in ("predictions", "asked", "updated"):
            np.testing.assert_array_equal(getattr(one, field), getattr(other, field))
        np.testing.assert_allclose(one.scores, other.scores, rtol=1e-8, atol=1e-9)
        np.testing.assert_array_equal(ours.support_vectors_.toarray(), made.X[one.updated])
        if isinstance(update, kernels.Kernelized):
            gram = pairwise(ours.support_vectors_, X)
            np.testing.assert_allclose(
                ours.decision_function(X), (ours.dual_coef_ @ gram)[0], rtol=1e-9, atol=1e-9
            )


def test_a_function_of_ones_own_is_a_kernel() -> None:
    """Its matrices are of the form of the rows; where k(x, z) is known otherwise, so is the score."""
    given_forms = set()

    def kernel(X: Any, Y: Any) -> Any:
        given_forms.add((type(X), X.shape[1], X.dtype, Y.shape))
        return X @ Y.T

    made = streams.noisy(rows=80)
    wanted = exact(kernels.Kernelized(updates.Perceptron())).run(made.X, made.y)
    for form in (np.asarray, sp.csr_array):
        trace = exact(kernels.Kernelized(updates.Perceptron(), kernel)).run(form(made.X), made.y)
        np.testing.assert_array_equal(trace.asked, wanted.asked)
        np.testing.assert_allclose(trace.scores, wanted.scores, atol=1e-12)
    float64 = np.dtype(np.float64)
    assert given_forms == {(np.ndarray, 12, float64, (1, 12)), (sp.csr_array, 12, float64, (1, 12))}


@pytest.mark.slow
@pytest.mark.compiled
def test_a_kernel_learns_what_no_weights_can() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(1500, 2))
    y = np.where((X**2).sum(1) > 1.4, 1, -1)
    accuracy = {}
    for kernel in (
        kernels.Linear(),
        kernels.RBF(1.0),
        kernels.Polynomial(2),
        functools.partial(laplacian_kernel, gamma=1.0),
    ):
        learner = exact(kernels.Kernelized(updates.PassiveAggressive1(1.0), kernel), queries.Margin(0.5))
        trace = learner.run(X, y)
        accuracy[str(kernel)[:12]] = np.mean(trace.predictions[500:] == y[500:])
        assert trace.asked.mean() < 0.9
    linear, *others = accuracy.values()
    assert linear < 0.65
    assert min(others) > 0.9


def test_words_of_scikit_learn_make_kernels() -> None:
    words = {
        "linear": kernels.Linear(),
        "rbf": kernels.RBF(0.5),
        "poly": kernels.Polynomial(2, 0.5, 3.0),
    }
    for word, kernel in words.items():
        learner = askance.make("K-PAA-II", kernel=word, gamma=0.5, degree=2, coef0=3.0, budget=7, C=2.0)
        assert learner.update == kernels.Kernelized(updates.PassiveAggressive2(2.0), kernel, 7)
    assert askance.make("K-SEL-2ND", kernel="rbf").update == kernels.SecondOrder(kernels.RBF())
    assert askance.make("K-SEL-P", kernel=rbf_kernel).update.kernel is rbf_kernel
    assert askance.make("K-SEL-P", kernel=kernels.RBF(3.0)).update.kernel == kernels.RBF(3.0)


# ---------------------------------------------------------------------- accuracy over thousands of support vectors


def solved_anew(learner: askance.Learner, X: Any) -> Any:
    """The scores of the second-order Perceptron, by a Gram matrix made and solved here."""
    vectors, c = learner.support_vectors_, learner.dual_coef_[0].astype(float)
    gamma = learner.update.kernel.gamma
    shifted = np.eye(len(c)) + rbf_kernel(vectors, gamma=gamma)
    g = rbf_kernel(vectors, X, gamma=gamma)
    inverse_g = np.linalg.solve(shifted, g)
    return c @ inverse_g / (2.0 - (g * inverse_g).sum(axis=0))


@pytest.mark.compiled
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_factor_is_accurate_with_thousands_of_vectors(dtype: str) -> None:
    rng = np.random.default_rng(1)
    rows = scaled(4400)
    X, y = rng.normal(size=(rows, 3)), rng.choice([-1, 1], rows)
    learner = exact(kernels.SecondOrder(kernels.RBF(0.5)), dtype=dtype).partial_fit(X, y)
    assert learner.dual_coef_.shape[1] > 0.45 * rows
    tolerance = 1e-10 if dtype == "float64" else 1e-6
    np.testing.assert_allclose(learner.decision_function(X[:50]), solved_anew(learner, X[:50]), atol=tolerance)


@pytest.mark.soak
@pytest.mark.compiled
def test_the_factor_is_accurate_after_thousands_of_vectors_have_gone() -> None:
    rng = np.random.default_rng(2)
    rows = scaled(8000)
    X, y = rng.normal(size=(rows, 3)), rng.choice([-1, 1], rows)
    learner = exact(kernels.SecondOrder(kernels.RBF(0.5), budget=60)).partial_fit(X, y)
    assert learner._core.machine.core.past.mistakes[0] > 0.375 * rows
    np.testing.assert_allclose(learner.decision_function(X[:50]), solved_anew(learner, X[:50]), atol=1e-11)
    factor = np.zeros((60, 60))
    factor[np.tril_indices(60)] = learner._core.machine.core.state.factor
    shifted = np.eye(60) + rbf_kernel(learner.support_vectors_, gamma=0.5)
    np.testing.assert_allclose(factor @ factor.T, shifted, atol=1e-12)


# ---------------------------------------------------------------------- the budget


@pytest.mark.parametrize(
    "update",
    [
        kernels.Kernelized(updates.PassiveAggressive1(0.5), kernels.RBF(1.0), 9),
        kernels.Kernelized(updates.Perceptron(), kernels.Linear(), 1),
        kernels.SecondOrder(kernels.Polynomial(2), 9),
    ],
    ids=str,
)
def test_there_are_never_more_vectors_than_the_budget(update: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []
    added = Support.added
    monkeypatch.setattr(Support, "added", lambda *arguments: sizes.append(added(*arguments)) or sizes[-1])
    made = streams.noisy(rows=1000)
    learner = exact(update, queries.Always())
    learner.run(made.X[:500], made.y[:500])
    for x, y in zip(made.X[500:], made.y[500:], strict=True):
        learner.tell(x, int(y))
    assert len(sizes) > 50
    assert max(support.size for support in sizes) == update.budget == learner.dual_coef_.shape[1]
    # What is kept in memory is bounded too: not more than twice what the vectors in it need, and a little.
    for support in sizes:
        for array in support:
            owner = array if array.base is None else array.base
            assert owner.size <= 2 * 12 * (update.budget + 2) + 16


def test_the_vector_that_matters_least_goes() -> None:
    learner = exact(kernels.Kernelized(updates.Perceptron(), budget=3), sgn0=1)
    for x in ([3.0, 0, 0, 0, 0], [0, 1.0, 0, 0, 0], [0, 0, 1.0, 0, 0]):  # all mistakes: nothing is known of them
        learner.tell(x, -1)
    learner.tell([0, 0, 0, 0.5, 0], -1)  # the older of the two short ones goes, not the new one
    np.testing.assert_array_equal(
        learner.support_vectors_.toarray()[:, :4], np.diag([3.0, 0, 1.0, 0.5])[[0, 2, 3]]
    )
    learner.tell([0, 0, 0, 0, 2.0], -1)
    np.testing.assert_array_equal(learner.support_vectors_.toarray().max(axis=1), [3.0, 1.0, 2.0])


def test_a_budget_that_is_never_reached_changes_nothing() -> None:
    made = streams.noisy(rows=200)
    for update in (
        kernels.Kernelized(updates.PassiveAggressive2(), kernels.RBF(0.2)),
        kernels.SecondOrder(kernels.RBF(0.2)),
    ):
        one, other = (exact(update._replace(budget=budget)).run(made.X, made.y) for budget in (None, 200))
        for field in FIELDS:
            assert getattr(one, field).tobytes() == getattr(other, field).tobytes()


# ---------------------------------------------------------------------- what is kept


def test_rows_that_can_say_nothing_are_no_support_vectors() -> None:
    """By a linear kernel, rows of zeros; a rule may fire on them, and that is counted."""
    for rule in (updates.PassiveAggressive(), updates.PassiveAggressive2()):
        learner = exact(kernels.Kernelized(rule), queries.Always())
        trace = learner.run(np.zeros((4, 3)), [1, -1, 1, -1])
        assert trace.updated.all()
        assert learner.dual_coef_.shape == (1, 0)
        assert learner.support_vectors_.shape == (0, 3)
        assert learner.spending_.rows == 4
    seen = exact(kernels.Kernelized(updates.PassiveAggressive2(), kernels.RBF()), queries.Always())
    seen.run(np.zeros((4, 3)), [1, -1, 1, -1])
    assert seen.dual_coef_.shape[1] == 4
    assert seen.support_vectors_.nnz == 0


def test_rows_come_back_as_they_were_given() -> None:
    made = streams.sparse_units(rows=60)
    learner = exact(kernels.Kernelized(updates.PassiveAggressive2(), kernels.RBF()), queries.Always())
    trace = learner.run(sp.csr_array(made.X), made.y)
    np.testing.assert_array_equal(learner.support_vectors_.toarray(), made.X[trace.updated])
    learner.support_vectors_.data[:] = 0
    learner.dual_coef_[:] = 0
    np.testing.assert_array_equal(learner.support_vectors_.toarray(), made.X[trace.updated])
    assert learner.dual_coef_.all()


def test_what_learners_of_either_kind_do_not_have() -> None:
    made = streams.noisy(rows=30)
    for update in (kernels.Kernelized(updates.Perceptron(), kernels.RBF()), kernels.SecondOrder(rbf_kernel)):
        learner = exact(update).partial_fit(made.X, made.y)
        assert not hasattr(learner, "coef_")
        with pytest.raises(AttributeError, match="has no coef_: use dual_coef_"):
            _ = learner.coef_
    primal = exact(updates.Perceptron()).partial_fit(made.X, made.y)
    for name in ("dual_coef_", "support_vectors_"):
        with pytest.raises(AttributeError, match="Perceptron learns weights"):
            getattr(primal, name)


@examples(30)
@given(st.integers(0, 2**32), POSITIVE)
def test_a_step_of_hard_passive_aggressive_reaches_a_margin_of_one(random_state: int, gamma: float) -> None:
    rng = np.random.default_rng(random_state)
    X, y = rng.normal(size=(15, 3)), rng.choice([-1, 1], 15)
    for kernel in (kernels.RBF(gamma), kernels.Polynomial(2)):
        learner = exact(kernels.Kernelized(updates.PassiveAggressive(), kernel))
        for x, label in zip(X, y, strict=True):
            learner.tell(x, int(label))
            assert label * learner.decision_function(x[np.newaxis])[0] >= 1 - reason_to_differ(learner)


# ---------------------------------------------------------------------- with the compiler off

PLAIN = f"""
import sys
sys.path.insert(0, {str(SUPPORT)!r})
from bit_patterns import kernel_patterns
from askance.jit.interop import COMPILING
assert not COMPILING
for line in kernel_patterns():
    print(line)
"""


@pytest.mark.soak
@pytest.mark.compiled
def test_compiled_and_plain_agree_to_the_last_bit() -> None:
    compiled, plain = list(kernel_patterns()), run_code(PLAIN, NUMBA_DISABLE_JIT=1)
    assert compiled == plain.splitlines()
    assert len(compiled) == 8
