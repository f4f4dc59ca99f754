"""Probabilities: one temperature, by the scores that labelled rows had before their labels were learned."""

import pathlib
import pickle
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import askance
import streams
from askance import OMCSL, Learner, queries, updates
from askance.errors import ModelFileError, ParameterError
from askance.learners.files import from_bytes, to_bytes
from askance.rules.state.recorded import REMEMBERED
from naive import calibration as twin
from scikit_checks import OWN_WARNING, expected_to_fail
from thinning import also_compiled

MADE = streams.sparse_units(rows=90, width=9)
SEVERAL = streams.several(rows=90, width=9)
FIELDS = ("predictions", "scores", "ask_probabilities", "asked", "updated")

# One name of each form of states, and what it is called with.
NAMES = {
    **dict.fromkeys(("PEA", "PAA-II", "D-ADA", "AROW-diag", "SOAL", "SEL-PNORM", "OPAUC", "OMCSL-F-h"), MADE),
    **dict.fromkeys(("AROW", "K-PAA"), MADE),
    **dict.fromkeys(("MPAA-II", "MD-AMD"), SEVERAL),
}


def made(name: str, **options: Any) -> Any:
    defaults = {"probability": True, "dtype": "float64", "random_state": 3}
    return askance.make(name, **(defaults | {"classes": np.unique(NAMES[name].y).tolist()} | options))


def logistic(rows: int, random_state: int = 0) -> tuple[Any, Any]:
    """Rows whose labels have known probabilities."""
    rng = np.random.default_rng(random_state)
    X = rng.normal(size=(rows, 4))
    return X, (rng.random(rows) < 1 / (1 + np.exp(-2 * X[:, 0] - X[:, 1]))).astype(int)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("name", also_compiled(NAMES, {"PAA-II", "MPAA-II"}))
def test_they_are_probabilities_and_agree_with_the_scores(name: str, form: Any) -> None:
    learner = made(name).fit(form(NAMES[name].X), NAMES[name].y)
    X = form(NAMES[name].X)
    found, scores = learner.predict_proba(X), learner.decision_function(X)
    assert found.shape == (90, len(learner.classes_))
    assert ((found > 0) & (found < 1)).all()
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-12)
    if scores.ndim == 1:
        np.testing.assert_array_equal(np.argsort(found[:, 1], kind="stable"), np.argsort(scores, kind="stable"))
        found, scores = found[scores != 0], scores[scores != 0]
        np.testing.assert_array_equal(found[:, 1] > 0.5, scores > 0)
    else:
        np.testing.assert_array_equal(learner.classes_[found.argmax(axis=1)], learner.predict(X))


@pytest.mark.parametrize("name", also_compiled(NAMES, {"PAA-II"}))
def test_nothing_else_changes(name: str) -> None:
    X, y = NAMES[name].X, NAMES[name].y
    one, other = made(name), made(name, probability=False)
    ours, plain = one.run(X, y), other.run(X, y)
    assert all(np.array_equal(getattr(ours, field), getattr(plain, field)) for field in FIELDS)
    np.testing.assert_array_equal(one.decision_function(X), other.decision_function(X))
    assert not hasattr(other, "predict_proba")
    with pytest.raises(AttributeError, match="predict_proba"):
        other.predict_proba(X)


@pytest.mark.parametrize("name", also_compiled(NAMES, {"PAA-II", "MPAA-II"}))
def test_they_are_those_of_the_formula(name: str) -> None:
    X, y = NAMES[name].X, NAMES[name].y
    learner = made(name)
    rows, places, chances = [], [], []
    for x, label in zip(X, y, strict=True):
        decision = learner.ask(x)
        if decision.ask:
            before = learner._core._scores(x.reshape(1, -1))[0].tolist() if rows else None
            learner.tell(x, label, decision.ask_probability)
            before = before or [0.0] * learner._core.machine.lanes
            rows.append(before if len(before) > 1 else [0.0, *before])
            places.append(learner.classes_.tolist().index(label))
            chances.append(decision.ask_probability)
    a = twin.temperature(rows, places, chances)
    raw = learner._core._scores(X)
    scores = raw if raw.shape[1] > 1 else np.column_stack([np.zeros(len(X)), raw])
    expected = [twin.probabilities(row, a) for row in scores.tolist()]
    np.testing.assert_allclose(learner.predict_proba(X), expected, rtol=1e-5, atol=1e-12)
    assert len(rows) > 10


SHORT = [name for name in NAMES if name != "OMCSL-F-h"]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", also_compiled(SHORT, {"PAA-II", "MPAA-II"}))
def test_rows_together_in_chunks_and_one_by_one(name: str) -> None:
    X, y = NAMES[name].X, NAMES[name].y
    whole, chunks, asked = made(name), made(name), made(name)
    whole.run(X, y)
    for start in range(0, 90, 7):
        chunks.run(X[start : start + 7], y[start : start + 7])
    for x, label in zip(X, y, strict=True):
        decision = asked.ask(x)
        if decision.ask:
            asked.tell(x, label, decision.ask_probability)
    found = whole.predict_proba(X)
    np.testing.assert_array_equal(chunks.predict_proba(X), found)
    np.testing.assert_array_equal(asked.predict_proba(X), found)
    assert to_bytes(whole) == to_bytes(chunks)
    for one, other in zip(whole._core.machine.recent, asked._core.machine.recent, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("name", ["PAA-II", "MPAA-II", "K-PAA"])
def test_they_are_saved_copied_and_pickled(name: str, tmp_path: pathlib.Path) -> None:
    X, y = NAMES[name].X, NAMES[name].y
    learner = made(name)
    learner.run(X[:60], y[:60])
    learner.save(tmp_path / "model")
    for copy in (askance.load(tmp_path / "model"), pickle.loads(pickle.dumps(learner))):
        assert copy.probability
        np.testing.assert_array_equal(copy.predict_proba(X), learner.predict_proba(X))
        copy.run(X[60:], y[60:])
        assert copy.predict_proba(X).shape == learner.predict_proba(X).shape
    learner.run(X[60:], y[60:])
    np.testing.assert_array_equal(copy.predict_proba(X), learner.predict_proba(X))
    assert to_bytes(copy) == to_bytes(learner)
    assert clone(learner).probability


def test_before_both_classes_are_seen() -> None:
    learner = made("PAA-II")
    for _ in range(5):
        learner.tell(MADE.X[0], 1)
    found = learner.predict_proba(MADE.X[:3])
    assert found[0, 1] > 0.5
    np.testing.assert_allclose(found.sum(axis=1), 1)
    alone = Learner(multiclass=True, probability=True).partial_fit(MADE.X[:3], ["a", "a", "a"])
    assert alone.predict_proba(MADE.X[:2]).tolist() == [[1.0], [1.0]]
    zeros = Learner(probability=True).tell([0.0, 0.0], 1)
    assert zeros.predict_proba([[0.0, 0.0]]).tolist() == [[0.5, 0.5]]


def test_new_classes_get_columns() -> None:
    X = np.repeat(np.eye(3), 30, axis=0)[np.random.default_rng(0).permutation(90)]
    learner = Learner(multiclass=True, probability=True, dtype="float64")
    names = np.array(["m", "z", "a"])[X.argmax(axis=1)]
    two = names != "a"
    learner.partial_fit(X[two], names[two])
    assert learner.predict_proba(X).shape == (90, 2)
    learner.partial_fit(X, names)
    assert learner.classes_.tolist() == ["a", "m", "z"]
    assert (learner.predict_proba(np.eye(3)).argmax(axis=1) == [1, 2, 0]).all()
    assert to_bytes(from_bytes(to_bytes(learner))) == to_bytes(learner)


def test_only_the_last_labels_count() -> None:
    X, y = logistic(REMEMBERED + 300)
    learner, forgetful = (Learner(updates.OGD(), probability=True, dtype="float64") for _ in range(2))
    learner.fit(X, y)
    forgetful.partial_fit(X[:300], y[:300])
    forgetful._core.machine.recent.n_labels[0] = 0
    forgetful.partial_fit(X[300:], y[300:])
    np.testing.assert_allclose(forgetful.predict_proba(X), learner.predict_proba(X), rtol=1e-9)
    first = learner.predict_proba(X[:1])
    learner.tell(X[0], 1 - y[0])
    assert not np.array_equal(learner.predict_proba(X[:1]), first)


def test_they_are_calibrated() -> None:
    """Over rows with probabilities near p, the share of positives is near p. Sigmoids of scores are far off."""
    X, y = logistic(8000)
    learner = Learner(updates.PassiveAggressive2(0.01), queries.Margin(0.1), probability=True, dtype="float64")
    trace = learner.run(X[:4000] / 10, y[:4000])
    assert trace.asked.sum() > REMEMBERED
    found = learner.predict_proba(X[4000:] / 10)[:, 1]
    plain = 1 / (1 + np.exp(-learner.decision_function(X[4000:] / 10)))

    def error(chances: Any) -> float:
        bins = (chances * 10).astype(int)
        parts = [bins == number for number in np.unique(bins)]
        return float(sum(abs((chances - y[4000:])[part].sum()) for part in parts) / 4000)

    assert error(found) < 0.04
    assert error(plain) > 0.1


def test_rows_asked_for_rarely_count_for_more() -> None:
    """A right label of a rare question makes scores more credible than the same label of a sure question."""
    rule = updates.PassiveAggressive1(1e-3)  # short steps: the score of (1) stays positive
    often, rarely = (Learner(rule, probability=True).partial_fit([[1.0]] * 20, [1] * 20) for _ in range(2))
    for label in [1, 0, 1] * 10:
        often.tell([1.0], label)
        rarely.tell([1.0], label, 0.2 if label == 1 else 1.0)
    assert rarely.predict_proba([[1.0]])[0, 1] > often.predict_proba([[1.0]])[0, 1] + 0.03


def test_weights_of_rows_count() -> None:
    X, y = logistic(60)
    once, twice = (Learner(updates.PassiveAggressive1(), probability=True, dtype="float64") for _ in range(2))
    once.fit(X, y, sample_weight=np.full(60, 3.0))
    for x, label in zip(X, y, strict=True):
        twice.tell(x, label, sample_weight=3.0)
    np.testing.assert_array_equal(once.predict_proba(X), twice.predict_proba(X))
    assert (once._core.machine.recent.filled().weights == 3.0).all()
    twice.tell(X[0], y[0], 0.5, sample_weight=3.0)
    assert twice._core.machine.recent.filled().weights[-1] == 6.0


@pytest.mark.parametrize("name", ["PAA-II", "MPAA-II", "K-PAA"])
def test_a_call_that_fails_changes_nothing(name: str) -> None:
    X, y = NAMES[name].X, NAMES[name].y
    learner = made(name)
    learner.run(X[:50], y[:50])
    before, bad = to_bytes(learner), X.copy()
    bad[80, 2] = np.nan
    for call in (learner.run, learner.partial_fit):
        with pytest.raises(ValueError, match="NaN"):
            call(bad, y)
    assert to_bytes(learner) == before


def test_of_many_costs() -> None:
    X, y = logistic(300)
    learner = OMCSL("F", probability=True, dtype="float64")
    learner.run(X, y)
    found = learner.predict_proba(X)
    np.testing.assert_array_equal(learner.predict(X), learner.classes_[found.argmax(axis=1)])
    assert "probability" in learner.get_params()


def test_bad_parameters_and_no_labels() -> None:
    with pytest.raises(ParameterError, match="probability must be True or False"):
        Learner(probability="yes").fit(MADE.X, MADE.y)
    with pytest.raises(ValueError, match="no labels yet"):
        Learner(probability=True).predict_proba(MADE.X)


@pytest.mark.parametrize(
    ("path", "value"), [("recent/labels", 3.0), ("recent/weights", -1.0), ("recent/weights", 0.0)]
)
@pytest.mark.parametrize("name", ["PAA-II", "MPAA-II"])
def test_forged_records_are_refused(path: str, value: float, name: str) -> None:
    learner = made(name).fit(NAMES[name].X, NAMES[name].y)
    array = getattr(learner._core.machine.recent, path.removeprefix("recent/"))
    array[3] = 7.0 if value == 3.0 else value
    with pytest.raises(ModelFileError):
        from_bytes(to_bytes(learner))
    array[3] = 1.0
    from_bytes(to_bytes(learner))


@pytest.mark.slow
def test_scikit_learn_takes_them() -> None:
    X, y = logistic(600)
    learner = Learner(updates.OGD(), probability=True)
    losses = -cross_val_score(make_pipeline(StandardScaler(), learner), X, y, scoring="neg_log_loss", cv=3)
    assert (losses < 0.5).all()
    aucs = cross_val_score(learner, X, y, scoring="roc_auc", cv=3)
    assert (aucs > 0.85).all()
    calibrated = CalibratedClassifierCV(learner, cv=3).fit(X, y)
    assert calibrated.predict_proba(X).shape == (600, 2)
    many = Learner(multiclass=True, probability=True)
    names = np.array(["a", "b", "c"])[np.digitize(X[:, 0], [-0.5, 0.5])]
    assert (cross_val_score(many, X, names, scoring="neg_log_loss", cv=3) > -1.1).all()


CHECKED = [Learner(probability=True), Learner(multiclass=True, probability=True)]


@pytest.mark.sampled(2)
@pytest.mark.filterwarnings(OWN_WARNING)
@parametrize_with_checks(CHECKED, expected_failed_checks=expected_to_fail)
def test_checks_of_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings(OWN_WARNING)
@parametrize_with_checks([OMCSL(probability=True)], expected_failed_checks=expected_to_fail)
def test_checks_of_scikit_learn_of_many_costs(estimator: Any, check: Any) -> None:
    check(estimator)
