"""The next file is read as the file was that a model has learned from, for every kind of learner and format."""

import json

import numpy as np
import pandas
import pytest
import scipy.sparse as sp

import askance
from askance._util.sealed_file import header_of, with_more
from askance.data import add_reading, read, read_for_model, read_table
from askance.data.model_rows import TableRows
from askance.errors import DataError, ModelFileError
from customer_table import customers, write_customers

pytestmark = pytest.mark.plain

HEADER = "age,city,income,note,label\n"
ROWS = "31,Rome,1000,hello there,a\n,Oslo,2000.5,,b\n45,Rome,,see you,a\n"


def dense(X):
    return X.toarray() if sp.issparse(X) else np.asarray(X)


def gathered(stream):
    return np.concatenate([dense(chunk.X) for chunk in stream])


def model_of(tmp_path, stream, name="m.model"):
    """The file of a model that has read a stream; what it has learned does not matter here."""
    path = tmp_path / name
    list(stream)
    learner = askance.make("PAA-II")
    learner.partial_fit(np.eye(2), ["a", "b"])
    learner.save(path)
    add_reading(path, stream)
    return path


def written(path, content):
    path.write_text(content)
    return path


# ---------------------------------------------------------------------- the kinds of columns


def test_rows_are_those_that_a_learner_would_continue_with(tmp_path):
    table = read_table(write_customers(tmp_path / "first.csv", 300))
    model = model_of(tmp_path, table)
    new = tmp_path / "second.csv"
    write_customers(new, 100, random_state=5)
    (chunk,) = read_for_model(model, new, chunk_rows=1000)
    plan = table.plan
    batch = next(iter(read_table(new).table.batches(1000)))
    expected = plan.encode(batch.columns, batch.rows, batch.where)
    known = ~np.isnan(expected.dense)
    assert np.array_equal(chunk.X.dense[known], expected.dense[known])
    assert np.array_equal(dense(chunk.X.sparse), dense(expected.sparse))
    assert chunk.y is None
    means = table.after.sums / table.after.counts
    income = np.isnan(expected.dense[:, 0])
    assert income.any()
    assert np.allclose(chunk.X.dense[income, 0], means[0], rtol=1e-12)


def test_rows_can_be_one_matrix(tmp_path):
    path = write_customers(tmp_path / "first.csv", 300)
    model = model_of(tmp_path, read_table(path))
    both = zip(read_for_model(model, path), read_for_model(model, path, output="matrix"), strict=True)
    for mixed, chunk in both:
        assert chunk.X.shape == (mixed.X.shape[0], mixed.X.dense.shape[1] + mixed.X.sparse.shape[1])
        assert np.array_equal(chunk.X[:, : mixed.X.dense.shape[1]].toarray(), mixed.X.dense)
        assert (chunk.X[:, mixed.X.dense.shape[1] :] != mixed.X.sparse).nnz == 0
    with pytest.raises(DataError, match="output='sparse': give 'mixed' or 'matrix'"):
        read_for_model(model, path, output="sparse")


def test_a_row_does_not_depend_on_the_rows_around_it(tmp_path):
    model = model_of(tmp_path, read_table(write_customers(tmp_path / "first.csv", 300)))
    lines = write_customers(tmp_path / "all.csv", 200, random_state=3).read_text().splitlines()
    whole = np.concatenate([chunk.X.dense for chunk in read_for_model(model, tmp_path / "all.csv", chunk_rows=7)])
    backwards = written(tmp_path / "back.csv", "\n".join([lines[0], *lines[:0:-1]]))
    found = np.concatenate([chunk.X.dense for chunk in read_for_model(model, backwards)])
    assert np.array_equal(found[::-1], whole)


@pytest.mark.slow
def test_data_frames_and_other_formats_give_the_same_rows(tmp_path):
    model = model_of(tmp_path, read_table(write_customers(tmp_path / "first.csv", 300)))
    path = write_customers(tmp_path / "new.csv", 50, random_state=3)
    (expected,) = read_for_model(model, path)
    frame = pandas.read_csv(path)
    frame.to_parquet(tmp_path / "new.parquet")
    lines = [json.dumps(record) for record in customers(50, 3)]
    sources = [
        frame,
        frame[frame.columns[::-1]],
        tmp_path / "new.parquet",
        written(tmp_path / "n.jsonl", "\n".join(lines)),
    ]
    for source in sources:
        (chunk,) = read_for_model(model, source)
        assert np.allclose(chunk.X.dense, expected.X.dense, rtol=1e-12)
        assert np.array_equal(dense(chunk.X.sparse), dense(expected.X.sparse))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda frame: frame.drop(columns="age"), "no column 'age', which the model has learned from; there are"),
        (lambda frame: frame.assign(age="old"), "'age': 'old' is not a number, as the model has learned it"),
        (lambda frame: frame.assign(signup="soon"), "'signup': 'soon' is not a date, as the model has learned it"),
    ],
)  # fmt: skip
def test_a_table_that_does_not_fit_is_refused(tmp_path, change, said):
    model = model_of(tmp_path, read_table(write_customers(tmp_path / "first.csv", 100)))
    frame = pandas.DataFrame(customers(5))
    with pytest.raises(DataError, match=said):
        list(read_for_model(model, change(frame)))


def test_objects_without_any_field_of_the_model_are_refused(tmp_path):
    model = model_of(tmp_path, read_table(write_customers(tmp_path / "first.csv", 100)))
    some = written(tmp_path / "some.jsonl", '{"age": 3, "more": 1}\n{"city": "Oslo"}\n')
    assert len(next(iter(read_for_model(model, some))).X.dense) == 2
    none = written(tmp_path / "none.jsonl", '{"a": 3}\n')
    with pytest.raises(DataError, match="has none of the fields that the model has learned from, 'income', 'age'"):
        list(read_for_model(model, none))


# ---------------------------------------------------------------------- algorithms of the catalog


OBJECTS = """{"a": {"b": 1.5, "c": "x"}, "tags": ["u", "v"], "n": 3, "at": [1, 2], "id": 9, "label": "a"}
{"n": 4, "label": "b"}
"""


@pytest.mark.parametrize(
    ("name", "content", "options"),
    [
        ("numbers.csv", "x,y2,label\n1,2,a\n3,,b\n", {}),
        ("records.csv", HEADER + ROWS, {}),
        ("records.csv", HEADER + ROWS, {"drop": ["note"], "categories": ["age"]}),
        ("texts.csv", HEADER.replace("note", "text") + ROWS, {}),
        ("texts.csv", HEADER + ROWS, {"text": "note", "pairs": True, "bits": 12}),
        ("objects.jsonl", OBJECTS, {}),
        ("objects.jsonl", OBJECTS, {"drop": ["a", "id"], "categories": ["n"], "dtype": "float64"}),
        ("texts.jsonl", '{"text": "one two", "label": 1}\n{"text": "two", "label": 0}\n', {}),
    ],
)
def test_rows_are_those_of_the_same_options(tmp_path, name, content, options):
    path = written(tmp_path / name, content)
    stream = read(path, **options)
    model = model_of(tmp_path, stream)
    found = read_for_model(model, path, chunk_rows=1)
    assert np.array_equal(gathered(found), gathered(stream))
    (one, *_) = found
    assert one.X.dtype == next(iter(stream)).X.dtype
    assert sp.issparse(one.X) == sp.issparse(next(iter(stream)).X)


def test_a_parquet_file_and_a_csv_file_of_it_are_read_alike(tmp_path):
    frame = pandas.DataFrame(
        {"age": [31.0, 7.0], "city": ["Rome", "Oslo"], "yes": [True, False], "label": ["a", "b"]}
    )
    frame.to_parquet(tmp_path / "t.parquet")
    stream = read(tmp_path / "t.parquet")
    model = model_of(tmp_path, stream)
    text = written(tmp_path / "t.csv", "yes,age,city\ntrue,31,Rome\nfalse,7,Oslo\n")
    assert np.array_equal(gathered(read_for_model(model, text)), gathered(stream))


def test_what_a_column_is_does_not_depend_on_the_new_file(tmp_path):
    """Here the city is a number, and the age is empty: by itself, the file would be read as dense rows."""
    model = model_of(tmp_path, read(written(tmp_path / "t.csv", HEADER + ROWS)))
    new = written(tmp_path / "new.csv", "note,city,income,age\n,7,5,\n")
    twin = read(
        written(tmp_path / "twin.csv", "note,city,income,age,label\nx,7,5,0,1\n"),
        drop=["note"],
        categories=["city"],
    )
    assert np.array_equal(gathered(read_for_model(model, new)), gathered(twin))
    wrong = written(tmp_path / "wrong.csv", "note,city,income,age\n,7,much,1\n")
    with pytest.raises(
        DataError, match="line 2, column 'income': 'much' is not a number, but the model has learned"
    ):
        list(read_for_model(model, wrong))
    with pytest.raises(DataError, match="no column 'age', which the model has learned from"):
        list(read_for_model(model, written(tmp_path / "less.csv", "city,income,note\n1,2,3\n")))


def test_objects_come_from_json_lines_alone(tmp_path):
    model = model_of(tmp_path, read(written(tmp_path / "o.jsonl", OBJECTS)))
    with pytest.raises(DataError, match="the model has learned from objects in JSON lines: give JSON lines"):
        read_for_model(model, written(tmp_path / "o.csv", "n,label\n3,a\n"))


def test_indices_from_0_are_remembered(tmp_path):
    path = written(tmp_path / "z.svm", "1 0:1 2:3\n-1 1:2\n")
    model = model_of(tmp_path, read(path, zero_based=True))
    assert gathered(read_for_model(model, path)).tolist() == [[1, 0, 3], [0, 2, 0]]
    with pytest.raises(DataError, match="the model has learned from numbered features: give svmlight or npz"):
        read_for_model(model, written(tmp_path / "t.csv", HEADER + ROWS))
    with pytest.raises(DataError, match="has no columns with names"):
        read_for_model(model, path, keep=["id"])


def test_a_model_of_columns_takes_no_numbered_features(tmp_path):
    model = model_of(tmp_path, read_table(write_customers(tmp_path / "first.csv", 100)))
    with pytest.raises(
        DataError, match="the model has learned from columns, such as 'income', 'age', 'ratio': give CSV"
    ):
        read_for_model(model, written(tmp_path / "a.svm", "1 1:1\n"))


def test_a_model_that_does_not_say_how_its_table_was_read(tmp_path):
    learner = askance.make("PAA-II").partial_fit(np.eye(2), ["a", "b"])
    learner.save(tmp_path / "bare.model")
    with pytest.raises(
        DataError, match="does not say how its table was read: save the model with askance run --save"
    ):
        read_for_model(tmp_path / "bare.model", written(tmp_path / "t.csv", HEADER + ROWS))
    svm = written(tmp_path / "a.svm", "1 1:1\n")
    assert gathered(read_for_model(tmp_path / "bare.model", svm)).tolist() == [[1]]


# ---------------------------------------------------------------------- labels and other columns


def test_labels_are_found_as_the_model_has_found_them(tmp_path):
    content = (HEADER + ROWS).replace("label", "churn")
    model = model_of(tmp_path, read(written(tmp_path / "t.csv", content), label="churn"))
    new = written(
        tmp_path / "new.csv", content.replace("age", "label,age", 1).replace("\n", "\n9,").removesuffix("9,")
    )
    assert next(iter(read_for_model(model, new, label=None))).y.tolist() == ["a", "b", "a"]
    assert next(iter(read_for_model(model, new, label="label"))).y.tolist() == ["9", "9", "9"]
    assert next(iter(read_for_model(model, new))).y is None
    with pytest.raises(DataError, match="no label field 'churn'; there are"):
        list(read_for_model(model, written(tmp_path / "t.csv", HEADER + ROWS), label=None))


def test_numbers_are_labels_if_the_classes_are_numbers(tmp_path):
    model = tmp_path / "m.model"
    stream = read(written(tmp_path / "t.csv", "x,label\n1,0\n2,1\n"))
    learner = askance.make("PAA-II")
    learner.run(stream)
    learner.save(model)
    add_reading(model, stream)
    (chunk,) = read_for_model(model, written(tmp_path / "new.csv", "x,label\n1,1\n"), label=None)
    assert chunk.y.tolist() == [1]


def test_columns_to_keep_come_with_the_rows(tmp_path):
    model = model_of(tmp_path, read_table(write_customers(tmp_path / "first.csv", 100)))
    rows = read_for_model(model, tmp_path / "first.csv", keep=["customer", "label"], chunk_rows=30)
    assert isinstance(rows, TableRows)
    kept = [name for portion in rows.portions() for name in portion.kept["customer"]]
    assert kept == [f"C{100_000 + row}" for row in range(100)]
    with pytest.raises(DataError, match="no column 'me' to keep; there are"):
        list(read_for_model(model, tmp_path / "first.csv", keep=["me"]))


# ---------------------------------------------------------------------- model files


def test_a_model_with_a_reading_is_loaded_as_before(tmp_path):
    model = model_of(tmp_path, read(written(tmp_path / "t.csv", HEADER + ROWS)))
    assert askance.load(model).classes_.tolist() == ["a", "b"]
    assert header_of(model.read_bytes())["reading"]["features"] == ["age", "city", "income", "note"]


@pytest.mark.parametrize(
    "forged",
    [3, {}, {"from": "table"}, {"from": "objects", "label": None, "text": None, "left_out": 3}],
)
def test_a_forged_reading_is_refused(tmp_path, forged):
    model = model_of(tmp_path, read(written(tmp_path / "t.csv", HEADER + ROWS)))
    model.write_bytes(with_more(model.read_bytes(), {"reading": forged}))
    with pytest.raises(ModelFileError, match=r"m\.model holds a way of reading that does not exist"):
        read_for_model(model, tmp_path / "t.csv")


def test_what_is_no_model_is_refused(tmp_path):
    path = written(tmp_path / "t.csv", HEADER + ROWS)
    for call in (lambda: read_for_model(path, path), lambda: add_reading(path, read(path))):
        with pytest.raises(ModelFileError, match=r"t\.csv is not an askance model"):
            call()


# ---------------------------------------------------------------------- learners


def test_a_stream_is_predicted_chunk_by_chunk(tmp_path):
    path = written(tmp_path / "t.csv", "x,z,label\n" + "".join(f"{n % 7},{n % 3},{n % 2}\n" for n in range(40)))
    stream = read(path, chunk_rows=9)
    learner = askance.make("PAA-II")
    learner.run(stream)
    pieces = list(learner.iter_predict(stream))
    assert [len(piece) for piece in pieces] == [9, 9, 9, 9, 4]
    assert np.array_equal(learner.predict(stream), learner.predict(gathered(stream)))
    assert np.array_equal(np.concatenate(pieces), learner.predict(stream))


def test_features_that_the_model_has_never_seen_are_left_out(tmp_path):
    learner = askance.make("PAA-II").partial_fit(sp.csr_array(np.eye(3)), ["a", "b", "b"])
    wide = read(written(tmp_path / "w.svm", "1 1:1 9:5\n1 2:1\n"))
    narrow = read(written(tmp_path / "n.svm", "1 1:1\n"))
    assert learner.predict(wide).tolist() == ["a", "b"]
    assert learner.predict(narrow).tolist() == ["a"]


def test_a_data_frame_with_a_column_name_is_no_stream():
    frame = pandas.DataFrame({"name": [1.0, 2.0, -1.0], "x": [0.0, 1.0, 1.0]})
    learner = askance.make("PAA-II").fit(frame, [0, 1, 0])
    assert learner.predict(frame).shape == (3,)


# ---------------------------------------------------------------------- damaged files


PIECES = (b"1e999", b"nan", b"\xef\xbb\xbf", b"null", b"1_000", b'"', b"\n", b"\0", b"\xff", b"{", b"[", b",;")


def damaged(content, rng):
    """The content with some bytes changed, left out, put in or cut off."""
    changed = bytearray(content)
    for _ in range(rng.integers(1, 6)):
        place, kind = int(rng.integers(len(changed))), rng.integers(4)
        if kind == 0:
            changed[place] = rng.integers(256)
        elif kind == 1:
            del changed[place : place + int(rng.integers(1, 40))]
        elif kind == 2:
            changed[place:place] = PIECES[rng.integers(len(PIECES))]
        else:
            del changed[max(place, 1) :]
    return bytes(changed)


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_damaged_files_give_rows_or_an_error_in_one_line(tmp_path, ending):
    path = write_customers(tmp_path / "a.csv", 40)
    models = [model_of(tmp_path, read_table(path), "typed"), model_of(tmp_path, read(path), "recipe")]
    if ending == "jsonl":
        pandas.read_csv(path).to_json(tmp_path / "a.jsonl", orient="records", lines=True)
    content, rng = (tmp_path / f"a.{ending}").read_bytes(), np.random.default_rng(7)
    outcomes, said = [], []
    for _ in range(60):
        (tmp_path / f"b.{ending}").write_bytes(damaged(content, rng))
        for model in models:
            try:
                outcomes.append(len(list(read_for_model(model, tmp_path / f"b.{ending}", keep=["customer"]))))
            except DataError as error:
                said.append(str(error))
    assert outcomes
    assert said
    assert not any("\n" in message for message in said)
