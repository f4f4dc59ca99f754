"""A learner that was loaded from a file takes other files and tables as those that it has learned from."""

import numpy as np
import pandas
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import askance
from askance._util.sealed_file import header_of
from askance.data import TableEncoder, add_reading, read, read_for_model, read_table
from askance.data.svmlight import read_svmlight
from askance.errors import DataError
from customer_table import customers, write_customers

ROWS = 200


def saved_auto(folder, rows=60):
    """The file of an automatic learner, and the table that it has learned from."""
    source = write_customers(folder / "january.csv", rows)
    table, learner = read_table(source, bits=10), askance.AutoLearner(rate=1.0)
    for chunk in table:
        learner.run(chunk.X, chunk.y)
    learner.save(folder / "c.model")
    add_reading(folder / "c.model", table)
    return folder / "c.model"


def saved_named(folder):
    """The file of a learner of the catalog."""
    source = write_customers(folder / "january.csv", ROWS)
    stream, learner = read(source, text="comment"), askance.make("PAA-II", probability=True)
    learner.run(stream)
    learner.save(folder / "n.model")
    add_reading(folder / "n.model", stream)
    return folder / "n.model"


@pytest.fixture(scope="module", params=[saved_auto, pytest.param(saved_named, marks=pytest.mark.plain)])
def model(request, tmp_path_factory):
    return request.param(tmp_path_factory.mktemp("models"))


def test_files_and_tables_are_read_as_the_model_has_read_its_own(model, tmp_path):
    learner = askance.load(model)
    path = write_customers(tmp_path / "march.csv", 90, random_state=5)
    records = customers(90, random_state=5)
    frame = pandas.DataFrame(records)
    wanted = np.concatenate([learner.predict(chunk.X) for chunk in read_for_model(model, path)])
    assert len(set(wanted)) == 2
    forms = (path, str(path), frame, records, iter([frame[:50], frame[50:]]), [frame[:1], frame[1:]])
    for source in forms:
        np.testing.assert_array_equal(learner.predict(source), wanted)
    chances = learner.predict_proba(frame)
    assert chances.shape == (90, 2)
    np.testing.assert_array_equal(learner.classes_[chances.argmax(axis=1)], wanted)


def test_parts_are_predicted_one_at_a_time(model):
    learner, given = askance.load(model), []

    def parts():
        for number in range(3):
            given.append(number)
            yield pandas.DataFrame(customers(5, random_state=number))

    pieces = learner.iter_predict(parts())
    assert len(next(pieces)) == 5
    assert given == [0]  # no part is asked for before the one before it is predicted
    assert [len(piece) for piece in pieces] == [5, 5]


def test_a_table_without_a_column_is_refused(model):
    frame = pandas.DataFrame(customers(5)).drop(columns="comment")
    with pytest.raises(DataError, match="no column 'comment', which the model has learned from; there are"):
        askance.load(model).predict(frame)


def test_numbered_features_are_refused(model, tmp_path):
    path = tmp_path / "t.svm"
    path.write_text("1 1:1\n")
    with pytest.raises(DataError, match="has learned from columns, such as "):
        askance.load(model).predict(path)


def test_the_next_file_of_the_model_knows_it_too(model, tmp_path):
    frame = pandas.DataFrame(customers(20, random_state=8))
    askance.load(model).save(tmp_path / "next.model")
    np.testing.assert_array_equal(
        askance.load(tmp_path / "next.model").predict(frame), askance.load(model).predict(frame)
    )
    (chunk,) = read_for_model(tmp_path / "next.model", frame)
    assert chunk.X.shape[0] == 20


def test_what_starts_from_scratch_has_forgotten_it(model):
    learner = askance.load(model)
    for other in (clone(learner), learner.fit(np.eye(4), [0, 1, 0, 1])):
        other.fit(np.eye(4), [0, 1, 0, 1])
        with pytest.raises(TypeError, match="dict"):
            other.predict(customers(20))


@pytest.mark.plain
def test_numbered_rows_of_files(tmp_path):
    learner = askance.make("PAA-II").partial_fit(sp.csr_array(np.eye(3)), ["a", "b", "b"])
    learner.save(tmp_path / "m.model")
    path = tmp_path / "t.svm"
    path.write_text("1 1:1\n1 3:2\n")
    with pytest.raises(DataError, match="this learner does not know how its rows were read"):
        askance.load(tmp_path / "m.model").predict(path)
    add_reading(tmp_path / "m.model", read(path))
    loaded = askance.load(tmp_path / "m.model")
    assert loaded.predict(path).tolist() == ["a", "b"]
    assert loaded.predict(np.eye(3)).tolist() == ["a", "b", "b"]
    with pytest.raises(DataError, match="the model has learned from numbered features"):
        loaded.predict(pandas.DataFrame({"a": [1.0]}))


def test_an_encoder_belongs_into_the_file_of_its_learner(tmp_path):
    records = customers(60)
    labels = [record.pop("label") for record in records]
    encoder = TableEncoder(bits=10)
    learner = askance.AutoLearner().fit(encoder.fit_transform(records), labels)
    path = tmp_path / "m.model"
    learner.save(path)
    add_reading(path, encoder)
    wanted = learner.predict(encoder.transform(records))
    np.testing.assert_array_equal(askance.load(path).predict(records), wanted)
    assert askance.load(path).predict(write_customers(tmp_path / "t.csv", 60)).tolist() == wanted.tolist()
    for other in (TableEncoder(output="matrix"), TableEncoder(scaled=True)):
        with pytest.raises(DataError, match="a model file holds rows as read_table makes them"):
            add_reading(path, other.fit(records))


def test_a_learner_that_runs_through_a_table_knows_how_to_read_others(tmp_path):
    records = customers(120)
    by_chunk, at_once = askance.AutoLearner(rate=1.0), askance.AutoLearner(rate=1.0)
    table = read_table(records, bits=10, chunk_rows=50)
    traces = [by_chunk.run(chunk.X, chunk.y) for chunk in table]
    trace = at_once.run(read_table(records, bits=10, chunk_rows=50))
    np.testing.assert_array_equal(trace.asked, askance.Trace.join(traces).asked)
    at_once.save(tmp_path / "c.model")
    by_chunk.save(tmp_path / "d.model")
    add_reading(tmp_path / "d.model", table)
    readings = [header_of((tmp_path / name).read_bytes())["table"] for name in ("c.model", "d.model")]
    assert readings[0] == readings[1]
    new = pandas.DataFrame(customers(60, random_state=3))
    wanted = askance.load(tmp_path / "d.model").predict(new)
    np.testing.assert_array_equal(at_once.predict(new), wanted)
    np.testing.assert_array_equal(askance.load(tmp_path / "c.model").predict(new), wanted)


def test_a_learner_does_not_run_through_a_table_that_is_read_in_another_way(tmp_path):
    learner = askance.AutoLearner(rate=1.0)
    learner.run(read_table(customers(60), bits=10))
    learner.run(read_table(customers(60), bits=10))  # once more
    with pytest.raises(DataError, match="its columns were read in another way"):
        learner.run(read_table(customers(60), bits=11))
    learner.save(tmp_path / "c.model")
    learner.run(read_for_model(tmp_path / "c.model", customers(80, random_state=4), label=None))
    assert learner.spending_.rows == 200


def test_a_learner_of_rows_does_not_learn_how_a_table_is_read():
    X = np.random.default_rng(0).normal(size=(80, 2))
    frame = pandas.DataFrame({"a": X[:, 0], "b": X[:, 1], "label": X[:, 0] > 0})
    learner = askance.AutoLearner(rate=1.0)
    learner.run(X, X[:, 0] > 0)
    learner.run(read_table(frame))
    assert learner.predict(X).dtype == bool, "rows are no table"
    for made in (askance.AutoLearner(rate=1.0), askance.make("PAA-II")):
        made.run(read(X, y=X[:, 0] > 0))
        assert len(made.predict(frame[["a", "b"]].to_numpy())) == 80


def test_rows_of_a_svmlight_file_may_become_wider(tmp_path):
    lines = [f"{row % 2} {1 + row % 2}:1 {3 + row // 50}:1" for row in range(200)]
    (tmp_path / "wide.svm").write_text("\n".join(lines) + "\n")
    learner = askance.AutoLearner(rate=1.0)
    trace = learner.run(read_svmlight(tmp_path / "wide.svm", block_bytes=200))
    assert learner.n_features_in_ == 6
    assert len(trace) == 200
    learner.run(read_svmlight(tmp_path / "wide.svm", block_bytes=200))
    with pytest.raises(ValueError, match="run needs the labels y, unless X is a stream"):
        learner.run(np.eye(3))
    with pytest.raises(ValueError, match="has no labels"):
        learner.run(read_svmlight(tmp_path / "wide.svm", labels=False))
