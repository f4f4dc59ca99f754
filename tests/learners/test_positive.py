"""The positive class by name: what the rules take for +1."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

import askance
import streams
from askance import OMCSL, Learner, catalog, export, theory, updates
from askance.cli.contest.methods import is_one_sided
from askance.errors import ModelFileError, ParameterError
from askance.learners.files import from_bytes, to_bytes
from askance.rules.registry import BINARY
from thinning import one_of_each_form, rest_slow

X, SIGNS, _ = streams.sparse_units(rows=120, width=9)
RARE = np.where(SIGNS > 0, "fraud", "ok")  # the positive class comes first in the alphabet
SWAPPED = np.where(SIGNS > 0, "ok", "fraud")  # the same rows with the names swapped: the last class is positive
BINARIES = [name for name, entry in catalog.items() if entry.kind == BINARY]
ONE_SIDED = ["CSPAA", "PAUM", "OMCSL-F-h", "OMCSL-AUROC-l", "OFO-h", "iUOB-h", "OCS1-l"]
FIELDS = ("scores", "ask_probabilities", "asked", "updated", "true_codes", "predicted_codes")


def made(name: str, **options: Any) -> Any:
    return askance.make(name, dtype="float64", random_state=3, **options)


@pytest.mark.parametrize("name", ONE_SIDED)
def test_naming_a_class_is_the_same_as_swapping_the_names(name: str) -> None:
    named = made(name, positive="fraud", classes=["fraud", "ok"]).run(X, RARE)
    swapped = made(name, classes=["fraud", "ok"]).run(X, SWAPPED)
    for field in FIELDS:
        np.testing.assert_array_equal(getattr(named, field), getattr(swapped, field))
    np.testing.assert_array_equal(named.predictions == "fraud", swapped.predictions == "ok")
    assert named.classes.tolist() == ["ok", "fraud"]
    assert named.y.tolist() == RARE.tolist()
    assert named.summary("fraud").f == swapped.summary("ok").f


def is_symmetric(name: str) -> bool:
    """Whether a name learns and predicts the same from labels of the opposite sign."""
    return all(is_symmetric_on(name, scale * X[:50]) for scale in (1, 6))


def is_symmetric_on(name: str, rows: Any) -> bool:
    one = made(name, sgn0=1, classes=[-1, 1]).run(rows, SIGNS[:50])
    other = made(name, sgn0=-1, classes=[-1, 1]).run(rows, -SIGNS[:50])
    same = [np.array_equal(one.scores, -other.scores), np.array_equal(one.asked, other.asked)]
    return all([*same, np.array_equal(one.predicted_codes, -other.predicted_codes)])


# Winnow has positive weights only: it needs every row as (x, -x), and is symmetric then.
@pytest.mark.parametrize("name", rest_slow(sorted({*BINARIES} - {"SEL-WINNOW"}), one_of_each_form()))
def test_one_sided_names_are_known(name: str) -> None:
    assert is_one_sided(made(name).update) != is_symmetric(name)


# ---------------------------------------------------------------------- as in scikit-learn


@pytest.mark.parametrize("name", ["CSPAA", "OMCSL-F-h", "PAA-II", "K-PAA"])
def test_scores_and_columns_are_in_the_order_of_the_classes(name: str) -> None:
    learner = made(name, positive="fraud", probability=True).fit(X, RARE)
    assert learner.classes_.tolist() == ["fraud", "ok"]
    scores, predicted = learner.decision_function(X), learner.predict(X)
    decided = scores != 0
    np.testing.assert_array_equal(predicted[decided], np.where(scores[decided] > 0, "ok", "fraud"))
    found = learner.predict_proba(X)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    assert ((found[:, 1] > found[:, 0]) == (scores > 0))[decided].all()
    assert roc_auc_score(RARE == "ok", scores) > 0.5
    other = made(name, probability=True).fit(X, SWAPPED)
    np.testing.assert_array_equal(scores, -other.decision_function(X))
    if hasattr(learner, "support_vectors_"):
        np.testing.assert_array_equal(learner.dual_coef_, -other.dual_coef_)
    elif not isinstance(learner, OMCSL):
        np.testing.assert_allclose(scores, X @ learner.coef_[0], atol=1e-12)


def test_the_intercept_has_the_sign_of_the_scores() -> None:
    learner = made("CSPAA", positive="fraud", intercept=0.3).fit(X, RARE)
    np.testing.assert_allclose(learner.decision_function(X), X @ learner.coef_[0] + learner.intercept_, atol=1e-12)
    assert learner.intercept_ == -made("CSPAA", intercept=0.3).fit(X, SWAPPED).intercept_


@pytest.mark.parametrize("sgn0", [1, -1])
def test_a_score_of_zero_is_of_the_class_that_the_sign_says(sgn0: int) -> None:
    learner = Learner(updates.Perceptron(), dtype="float64", sgn0=sgn0, positive="a").fit(np.eye(2), ["a", "b"])
    nothing = np.zeros((1, 2))
    expected = "a" if sgn0 > 0 else "b"
    assert learner.predict(nothing).tolist() == [expected]
    assert learner.ask(nothing[0]).prediction == expected
    assert export.to_sklearn(learner).predict(nothing).tolist() == [expected]


def test_an_exported_model_predicts_the_same() -> None:
    learner = made("CSPAA", positive="fraud", intercept=0.3).fit(X, RARE)
    np.testing.assert_array_equal(export.to_sklearn(learner).predict(X), learner.predict(X))


# ---------------------------------------------------------------------- one row at a time, files, theorems


def test_asking_and_telling_does_what_run_does() -> None:
    trace = made("CSPAA", positive="fraud", classes=["fraud", "ok"]).run(X, RARE)
    learner = made("CSPAA", positive="fraud")  # the first labels show only one class, and that is enough
    for row in range(X.shape[0]):
        decision = learner.ask(X[row : row + 1])
        assert decision.score == trace.scores[row]
        assert decision.ask == trace.asked[row]
        if decision.ask:
            learner.tell(X[row : row + 1], RARE[row])


def test_one_class_is_enough_if_it_is_not_the_positive_one() -> None:
    learner = Learner(positive="fraud")
    learner.tell([1.0], "ok")
    assert learner.classes_.tolist() == ["fraud", "ok"]
    with pytest.raises(ValueError, match="pass both"):
        Learner(positive="fraud").tell([1.0], "fraud")


@pytest.mark.parametrize(("positive", "labels"), [("fraud", RARE), (0, SIGNS < 0), (False, SIGNS < 0)])
@pytest.mark.parametrize("name", ["CSPAA", "OMCSL-F-h"])
def test_files_and_clones_keep_it(name: str, positive: Any, labels: Any) -> None:
    y = labels.astype(int) if positive == 0 and positive is not False else labels
    learner = made(name, positive=positive)
    learner.run(X[:60], y[:60])
    loaded = from_bytes(to_bytes(learner))
    assert loaded.positive == positive
    assert type(loaded.positive) is type(positive)
    np.testing.assert_array_equal(loaded.run(X[60:], y[60:]).scores, learner.run(X[60:], y[60:]).scores)
    np.testing.assert_array_equal(loaded.predict(X), learner.predict(X))
    assert clone(learner).positive == positive


def test_a_theorem_about_costs_is_about_the_named_class() -> None:
    named = made("CSPAA", positive="fraud", classes=["fraud", "ok"]).run(X, RARE)
    swapped = made("CSPAA", classes=["fraud", "ok"]).run(X, SWAPPED)
    bounds = [theory.evaluate("CSPAA", X, y, trace=trace) for y, trace in ((RARE, named), (SWAPPED, swapped))]
    assert bounds[0].value == bounds[1].value


@pytest.mark.slow
def test_a_sweep_is_about_the_named_class() -> None:
    def found(y: Any, positive: str) -> Any:
        results = askance.sweep(
            (X, y), ["CSPAA"], {"C": [1.0]}, permutations=2, positive=positive, backend="sequential", points=1
        )
        assert results.positive == {"data": positive}
        return [results.columns[name].tolist() for name in ("true_positives", "false_positives", "asked")]

    assert found(RARE, "fraud") == found(SWAPPED, "ok")
    assert found(RARE, "fraud") != found(SWAPPED, "fraud")


# ---------------------------------------------------------------------- mistakes


def test_mistakes_are_refused() -> None:
    with pytest.raises(
        ParameterError, match=r"positive must be one of the classes \['fraud', 'ok'\], not 'fruad'"
    ):
        made("CSPAA", positive="fruad", classes=["fraud", "ok"])
    with pytest.raises(ParameterError, match="positive must be None, because it is for two classes, not 'a'"):
        made("MPAA-II", positive="a")
    with pytest.raises(ParameterError, match="positive must be a class: text, a number, True or False"):
        made("CSPAA", positive=["fraud"])
    with pytest.raises(ValueError, match="auto treats both classes alike: leave positive out"):
        askance.make("auto", positive="fraud")
    learner = made("CSPAA", positive="fruad")
    with pytest.raises(ValueError, match=r"positive='fruad' is not one of the classes \['fraud', 'ok'\]"):
        learner.run(X, RARE)
    assert learner.spending_.rows == 0


def test_a_forged_class_is_refused() -> None:
    learner = made("CSPAA", positive="fraud")
    learner.run(sp.csr_array(X), RARE)
    with pytest.raises(ModelFileError):
        from_bytes(to_bytes(learner).replace(b"fraud", b"freud", 1))
