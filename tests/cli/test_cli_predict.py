"""`askance predict`: what it writes, from which files and models, and what it refuses."""

import csv
import io
import json
import re

import numpy as np
import pandas
import pyarrow
import pytest
import scipy.sparse as sp
from pyarrow import parquet
from sklearn.datasets import dump_svmlight_file

import askance
import streams
from askance.data import add_reading, read_for_model, read_table
from command_line import answer, complaint, mails, output, saved_model, write_csv
from customer_table import customers, write_customers
from paths import ROOT

ROWS = 3000  # more than a chunk


def table(text):
    """The lines of a CSV text, by column."""
    lines = list(csv.DictReader(io.StringIO(text)))
    return {name: [line[name] for line in lines] for name in lines[0]}


def numbers(column):
    return np.array(column, np.float64)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return mails(tmp_path_factory.mktemp("data") / "mails.csv", ROWS)


@pytest.fixture(scope="module")
def model(data):
    return saved_model(data)


# ---------------------------------------------------------------------- algorithms of the catalog


def test_the_table_has_the_predictions_and_scores_of_the_library(data, model):
    told = table(output("predict", model, data, "--keep", "label"))
    assert list(told) == ["row", "label", "prediction", "score", "doubt"]
    X = streams.noisy(ROWS, 6).X
    learner = askance.load(model)
    assert told["row"] == [str(row) for row in range(ROWS)]
    assert told["prediction"] == learner.predict(X).tolist()
    scores = learner.decision_function(X)
    assert np.allclose(numbers(told["score"]), scores, rtol=1e-4, atol=1e-5)
    assert np.allclose(numbers(told["doubt"]), 1 / (1 + np.abs(scores)), rtol=1e-4)
    assert np.mean(np.array(told["label"]) == told["prediction"]) > 0.7


def test_files_by_their_extensions(data, model, tmp_path):
    expected = table(output("predict", model, data))
    for ending in ("csv", "jsonl", "parquet"):
        path = tmp_path / f"out.{ending}"
        told = answer("predict", model, data, "-o", path)
        assert told["rows"] == ROWS
        assert sum(told["predictions"].values()) == ROWS
        assert told["out"] == str(path)
        if ending == "csv":
            found = table(path.read_text())
        elif ending == "jsonl":
            lines = [json.loads(line) for line in path.read_text().splitlines()]
            found = {name: [line[name] for line in lines] for name in lines[0]}
        else:
            found = parquet.read_table(path).to_pydict()
        assert list(found) == list(expected)
        assert found["prediction"] == expected["prediction"]
        assert np.allclose(numbers(found["score"]), numbers(expected["score"]), rtol=1e-5)
        assert [int(row) for row in found["row"]] == list(range(ROWS))


def test_the_summary(data, model, tmp_path):
    told = " ".join(output("predict", model, data, "-o", tmp_path / "out.csv").split())
    assert "mails.csv: 3,000 rows, predicted " in told
    assert " spam" in told
    assert "Mean doubt 0." in told
    assert "Wrote the predictions to" in told


@pytest.mark.slow
def test_every_format_of_the_same_rows(tmp_path):
    made = streams.noisy(300, 6)
    y = np.where(made.y > 0, 1, 0)
    dump_svmlight_file(made.X, y, str(tmp_path / "d.svm"), zero_based=False)
    np.savez(tmp_path / "d.npz", X=made.X, y=y)
    output("run", tmp_path / "d.svm", "-a", "PAA-II", "--save", tmp_path / "m")
    by_lines = table(output("predict", tmp_path / "m", tmp_path / "d.svm"))
    assert by_lines["prediction"] == table(output("predict", tmp_path / "m", tmp_path / "d.npz"))["prediction"]
    assert set(by_lines["prediction"]) == {"0", "1"}


def test_texts_and_nested_objects_need_no_options_again(tmp_path):
    lines = [
        {"body": {"words": f"{word} again"}, "id": n, "label": word} for n, word in enumerate(["ham", "spam"] * 40)
    ]
    path = tmp_path / "d.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    output("run", path, "-a", "PAA-II", "--drop", "id", "--save", tmp_path / "m")
    path.write_text("\n".join(json.dumps({"body": line["body"], "id": {"x": 3}}) for line in lines))
    told = table(output("predict", tmp_path / "m", path, "--keep", "id.x"))
    assert told["prediction"] == ["ham", "spam"] * 40
    assert set(told["id.x"]) == {"3"}


def test_a_shuffled_run_remembers_its_columns(tmp_path):
    path = write_csv(tmp_path / "d.csv", np.eye(4).repeat(20, axis=0), ["a"] * 40 + ["b"] * 40)
    output("run", path, "-a", "PAA-II", "--shuffle", 3, "--save", tmp_path / "m")
    assert set(table(output("predict", tmp_path / "m", path))["prediction"]) == {"a", "b"}


def test_many_classes_have_a_score_each_or_one(tmp_path):
    made = streams.several(rows=200)
    path = write_csv(tmp_path / "d.csv", made.X, made.y)
    output("run", path, "-a", "MPAA-II", "--save", tmp_path / "m")
    told = table(output("predict", tmp_path / "m", path))
    learner = askance.load(tmp_path / "m")
    scores = np.sort(learner.decision_function(made.X), axis=1)
    assert told["prediction"] == [str(label) for label in learner.predict(made.X)]
    assert np.allclose(numbers(told["doubt"]), 1 / (1 + scores[:, -1] - scores[:, -2]), rtol=1e-4)


def test_kept_columns_of_parquet_keep_their_types(tmp_path):
    frame = pandas.DataFrame(
        {"x": [1.0, -1.0] * 30, "id": range(60), "when": ["2024-01-01"] * 60, "label": ["a", "b"] * 30}
    )
    frame["when"] = pandas.to_datetime(frame["when"])
    frame.to_parquet(tmp_path / "d.parquet")
    output(
        "run", tmp_path / "d.parquet", "-a", "PAA-II", "--drop", "id", "--drop", "when", "--save", tmp_path / "m"
    )
    words = ("--keep", "id", "--keep", "when", "-o", tmp_path / "out.parquet")
    output("predict", tmp_path / "m", tmp_path / "d.parquet", *words)
    found = parquet.read_table(tmp_path / "out.parquet")
    assert str(found.schema.field("id").type) == "int64"
    assert str(found.schema.field("when").type).startswith("timestamp")
    assert found["id"].to_pylist() == list(range(60))


def test_kept_numbers_of_parquet_are_not_rounded(tmp_path):
    data = write_csv(tmp_path / "d.csv", [[1.0], [-1.0]] * 30, ["a", "b"] * 30)
    model, rows = saved_model(data), tmp_path / "rows.parquet"
    kept = {
        "customer": pyarrow.array([10000001.0, 1e20, None]),
        "amount": pyarrow.array([1234567.89, 0.123456789, 99999.995]),
        "tenth": pyarrow.array([0.1, None, 0.3], pyarrow.float32()),
        "number": pyarrow.array([10000001, None, 7]),
    }
    parquet.write_table(pyarrow.table({"x0": [1.0, -1.0, 1.0], **kept}), rows)
    words = ("predict", model, rows, *(word for name in kept for word in ("--keep", name)))
    told = table(output(*words))
    assert told["customer"] == ["10000001.0", "1e+20", ""]
    assert told["amount"] == ["1234567.89", "0.123456789", "99999.995"]
    assert told["tenth"] == ["0.1", "", "0.3"]
    assert told["number"] == ["10000001", "", "7"]
    assert max(map(len, told["score"])) <= len("-0.123456")
    output(*words, "-o", tmp_path / "out.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [line["customer"] for line in lines] == [10000001.0, 1e20, None]
    assert [line["tenth"] for line in lines] == [0.1, None, 0.3]
    assert [line["number"] for line in lines] == [10000001, None, 7]


def test_keeping_a_column_of_a_damaged_file(tmp_path, model):
    (tmp_path / "rows.parquet").write_bytes(b"PAR1 and no more")
    said = complaint("predict", model, tmp_path / "rows.parquet", "--keep", "x0")
    assert said.startswith(f"{tmp_path / 'rows.parquet'}: is not a Parquet file, or is damaged")


# ---------------------------------------------------------------------- the automatic learner


@pytest.mark.compiled
def test_raw_tables_with_probabilities(tmp_path):
    first, new = write_customers(tmp_path / "first.csv", 500), write_customers(tmp_path / "new.csv", 400, 7)
    output("run", first, "--rate", 0.1, "--save", tmp_path / "m")
    told = table(output("predict", tmp_path / "m", new, "--keep", "customer", "--keep", "label"))
    assert list(told) == ["row", "customer", "label", "prediction", "p(leaves)", "p(stays)", "doubt"]
    learner = askance.load(tmp_path / "m")
    (chunk,) = read_for_model(tmp_path / "m", new, chunk_rows=5000)
    expected = learner.predict_proba(chunk.X)
    assert np.allclose(numbers(told["p(leaves)"]), expected[:, 0], rtol=1e-4, atol=1e-6)
    assert np.allclose(numbers(told["doubt"]), expected.min(axis=1), rtol=1e-4, atol=1e-6)
    assert told["prediction"] == learner.predict(chunk.X).tolist()
    assert told["prediction"] == learner.predict(read_for_model(tmp_path / "m", new)).tolist()
    assert np.mean(np.array(told["label"]) == told["prediction"]) > 0.82


@pytest.mark.compiled
def test_more_classes_than_columns_have_the_probability_of_the_predicted_one(tmp_path):
    rng = np.random.default_rng(0)
    y = np.arange(360) % 12
    path = write_csv(tmp_path / "d.csv", np.eye(12)[y] + rng.normal(size=(360, 12)) / 5, [f"c{n}" for n in y])
    output("run", path, "--rate", 0.5, "--save", tmp_path / "m")
    told = table(output("predict", tmp_path / "m", path))
    assert list(told) == ["row", "prediction", "probability", "doubt"]
    assert np.allclose(numbers(told["probability"]), 1 - numbers(told["doubt"]), atol=1e-5)


@pytest.mark.compiled
def test_a_model_of_the_library_with_its_reading(tmp_path):
    records = customers(300)
    stream = read_table(pandas.DataFrame(records))
    learner = askance.AutoLearner(rate=0.3)
    for chunk in stream:
        learner.run(chunk.X, chunk.y)
    learner.save(tmp_path / "m")
    add_reading(tmp_path / "m", stream)
    path = write_customers(tmp_path / "new.csv", 100, 3)
    assert table(output("predict", tmp_path / "m", path))["row"] == [str(row) for row in range(100)]


# ---------------------------------------------------------------------- what it refuses


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["{model}", "nowhere.csv"], "nowhere.csv: there is no such file: check the path"),
        (["nowhere.model", "{data}"], "nowhere.model cannot be read: No such file"),
        (["{data}", "{data}"], "mails.csv is not an askance model"),
        (["{model}", "{data}", "-o", "{new}/out.xlsx"], "the name must end in .csv or .jsonl or .parquet"),
        (["{model}", "{data}", "-o", "{data}"], "mails.csv: would overwrite the data: choose another name"),
        (["{model}", "{data}", "--keep", "nothing"], "no column 'nothing' to keep; there are 'x0', 'x1'"),
        (["{model}", "{data}", "--keep", "label", "--keep", "label"], "--keep label is given twice: remove one"),
        (["{model}", "{data}", "--json"], "--json prints a summary, so the predictions need a file: give --out"),
        (["{model}", "{new}/less.csv"], "no column 'x1', which the model has learned from; there are 'x0'"),
        (["{model}", "{new}/words.csv"], "line 2, column 'x0': 'many' is not a number, but the model has learned"),
        (["{model}", "{new}/row.csv", "--keep", "row"], "--keep row: the predictions have a column of this name"),
        (["{model}", "{new}/short.csv"], "line 3: has 1 cell but the header has 6"),
        (["{model}", "{new}/header.csv"], "header.csv: has no rows: check how it was created"),
        (["{model}", "{new}/empty.csv"], "empty.csv: is empty: check how it was made"),
        (["{model}", "{new}/a.svm"], "the model has learned from columns, such as 'x0', 'x1', 'x2': give CSV"),
    ],
)  # fmt: skip
def test_mistakes_get_one_line_and_leave_nothing_behind(data, model, tmp_path, words, said):
    header = "x0,x1,x2,x3,x4,x5\n"
    files = {
        "less.csv": "x0,label\n1,2\n",
        "words.csv": header + "many,1,1,1,1,1\n",
        "row.csv": "row,x0\n1,2\n",
        "short.csv": header + "1,1,1,1,1,1\n1\n",
        "header.csv": header,
        "empty.csv": "",
        "a.svm": "1 1:1\n",
    }
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    places = {"model": model, "data": data, "new": tmp_path}
    assert said in complaint("predict", *(word.format(**places) for word in words))
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(files)


def test_a_file_that_is_wrong_further_down_leaves_the_old_predictions(data, model, tmp_path):
    broken, out = tmp_path / "broken.csv", tmp_path / "out.csv"
    broken.write_text(data.read_text() + "1,2,3,4,5,what,ham\n")
    out.write_text("as before")
    assert f"line {ROWS + 2}, column 'x5': 'what' is not a number" in complaint(
        "predict", model, broken, "-o", out
    )
    assert out.read_text() == "as before"


def test_other_kinds_of_models(tmp_path, data):
    ratings = tmp_path / "ratings.csv"
    rows = [f"u{n % 7},i{n % 5},{n % 3 + 1}" for n in range(60)]
    ratings.write_text("\n".join(["user,item,rating", *rows]))
    output("ratings", "fit", ratings, "--out", tmp_path / "m", "--rank", 1)
    said = complaint("predict", tmp_path / "m", data)
    assert "holds a MaxMarginFactorization, which does not predict classes of rows" in said


def test_sparse_rows_of_other_widths(tmp_path):
    X = sp.csr_array(np.eye(5).repeat(20, axis=0))
    dump_svmlight_file(X, np.arange(100) // 20 % 2, str(tmp_path / "d.svm"), zero_based=False)
    output("run", tmp_path / "d.svm", "-a", "PAA-II", "--save", tmp_path / "m")
    (tmp_path / "wide.svm").write_text("0 2:1 900:4\n")
    (tmp_path / "narrow.svm").write_text("0 2:1\n")
    told = [table(output("predict", tmp_path / "m", tmp_path / f"{name}.svm")) for name in ("wide", "narrow")]
    assert told[0] == told[1]


# ---------------------------------------------------------------------- the guide


@pytest.mark.slow
@pytest.mark.compiled
def test_the_commands_of_the_guide_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for month, name in enumerate(("january", "february", "march")):
        write_customers(tmp_path / f"{name}.csv", 300, month)
    (tmp_path / "incoming.csv").write_bytes((tmp_path / "march.csv").read_bytes())
    page = (ROOT / "docs" / "guides" / "predict.md").read_text()
    ran = []
    for line in re.findall(r"^\$ (.*)$", page, flags=re.MULTILINE):
        before, pipe, command = line.rpartition("| ")
        words = command.partition(" > ")[0].split()
        given = None
        if pipe:  # what zcat and tail would write
            given = (tmp_path / f"{re.search('(march|incoming)', before)[0]}.csv").read_bytes()
        output(*words[1:], stdin=given)
        ran.append(words[1])
    assert ran == ["run", "evaluate", "predict", "evaluate", "predict", "predict"]
    header, first = (tmp_path / "predictions.csv").read_text().splitlines()[:2]
    assert header in page
    assert first.startswith("0,C100000,")
