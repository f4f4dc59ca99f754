"""`TableEncoder`: the rows of `read_table` in pipelines of scikit-learn, from whatever holds a table."""

import json
import pickle

import numpy as np
import pandas
import polars
import pyarrow
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from askance.data import MixedRows, TableEncoder, read_table
from askance.errors import DataError, ParameterError
from customer_table import customers, write_customers

pytestmark = pytest.mark.plain

RECORDS = customers(1300)  # more than decide
LABELS = [record["label"] for record in RECORDS]
FEATURES = [{name: value for name, value in record.items() if name != "label"} for record in RECORDS]
COMPLETE = [record for record in RECORDS if record["income"] != "NA" and record["age"] != ""]
FORMS = {
    "pandas": pandas.DataFrame,
    "polars": lambda records: polars.DataFrame(records, strict=False, infer_schema_length=None),
    "lazy": lambda records: polars.LazyFrame(records, strict=False, infer_schema_length=None),
    "arrow": lambda records: pyarrow.Table.from_pandas(pandas.DataFrame(records).astype(str)),
    "dictionaries": list,
}


def same(found, wanted):
    np.testing.assert_array_equal(found.dense, wanted.dense)
    assert (found.sparse != wanted.sparse).nnz == 0
    assert found.sparse.shape == wanted.sparse.shape


@pytest.mark.parametrize("form", FORMS)
def test_rows_are_those_of_read_table(form):
    (wanted,) = read_table(pandas.DataFrame(COMPLETE), label="label", chunk_rows=5000)
    table = FORMS[form](COMPLETE)
    same(TableEncoder(drop=["label"]).fit_transform(table), wanted.X)


def test_files_and_parts_give_the_same_rows(tmp_path):
    path = write_customers(tmp_path / "t.csv", 1300)
    encoder = TableEncoder().fit(path)
    frame = pandas.read_csv(path, keep_default_na=False)
    wanted = encoder.transform(frame)
    same(encoder.transform(path), wanted)
    same(encoder.transform(iter([frame[:1], frame[1:700], frame[700:]])), wanted)
    same(encoder.transform([frame[:700], frame[700:]]), wanted)
    lines = tmp_path / "t.jsonl"
    lines.write_text("".join(json.dumps(record) + "\n" for record in RECORDS))
    same(encoder.transform(lines), wanted)


def test_what_is_missing_is_the_mean_of_all_rows_in_fit_and_rows_do_not_depend_on_others():
    encoder = TableEncoder().fit(FEATURES)
    rows = encoder.transform(FEATURES)
    known = [float(record["income"]) for record in FEATURES if record["income"] != "NA"]
    missing = [record["income"] == "NA" for record in FEATURES]
    place = encoder.get_feature_names_out().tolist().index("income")
    assert sum(missing) > 20
    np.testing.assert_allclose(rows.dense[missing, place], np.mean(known), rtol=1e-12)
    same(encoder.transform(FEATURES[7:9]), MixedRows(rows.dense[7:9], rows.sparse[7:9]))


def test_features_have_names():
    encoder = TableEncoder(bits=4).fit(FEATURES)
    names = encoder.get_feature_names_out()
    assert names.tolist() == [
        "income",
        "income (missing)",
        "age",
        "age (missing)",
        "ratio",
        *(f"city={level}" for level in ("Bern", "Lima", "Oslo", "Rome", "(other)")),
        *(f"signup.{part}" for part in ("year", "month", "weekday")),
        *(f"hashed {number}" for number in range(16)),
    ]
    assert len(names) == encoder.transform(FEATURES).shape[1]
    assert encoder.n_features_in_ == len(encoder.feature_names_in_) == 8
    assert encoder.described().startswith("3 numbers, 1 category, 1 text, 1 date; left out: customer")
    when = TableEncoder().fit([{"t": "2024-01-02 13:30"}, {"t": None}]).get_feature_names_out()
    assert when.tolist() == ["t.year", "t.month", "t.weekday", "t.hour", "t (missing)"]


def test_one_matrix_has_the_numbers_first():
    mixed = TableEncoder().fit_transform(FEATURES)
    matrix = TableEncoder(output="matrix").fit_transform(FEATURES)
    assert isinstance(mixed, MixedRows)
    assert sp.issparse(matrix)
    assert matrix.shape == mixed.shape
    np.testing.assert_array_equal(matrix[:, : mixed.dense.shape[1]].toarray(), mixed.dense)
    numbers = TableEncoder(output="matrix").fit_transform([{"a": 1.5}, {"a": 2}])
    assert numbers.tolist() == [[1.5], [2.0]]


def test_scales_are_those_of_scikit_learn():
    plain = TableEncoder().fit_transform(FEATURES)
    scaled = TableEncoder(scaled=True).fit(FEATURES[:1300]).transform(FEATURES)
    dense = StandardScaler().fit(np.concatenate(_running(FEATURES))).transform(plain.dense)
    words = TfidfTransformer(sublinear_tf=True).fit_transform(plain.sparse)
    np.testing.assert_allclose(scaled.dense, dense, atol=1e-9)
    assert abs(scaled.sparse - words).max() < 1e-12
    texts = TableEncoder(text=["t"], scaled=True).fit_transform([{"t": "a b"}, {"t": "a"}, {"t": ""}])
    assert sp.issparse(texts)
    np.testing.assert_allclose(sp.linalg.norm(texts, axis=1), [1, 1, 0])
    numbers = TableEncoder(scaled=True).fit_transform([{"a": 1.0}, {"a": 3.0}])
    assert numbers.tolist() == [[-1.0], [1.0]]


def _running(records):
    return [chunk.X.dense for chunk in read_table(records, label=False)]


@pytest.mark.slow
def test_it_works_in_pipelines_and_searches():
    encoder = TableEncoder(output="matrix", scaled=True, bits=12)
    model = make_pipeline(encoder, LogisticRegression(max_iter=500))
    frame = pandas.DataFrame(FEATURES)
    scores = cross_val_score(model, frame, LABELS, cv=3)
    assert scores.min() > max(LABELS.count(label) for label in set(LABELS)) / len(LABELS) + 0.02
    again = clone(model).set_params(tableencoder__pairs=True)
    assert again.get_params()["tableencoder__bits"] == 12
    fitted = model.fit(frame, LABELS)
    assert (pickle.loads(pickle.dumps(fitted)).predict(frame) == fitted.predict(frame)).all()


# ---------------------------------------------------------------------- guesses that are wrong


def test_every_guess_can_be_corrected():
    records = [
        {"id": n, "zip": 8000 + n % 5, "n": "12" if n % 4 else "about 12", "t": "yes", "day": "soon", "y": n / 3}
        for n in range(30)
    ]
    records[0]["day"] = "2024-03-05"
    guessed = {column.name: column.kind for column in TableEncoder().fit(records).columns_}
    kinds = {"id": "left out", "zip": "number", "n": "category", "t": "left out", "day": "category"}
    assert guessed == {**kinds, "y": "left out"}
    told = TableEncoder(numbers=["id", "n", "y"], categories=iter(["zip"]), text=["t"], dates=["day"], bits=4).fit(
        records
    )
    assert {column.name: column.kind for column in told.columns_} == {
        "id": "number",
        "zip": "category",
        "n": "number",
        "t": "text",
        "day": "date",
        "y": "number",
    }
    rows = told.transform(records).dense
    assert rows[4, told.get_feature_names_out().tolist().index("n (missing)")] == 1  # "about 12"
    assert rows[:2, told.get_feature_names_out().tolist().index("day (missing)")].tolist() == [0, 1]
    dropped = TableEncoder(drop=["zip", "day", "n"], numbers=["y"]).fit(records)
    assert dropped.get_feature_names_out().tolist() == ["y"]


def test_a_column_with_the_name_of_a_label_is_named():
    points = [{"x": n / 3, "y": n / 7} for n in range(30)]
    assert TableEncoder().fit(points).described() == "1 number; left out: y (named as a label)"
    assert TableEncoder(numbers=["y"]).fit(points).described() == "2 numbers"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            {"numbers": ["city"]},
            "column 'city' has 'Rome', and nothing in its first rows is a number: check numbers=",
        ),
        ({"dates": ["age"]}, "column 'age' has 31, and nothing in its first rows is a date, such as 2024-02-03"),
        ({"dates": ["when"]}, "no column 'when'; there are 'age', 'city': check dates="),
        ({"dates": "age"}, "give a list of names, such as dates=['age']"),
        ({"dates": ["age"], "drop": ["age"]}, "column 'age' has two roles"),
        ({"bits": 50}, "bits"),
    ],
)
def test_a_wrong_correction_is_refused(options, said):
    with pytest.raises(DataError) as caught:
        TableEncoder(**options).fit([{"age": 31, "city": "Rome"}, {"age": 28, "city": "Oslo"}])
    assert said in str(caught.value)


def test_a_column_that_is_empty_in_the_first_rows_can_be_a_date():
    frame = pandas.DataFrame({"a": [1.0, 2.0], "day": [None, None]})
    encoder = TableEncoder(dates=["day"]).fit(frame)
    assert encoder.transform(pandas.DataFrame({"a": [1], "day": ["2024-02-03"]})).tolist() == [[1, 2024, 2, 5, 0]]


# ---------------------------------------------------------------------- tables that do not fit


def test_a_table_that_does_not_fit_is_refused():
    frame = pandas.DataFrame({"age": [31.0, 28.0], "city": ["Rome", "Oslo"]})
    encoder = TableEncoder().fit(frame)
    with pytest.raises(DataError, match="no column 'age', which the model has learned from; there are 'city'"):
        encoder.transform(frame[["city"]])
    with pytest.raises(DataError, match=r"part 1 \(from 0\): no column 'age'"):
        encoder.transform([frame, frame[["city"]]])
    with pytest.raises(DataError, match="'old' is not a number"):
        encoder.transform([{"age": "old", "city": "Rome"}])
    with pytest.raises(DataError, match="has none of the fields that the model has learned from"):
        encoder.transform([{"years": 31}])
    assert encoder.transform([{"age": 31}]).tolist() == encoder.transform([{"age": 31, "city": None}]).tolist()


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (np.eye(3), "a ndarray is not a table: give a path, a data frame"),
        ([[1, 2], [3, 4]], "a list is not a table"),
        ([], "a list is not a table"),
        (pandas.DataFrame({"a": []}), "data frame: has no rows"),
        (iter([]), "there are no parts, or an iterator was used before"),
        (iter(["a,b", "1,2"]), "part 0 (from 0): a str is not a table"),
        (iter([pandas.DataFrame({"a": [1.0, 2.0]}), 7]), "part 1 (from 0): a int is not a table"),
        ([{"a": {"b": [{"c": 1}]}}, {"a": float("inf")}], "inf is too large or infinite"),
    ],
)
def test_what_is_no_table_is_refused(source, said):
    with pytest.raises(DataError) as caught:
        TableEncoder().fit(source)
    assert said in str(caught.value)


def test_wrong_use():
    with pytest.raises(NotFittedError):
        TableEncoder().transform(FEATURES)
    with pytest.raises(ParameterError, match="output"):
        TableEncoder(output="array").fit(FEATURES)
    with pytest.raises(DataError, match="an iterator was used before"):
        TableEncoder().fit_transform(iter([FEATURES]))


# ---------------------------------------------------------------------- texts beside other columns


def words_of(encoder, record):
    """The hashed columns of a record and their values."""
    rows = encoder.transform([record])
    return dict(zip(rows.sparse.indices.tolist(), rows.sparse.data.tolist(), strict=True))


def test_several_texts_and_pairs_beside_other_columns():
    rng = np.random.default_rng(3)
    words = ["good", "bad", "not", "at", "all", "service", "food"]
    records = [
        {
            "title": " ".join(rng.choice(words, 3)),
            "body": " ".join(rng.choice(words, 6)),
            "price": n / 3,
            "plan": "ab"[n % 2],
        }
        for n in range(100)
    ]
    singles, pairs = TableEncoder(text=["title", "body"]), TableEncoder(text=["title", "body"], pairs=True)
    for encoder in (singles, pairs):
        encoder.fit(records)
        assert encoder.described() == "1 number, 1 category, 2 texts"
        assert encoder.transform(records).dense.shape[1] == 4
    rest = {"price": 1.0, "plan": "a"}
    first, second = {"title": "not good", "body": "bad", **rest}, {"title": "bad", "body": "not good", **rest}
    turned = {"title": "good not", "body": "bad", **rest}
    # The same words in another column are other features, and their order matters only with pairs.
    assert not set(words_of(singles, first)) & set(words_of(singles, second))
    assert words_of(singles, first) == words_of(singles, turned)
    assert len(words_of(singles, first)) == 3
    one, other = words_of(pairs, first), words_of(pairs, turned)
    assert len(set(one) & set(other)) == 3
    assert len(one) == len(other) == 4
    # Columns do not touch: no pair has the end of one text and the beginning of the next.
    apart = {"title": "not", "body": "good", **rest}
    assert len(words_of(pairs, apart)) == 2
