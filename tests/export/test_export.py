"""Exported models predict what the learner predicts, and what cannot be exported is refused."""

import functools
import json
import pickle
import subprocess
import sys

import numpy as np
import pandas
import pytest
import scipy.sparse as sp
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

import askance
import streams
from askance import AutoLearner, export, kernels, queries, updates
from askance.data import MixedRows
from askance.errors import ExportError
from customer_table import write_customers
from naive import exported
from needs import missing
from thinning import rest_slow

SIZES = np.array([1, 100, 1, 1, 0.01, 1])


def rows(count=200, random_state=5):
    """Columns of different sizes, one of which never varies, and a row of zeros."""
    X = np.random.default_rng(random_state).normal(size=(count, 6)) * SIZES + [0, 1e4, 0, 0, 0, 0]
    X[:, 5] = 7
    X[0] = 0
    return X


def classes_of(X, many):
    y = np.where(X[:, 0] + X[:, 2] > 0, "spam", "ham")
    return np.where(X[:, 3] > 0.5, "other", y) if many else y


def counts(count=200, random_state=5):
    """Counts, some of which are smaller than 1 or negative, as hashing makes them."""
    random = np.random.default_rng(random_state)
    X = random.poisson(0.8, (count, 6)) * random.choice([1, -1, 0.5], (count, 6))
    X[0] = 0
    return X


def trained(many=False, scaling="standard", X=None, **options):
    X = (rows() if scaling == "standard" else counts()) if X is None else X
    options = {"intercept": 0.3, "dtype": "float64", **options}
    y = classes_of(rows(), many)
    return askance.make("MPA-II" if many else "PAA-II", scaling=scaling, **options).fit(X, y)


def as_dict(row):
    return {f"column {number}": float(value) for number, value in enumerate(row)}


CASES = [
    (many, scaling, probability, intercept)
    for many in (False, True)
    for scaling in ("standard", "tfidf", None)
    for probability in (False, True)
    for intercept in (0.0, 0.3)
]


# ---------------------------------------------------------------------- linear learners


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("many", "scaling", "probability", "intercept"), CASES)
def test_json_alone_predicts_the_same(many, scaling, probability, intercept):
    learner = trained(many, scaling, probability=probability, intercept=intercept)
    document = json.loads(json.dumps(export.to_json(learner)))
    X = rows(60, 6) if scaling == "standard" else counts(60, 6)
    told = [exported.prediction(document, as_dict(row)) for row in X]
    assert told == learner.predict(X).tolist()
    if probability:
        found = [list(exported.probabilities(document, as_dict(row)).values()) for row in X]
        assert np.allclose(found, learner.predict_proba(X), rtol=1e-9)
    else:
        assert document["temperature"] is None


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("many", "scaling", "probability", "intercept"), [case for case in CASES if case[1] != "tfidf"]
)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_scikit_learn_predicts_the_same(many, scaling, probability, intercept, dtype):
    learner = trained(many, scaling, probability=probability, intercept=intercept, dtype=dtype)
    estimator = pickle.loads(pickle.dumps(export.to_sklearn(learner)))
    X = rows(300, 6) if scaling == "standard" else counts(300, 6)
    check_is_fitted(estimator)
    assert (estimator.predict(X) == learner.predict(X)).all()
    assert hasattr(estimator, "predict_proba") == probability
    if probability:
        assert np.allclose(estimator.predict_proba(X), learner.predict_proba(X), atol=1e-6)


def test_classes_that_came_in_another_order():
    X = rows()[1:]
    y = classes_of(X, many=True)
    for some in (y, np.where(y == "other", "spam", y)):
        order = np.argsort(some)[::-1]
        learner = askance.make("MPA-II", dtype="float64")
        for row in order:
            learner.tell(X[row] / SIZES, some[row])
        new = rows(100, 7) / SIZES
        assert (export.to_sklearn(learner).predict(new) == learner.predict(new)).all()
        document = export.to_json(learner)
        assert [exported.prediction(document, as_dict(row)) for row in new] == learner.predict(new).tolist()


@pytest.mark.parametrize("sgn0", [1, -1])
def test_a_row_without_features_has_the_class_that_the_learner_gives_it(sgn0):
    learner = askance.make("PAA-II", sgn0=sgn0).fit(counts(), classes_of(rows(), many=False))
    zero = np.zeros((1, 6))
    assert export.to_sklearn(learner).predict(zero) == learner.predict(zero)
    assert exported.prediction(export.to_json(learner), {}) == learner.predict(zero)[0]


@pytest.mark.slow
def test_estimators_are_loaded_without_askance(tmp_path):
    X = rows(50, 6)
    learners = {"linear": trained(probability=True), "auto": AutoLearner(rate=0.1)}
    learners["auto"].run(rows(60), classes_of(rows(60), many=False))
    for name, learner in learners.items():
        (tmp_path / f"{name}.pickle").write_bytes(pickle.dumps(export.to_sklearn(learner)))
    np.save(tmp_path / "rows.npy", X)
    code = (
        "import pickle, sys, numpy\n"
        "sys.modules['askance'] = None\n"
        "X = numpy.load('rows.npy')\n"
        "for name in ('linear', 'auto'):\n"
        "    print(*pickle.load(open(f'{name}.pickle', 'rb')).predict(X))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60
    )
    linear, auto = done.stdout.splitlines()
    assert linear.split() == learners["linear"].predict(X).tolist()
    assert set(auto.split()) == {"ham", "spam"}


def test_sparse_rows_are_taken_too():
    made = streams.sparse_units()
    learner = askance.make("PAA-II", dtype="float64").fit(sp.csr_array(made.X), made.y)
    assert (export.to_sklearn(learner).predict(sp.csr_array(made.X)) == learner.predict(made.X)).all()


def test_tfidf_has_no_counterpart_in_scikit_learn():
    with pytest.raises(ExportError, match="export to onnx or json"):
        export.to_sklearn(trained(scaling="tfidf"))


# ---------------------------------------------------------------------- what is refused


@pytest.mark.parametrize("name", ["SOP", "SEL-2ND", "OFO-h", "iOOB-h", "OMCSL-F-h"])
@pytest.mark.parametrize("form", [export.to_json, export.to_sklearn])
def test_rules_whose_weights_alone_do_not_decide_are_refused(name, form):
    X = rows() / SIZES
    with pytest.raises(ExportError, match="has no weights that alone decide its predictions"):
        form(askance.make(name).fit(X, classes_of(X, many=False)))


def test_kernels_are_refused():
    X = rows() / SIZES
    learner = askance.Learner(kernels.Kernelized(updates.PassiveAggressive2(), kernels.RBF()), queries.Always())
    with pytest.raises(ExportError, match="Kernelized has no weights"):
        export.to_json(learner.fit(X, classes_of(X, many=False)))


def test_what_has_learned_nothing_is_refused():
    for learner in (askance.make("PAA-II"), AutoLearner()):
        with pytest.raises(ExportError, match="no labels yet"):
            export.to_json(learner)
    with pytest.raises(ExportError, match="only one class, 'spam'"):
        export.to_json(askance.make("MPA-II").partial_fit([[1.0]], ["spam"]))
    with pytest.raises(ExportError, match="only one class, 'spam'"):
        export.refit(AutoLearner().tell([1.0, 2.0], "spam"))


def test_other_estimators_are_refused():
    with pytest.raises(ExportError, match="a SVMPlus cannot be exported"):
        export.to_json(askance.SVMPlus())


@pytest.mark.parametrize("form", [export.labelled_rows, export.refit, export.to_vw])
def test_learners_that_remember_no_rows(form):
    with pytest.raises(ExportError, match=r"only AutoLearner remembers them.*askance run --labels-out"):
        form(trained())


# ---------------------------------------------------------------------- automatic learners


OTHERS = [("dense", True), ("sparse", False), ("mixed", False)]


@functools.cache
def automatic(kind, many):
    """A learner of dense, sparse or mixed rows, and the rows. Its forest is trusted where rows are dense."""
    random = np.random.default_rng(3)
    X = random.normal(size=(130, 4))
    y = np.where(X[:, 0] * X[:, 1] > 0, "same", "apart")
    y = np.where(X[:, 2] > 1, "else", y) if many else y
    words = sp.csr_array(random.poisson(0.3, (130, 30)).astype(float))
    rows_of = {"dense": X * [1, 1000, 1, 1], "sparse": words, "mixed": MixedRows(X, words)}[kind]
    if kind == "sparse":
        y = np.where(words[:, [0]].toarray()[:, 0] > 0, "with", "without")
    learner = AutoLearner(rate=0.5)
    trace = learner.run(rows_of, y)
    return learner, rows_of, trace


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("kind", "many"), [("dense", False), *(pytest.param(*case, marks=pytest.mark.slow) for case in OTHERS)]
)
def test_json_of_an_automatic_learner_predicts_the_same(kind, many):
    learner, X, _ = automatic(kind, many)
    document = json.loads(json.dumps(export.to_json(learner)))
    assert sum(model["trust"] for model in document["models"]) == pytest.approx(1)
    if kind == "dense":
        assert document["models"][-1]["kind"] == "forest"
        assert document["models"][-1]["trust"] > 0
    matrix = np.hstack([X.dense, X.sparse.toarray()]) if kind == "mixed" else X
    matrix = matrix.toarray() if sp.issparse(matrix) else matrix
    wanted = learner.predict_proba(X)[:40]
    found = [list(exported.probabilities(document, as_dict(row)).values()) for row in matrix[:40]]
    assert np.allclose(found, wanted, rtol=1e-9)


@pytest.mark.compiled
def test_json_of_rows_of_length_1_has_no_means():
    _, X, trace = automatic("dense", False)
    units = X / np.linalg.norm(X, axis=1, keepdims=True)
    learner = AutoLearner(rate=0.5)
    learner.run(units[:60], trace.y[:60])
    document = json.loads(json.dumps(export.to_json(learner)))
    assert {column["mean"] for column in document["scaling"][0]["columns"].values()} == {0}
    found = [list(exported.probabilities(document, as_dict(row)).values()) for row in units[60:80]]
    assert np.allclose(found, learner.predict_proba(units[60:80]), rtol=1e-9)


@pytest.mark.compiled
def test_labelled_rows_are_those_that_were_asked_about():
    learner, X, trace = automatic("dense", False)
    found = export.labelled_rows(learner)
    assert np.array_equal(found.X, X[trace.asked])
    assert found.y.tolist() == trace.y[trace.asked].tolist()
    learner, X, trace = automatic("mixed", False)
    found = export.labelled_rows(learner)
    assert found.n_dense == 4
    assert np.array_equal(found.X.toarray()[:, :4], X.dense[trace.asked])
    assert np.array_equal(found.X.toarray()[:, 4:], X.sparse[trace.asked].toarray())


@pytest.mark.compiled
@pytest.mark.parametrize("kind", ["dense", "sparse", "mixed"])
def test_a_model_is_fitted_to_the_labelled_rows(kind):
    learner, _, _ = automatic(kind, False)
    labelled = export.labelled_rows(learner)
    model = export.to_sklearn(learner)
    assert (model.predict(labelled.X) == labelled.y).mean() > 0.6
    trust = learner._core.models.mixture.trust
    last = model[-1] if isinstance(model, Pipeline) else model
    assert isinstance(last, ExtraTreesClassifier) == (np.argmax(trust) == len(learner._core.models.lanes.dampings))
    assert model.classes_.tolist() == learner.classes_.tolist()


@pytest.mark.compiled
@pytest.mark.parametrize("trusted", ["forest", "linear"])
def test_columns_that_are_empty_in_all_labelled_rows_are_not_fitted(trusted):
    """A million columns of hashed words, of which few are used, took minutes and gigabytes with thirty classes."""
    learner, _, _ = automatic("mixed", False)
    labelled = export.labelled_rows(learner)
    trust = learner._core.models.mixture.trust
    trust[:] = np.arange(len(trust)) == (len(trust) - 1 if trusted == "forest" else 0)
    model = export.to_sklearn(learner)
    used = sum((labelled.X[:, [column]] != 0).nnz > 0 for column in range(4, labelled.X.shape[1]))
    columns = model[0].transform(labelled.X).shape[1]
    assert columns - used in (range(5) if trusted == "forest" else [4])
    assert model.n_features_in_ == labelled.X.shape[1]
    assert (model.predict(labelled.X) == labelled.y).mean() > 0.6


@pytest.mark.slow
def test_any_estimator_can_be_fitted_to_the_labelled_rows():
    learner, X, _ = automatic("dense", False)
    labelled, own = export.labelled_rows(learner), GaussianNB()
    found = export.refit(learner, own)
    assert not hasattr(own, "classes_")
    assert (found.predict(X) == GaussianNB().fit(labelled.X, labelled.y).predict(X)).all()


def test_signed_rows_have_no_logarithm():
    X = sp.csr_array(counts(80))
    y = np.where(X[:, [0]].toarray()[:, 0] > 0, "with", "without")
    learner = AutoLearner(rate=0.5)
    learner.run(X, y)
    assert (export.to_sklearn(learner).predict(X) == y).mean() > 0.8


def test_lines_for_vowpal_wabbit():
    learner = AutoLearner(classes=["ham", "spam"])
    learner.tell([1.0, 0.0, -2.5], "spam").tell([0.0, 0.125, 1e-7], "ham")
    assert list(export.to_vw(learner)) == ["1 | column_0:1 column_2:-2.5", "-1 | column_1:0.125 column_2:1e-07"]
    learner.tell([0.0, 0.0, 0.0], "zebra")
    assert [line.split()[0] for line in export.to_vw(learner)] == ["2", "1", "3"]


# ---------------------------------------------------------------------- files and the names of columns


@pytest.mark.slow
def test_columns_have_the_names_of_the_table(tmp_path):
    import pandas

    from askance.data import add_reading, read_table

    table = read_table(write_customers(tmp_path / "customers.csv", 60))
    learner = AutoLearner(rate=0.1)
    for chunk in table:
        learner.run(chunk.X, chunk.y)
    path = tmp_path / "customers.model"
    learner.save(path)
    add_reading(path, table)
    names = list(export.to_json(path)["scaling"][0]["columns"])
    assert names[:4] == ["income", "income is missing", "age", "age is missing"]
    assert names[5:10] == ["city=Bern", "city=Lima", "city=Oslo", "city=Rome", "city=(other)"]
    assert names[10:] == ["signup year", "signup month", "signup weekday"]
    assert next(export.to_vw(path)).split()[2].startswith("income:")
    frame = pandas.DataFrame(rows(), columns=["a", "b", "c", "a", "e", "f"])
    assert "b" in export.to_json(trained(X=frame.set_axis(list("abcdef"), axis=1)))["scaling"]["columns"]


def test_names_that_two_columns_share_get_numbers():
    from askance.export.source import _different

    assert _different(["a", "b"]) == ["a", "b"]
    assert _different(["a", "b", "a"]) == ["a (column 0)", "b (column 1)", "a (column 2)"]


# ---------------------------------------------------------------------- ONNX


def predicted_by_onnx(model, X):
    try:
        import onnxruntime
    except ImportError:
        missing("what ONNX models predict", "onnxruntime")
    session = onnxruntime.InferenceSession(model.SerializeToString())
    dtype = np.float64 if "double" in session.get_inputs()[0].type else np.float32
    names = [each.name for each in session.get_outputs()]
    return dict(zip(names, session.run(None, {"X": X.astype(dtype)}), strict=True))


@pytest.fixture
def onnx():
    try:
        import onnx
    except ImportError:
        missing("the export to ONNX", "onnx")
    return onnx


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("many", "scaling", "probability", "intercept"), CASES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_onnx_predicts_the_same(onnx, many, scaling, probability, intercept, dtype):
    learner = trained(many, scaling, probability=probability, intercept=intercept, dtype=dtype)
    X = rows(300, 6) if scaling == "standard" else counts(300, 6)
    found = predicted_by_onnx(export.to_onnx(learner), X)
    assert found["label"].tolist() == learner.predict(X).tolist()
    if probability:
        assert np.allclose(found["probabilities"], learner.predict_proba(X), atol=1e-5)
    else:
        scores = found["scores"] if many else found["scores"][:, 0]
        assert np.allclose(scores, learner.decision_function(X), atol=1e-5)


@pytest.mark.compiled
@pytest.mark.parametrize("many", rest_slow([False, True], [True]))
def test_onnx_of_an_automatic_learner_predicts_the_same(onnx, many):
    learner, X, _ = automatic("dense", many)
    assert learner._core.models.mixture.trust[-1] > 0  # the forest counts
    found = predicted_by_onnx(export.to_onnx(learner), X)
    assert found["label"].tolist() == learner.predict(X).tolist()
    assert np.allclose(found["probabilities"], learner.predict_proba(X), rtol=1e-9)


@pytest.mark.parametrize("sgn0", [1, -1])
def test_onnx_predicts_the_same_class_of_a_row_without_features(onnx, sgn0):
    learner = askance.make("PAA-II", sgn0=sgn0).fit(counts(), classes_of(rows(), many=False))
    zero = np.zeros((1, 6))
    assert predicted_by_onnx(export.to_onnx(learner), zero)["label"].tolist() == learner.predict(zero).tolist()


@pytest.mark.parametrize(
    ("labels", "told"),
    [([0.0, 1.0], [0, 1]), ([0.5, 1.5], [0.5, 1.5]), ([False, True], [False, True]), ([3, 4], [3, 4])],
)
def test_labels_of_onnx_have_a_type_of_their_own(onnx, labels, told):
    X = counts()
    y = np.array(labels)[(X[:, 0] > 0).astype(int)]
    learner = askance.make("PAA-II")
    learner.run(X, y)
    model = export.to_onnx(learner)
    assert np.unique(predicted_by_onnx(model, X)["label"]).tolist() == told


def test_onnx_has_no_sparse_rows(onnx):
    with pytest.raises(ExportError, match="sparse rows"):
        export.to_onnx(AutoLearner(rate=0.5).fit(MixedRows(np.eye(4), sp.csr_array(np.eye(4))), list("abab")))


def test_columns_whose_names_differ_in_blanks_stay_apart_in_vw():
    frame = pandas.DataFrame({"a b": [1.0, 2.0], "a:b": [3.0, 4.0]})
    learner = askance.AutoLearner().fit(frame, [0, 1])
    assert list(export.to_vw(learner)) == ["-1 | a_b:1 a_b_column_1:3", "1 | a_b:2 a_b_column_1:4"]
