"""`askance run` without an algorithm: raw tables, by the learner that needs no settings."""

import json
import sys

import numpy as np
import pytest
from pyarrow import parquet

import askance
import streams
from askance.cli.contest import source
from askance.data import read_table
from askance.metrics import AskedTally
from command_line import answer, complaint, output, write_csv
from customer_table import customers, write_customers

# The forest and the linear models are too slow without machine code.
pytestmark = pytest.mark.compiled

ROWS = 2500  # more than a chunk


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_customers(tmp_path_factory.mktemp("data") / "customers.csv", ROWS)


def asked_in(path):
    return parquet.read_table(path)["asked"].to_numpy()


def larger_class(path):
    labels = [line.rpartition(",")[2] for line in path.read_text().splitlines()[1:]]
    return max(labels.count(label) for label in set(labels)) / len(labels)


def test_a_raw_table_with_everything_in_it(data):
    told = answer("run", data, "--rate", 0.05)
    (method,) = told["methods"]
    assert method["asked"] <= 30 + 0.05 * ROWS
    assert method["metrics"]["accuracy"] > larger_class(data) + 0.04
    assert method["metrics"]["auroc"] > 0.85
    assert (method["name"], method["rate"]) == ("auto", 0.05)
    kinds = {column["name"]: column["kind"] for column in told["columns"]}
    assert (kinds["income"], kinds["city"], kinds["comment"]) == ("number", "category", "text")
    assert (kinds["customer"], kinds["signup"]) == ("left out", "date")
    assert not any("wanted" in note or "Always" in note for note in told["notes"])


def test_the_report_says_what_it_did(data):
    told = " ".join(output("run", data, "--rate", 0.05).split())
    assert "Columns: 3 numbers, 1 category, 1 text, 1 date; left out: customer (all values differ), region" in told
    assert "customers.csv: leaves (positive) or stays" in told
    assert "auto asked for " in told


def test_confident_predictions_are_certified(tmp_path):
    random = np.random.default_rng(0)
    X = random.normal(size=(1500, 2))
    path = write_csv(tmp_path / "numbers.csv", X, np.where(X[:, 0] > 0, "yes", "no"))
    told = answer("run", path, "--certify", 0.05, "--against", "random")
    found = told["certificate"]
    assert found["certified"]
    assert (found["error"], found["missing"]) == (0.05, 0)
    assert found["members"] > 500
    assert any(note.startswith("Certified: of ") for note in told["notes"])
    assert answer("run", path)["certificate"] is None
    for more, words in ((["-a", "PAA-II"], "is for the automatic learner"), ([], "must be a share of the rows")):
        assert words in complaint("run", path, "--certify", 0.05 if more else 1, *more)


@pytest.mark.slow
def test_the_decisions_are_those_of_the_library(data, tmp_path):
    path = tmp_path / "trace.parquet"
    output("run", data, "--rate", 0.1, "--seed", 3, "--trace", path)
    (chunk,) = read_table(data, chunk_rows=ROWS)
    learner = askance.AutoLearner(rate=0.1, random_state=3, classes=["leaves", "stays"])
    trace = learner.run(chunk.X, chunk.y)
    written = parquet.read_table(path)
    assert written["asked"].to_numpy().tolist() == trace.asked.tolist()
    assert written["prediction"].to_numpy().tolist() == trace.predictions.tolist()


@pytest.mark.slow
def test_other_ways_of_asking_and_other_algorithms_beside_it(data):
    told = answer("run", data, "--rate", 0.1, "--against", "PAA-II,random,PA-II", "--limit", 150)
    methods = {method["name"]: method for method in told["methods"]}
    assert list(methods) == ["auto", "PAA-II", "random", "PA-II"]
    assert methods["random"]["audit"] == 1
    assert {name: method["asked"] <= 150 for name, method in methods.items()} == {
        "auto": True,
        "PAA-II": True,
        "random": True,
        "PA-II": False,
    }
    assert methods["PAA-II"]["update"] == "PassiveAggressive2(C=1.0)"
    scaled = answer("run", data, "--against", "PAA-II", "--intercept", 0.3, "--scaling", "tfidf")["methods"][1]
    assert (scaled["intercept"], scaled["scaling"]) == (0.3, "tfidf")
    assert all(method["rows"] == ROWS for method in methods.values())


def test_asking_for_all(tmp_path):
    data = write_customers(tmp_path / "c.csv", 300)
    told = answer("run", data, "--against", "full")
    assert told["methods"][1]["asked"] == 300
    assert "asking for all labels reached" in told["sentence"]


@pytest.mark.slow
def test_a_limit_is_kept_and_decisions_before_it_stay_the_same(data, tmp_path):
    free, limited = tmp_path / "free.parquet", tmp_path / "limited.parquet"
    output("run", data, "--trace", free)
    told = answer("run", data, "--limit", 60, "--trace", limited)
    assert told["methods"][0]["asked"] == 60
    without, within = asked_in(free), asked_in(limited)
    last = np.flatnonzero(without)[59]
    assert np.array_equal(within[: last + 1], without[: last + 1])
    assert not within[last + 1 :].any()
    assert told["methods"][0]["metrics"]["accuracy"] > larger_class(data)
    assert any(note.startswith("auto asked for all 60 labels that the limit allows") for note in told["notes"])
    rounds = parquet.read_table(limited)["round"].to_numpy()
    assert rounds.tolist() == list(range(ROWS))
    assert (told["methods"][0]["limit"], told["methods"][0]["refused"] > 0) == (60, True)


def test_a_saved_model_reads_the_next_file_as_it_has_read_the_first(tmp_path):
    """The second file has one city, no gaps and other rows, and would be read in another way by itself."""
    records = customers(1600)
    records[1100:] = [record for record in records[1100:] if record["city"] == "Oslo" and record["age"]]
    header = ",".join(records[0])
    lines = [",".join(map(str, record.values())) for record in records]
    files = {"first": lines[:1100], "second": lines[1100:], "whole": lines}
    for name, content in files.items():
        (tmp_path / f"{name}.csv").write_text("\n".join([header, *content]) + "\n")
    model, traces = tmp_path / "model", {name: tmp_path / f"{name}.parquet" for name in files}
    words = ("--rate", 0.1, "--seed", 2)
    output("run", tmp_path / "first.csv", *words, "--save", model, "--trace", traces["first"])
    output("run", tmp_path / "second.csv", "--resume", model, "--save", model, "--trace", traces["second"])
    output("run", tmp_path / "whole.csv", *words, "--trace", traces["whole"])
    both = np.concatenate([asked_in(traces["first"]), asked_in(traces["second"])])
    assert np.array_equal(both, asked_in(traces["whole"]))
    assert askance.load(model).spending_.rows == len(records)

    (tmp_path / "less.csv").write_text("income,label\n1,leaves\n2,stays\n")
    said = complaint("run", tmp_path / "less.csv", "--resume", model)
    assert "no column 'age', which the model has learned from; there are 'income', 'label'" in said
    said = complaint("run", tmp_path / "second.csv", "--resume", model, "--text", "city")
    assert said == "--resume reads columns as the model has read them before: remove --text"


def blobs(path, labels):
    centres = {"ham": (0, 0), "spam": (4, 0), "phish": (2, 4)}
    rng = np.random.default_rng(len(labels))
    return write_csv(path, [rng.normal(size=2) + centres[label] for label in labels], labels)


@pytest.fixture(scope="module")
def two_classes(tmp_path_factory):
    """A model of ham and spam."""
    folder = tmp_path_factory.mktemp("two")
    output("run", blobs(folder / "jan.csv", ["ham", "spam"] * 150), "--rate", 0.2, "--save", folder / "model")
    return folder / "model"


def test_a_model_that_goes_on_counts_rows_of_a_new_class(two_classes, tmp_path, monkeypatch):
    """Chunks without the new class, before and after its first label, count like the others."""
    monkeypatch.setattr(source, "CHUNK_ROWS", 50)
    labels = ["ham", "spam"] * 60 + ["ham", "phish", "spam"] * 40
    path, trace = blobs(tmp_path / "feb.csv", labels), tmp_path / "trace.parquet"
    told = answer("run", path, "--resume", two_classes, "--trace", trace, "--save", tmp_path / "model")
    assert (told["classes"], told["new_classes"]) == (["ham", "phish", "spam"], ["phish"])
    assert told["positive"] is None

    rows = parquet.read_table(trace).to_pydict()
    assert rows["y"] == labels
    assert "phish" in rows["prediction"]
    right = np.array([one == other for one, other in zip(rows["prediction"], rows["y"], strict=True)])
    (method,) = told["methods"]
    assert method["metrics"]["accuracy"] == right.mean()
    assert method["metrics"]["mistakes"] == (~right).sum()
    judge = AskedTally(many=True)
    judge.add(np.ones(len(right)), np.where(right, 1, -1), rows["asked"], rows["ask_probability"])
    assert method["estimates"] == {name: found.as_dict() for name, found in judge.estimates().items()}
    assert 0 <= min(rows["score"]) <= max(rows["score"]) <= 1  # leads, all of them
    assert "feb.csv: 3 classes: ham, phish, spam (new to the model: phish)\n" in output(
        "run", path, "--resume", two_classes
    )


def test_a_metric_of_two_classes_is_refused_before_a_new_class_is_learned(two_classes, tmp_path):
    path = blobs(tmp_path / "feb.csv", ["ham", "spam", "phish"] * 30)
    words = ("run", path, "--resume", two_classes, "--save", tmp_path / "model")
    assert "the metric 'auroc' is for two classes" in complaint(*words, "--metric", "auroc")
    assert "--positive is for two classes" in complaint(*words, "--positive", "spam")
    assert not (tmp_path / "model").exists()


def test_a_file_with_some_of_the_classes_of_a_model(two_classes, tmp_path):
    told = answer("run", blobs(tmp_path / "ham.csv", ["ham"] * 40), "--resume", two_classes)
    assert (told["classes"], told["new_classes"]) == (["ham", "spam"], [])
    numbers = write_csv(tmp_path / "numbers.csv", np.eye(2), [0, 1])
    said = complaint("run", numbers, "--resume", two_classes)
    assert "the labels are like 0, but the classes of the model are like 'ham'" in said


def test_a_pipe_with_a_new_class_is_refused(two_classes, tmp_path):
    path = blobs(tmp_path / "feb.csv", ["ham", "spam"] * 20 + ["phish"])
    words = ("run", "-", "--resume", two_classes, "--save", tmp_path / "model", "--trace", tmp_path / "t.parquet")
    assert complaint(*words, stdin=path.read_bytes()) == (
        "standard input: unknown class 'phish': the model knows 'ham', 'spam', and in a pipe it cannot learn of "
        "others: save the pipe to a file"
    )
    assert not (tmp_path / "model").exists()
    assert not (tmp_path / "t.parquet").exists()


@pytest.mark.slow
def test_many_classes(tmp_path):
    made = streams.several(rows=400)
    data = write_csv(tmp_path / "d.csv", made.X, np.array(["a", "b", "c", "d"])[made.y])
    told = answer("run", data, "--rate", 0.2, "--against", "MPAA-II", "--limit", 70)
    assert [method["name"] for method in told["methods"]] == ["auto", "MPAA-II"]
    assert told["classes"] == ["a", "b", "c", "d"]
    assert told["positive"] is None
    assert told["methods"][0]["metrics"]["accuracy"] > 0.5
    assert "the metric 'f' is for two classes" in complaint("run", data, "--metric", "f")
    assert "PAA-II is binary, but the file has more than two classes" in complaint(
        "run", data, "--against", "PAA-II"
    )


def test_texts_alone(tmp_path):
    rng = np.random.default_rng(0)
    lines = []
    for row in range(300):
        words = rng.choice(["the", "a", "of", "in", "on"], 4).tolist() + [("win", "see")[row % 2]] * 2
        lines.append(json.dumps({"text": " ".join(words), "label": "spam" if row % 2 == 0 else "ham"}))
    texts = tmp_path / "mails.jsonl"
    texts.write_text("\n".join(lines))
    assert answer("run", texts)["methods"][0]["metrics"]["accuracy"] > 0.85
    assert "Columns: 1 text." in output("run", texts)


@pytest.mark.slow
def test_svmlight_rows_that_grow_wider(tmp_path):
    wider = tmp_path / "d.svm"
    # A chunk of svmlight text is a megabyte.
    wider.write_text(
        "\n".join(f"{(-1) ** row} {row % 2 + 1}:1 {8 + row // 2500}:0.5 #{'.' * 400}" for row in range(3000))
    )
    told = answer("run", wider, "--rate", 0.01)
    assert told["columns"] is None
    assert told["methods"][0]["metrics"]["accuracy"] > 0.9


@pytest.mark.slow
def test_the_user_knows_better(data):
    words = ("--text", "city", "--text", "region", "--category", "age", "--date", "signup", "--drop", "comment")
    told = answer("run", data, *words)
    kinds = {column["name"]: column["kind"] for column in told["columns"]}
    assert (kinds["city"], kinds["region"], kinds["age"], kinds["signup"]) == ("text", "text", "category", "date")
    assert "comment" not in kinds


@pytest.mark.slow
def test_pairs_of_words_in_two_texts_beside_other_columns(tmp_path):
    """Only the order of two words in one of two texts tells the class."""
    rng = np.random.default_rng(0)
    lines = []
    for row in range(800):
        words = rng.permutation(["good", "not", "service", "food", "today"]).tolist()
        is_bad = words.index("not") < words.index("good")
        words.remove("not")
        words.insert(words.index("good") + (not is_bad), "not")
        record = {"title": "about the visit", "body": " ".join(words), "price": row % 17, "plan": "ab"[row % 2]}
        lines.append(json.dumps({**record, "label": "bad" if is_bad else "fine"}))
    path = tmp_path / "d.jsonl"
    path.write_text("\n".join(lines))
    texts = ("--text", "title", "--text", "body", "--rate", 0.2)
    without, within = (answer("run", path, *texts, *more)["methods"][0]["metrics"] for more in ((), ("--pairs",)))
    assert without["accuracy"] < 0.6
    assert within["accuracy"] > 0.9
    assert "Columns: 1 number, 1 category, 2 texts." in output("run", path, *texts)
    model, new = tmp_path / "m.model", tmp_path / "new.jsonl"
    output("run", path, *texts, "--pairs", "--save", model)
    new.write_text("\n".join(lines[:200]))
    assert answer("evaluate", model, new)["metrics"]["accuracy"]["value"] > 0.95


@pytest.mark.slow
def test_shuffling_and_classes(data):
    plain, shuffled = answer("run", data), answer("run", data, "--shuffle", 7)
    assert plain["methods"][0]["metrics"] != shuffled["methods"][0]["metrics"]
    assert plain["classes"] == answer("run", data, "--classes", "stays,leaves")["classes"]
    assert "unknown class 'leaves': the classes are 'goes', 'stays'" in complaint(
        "run", data, "--classes", "stays,goes"
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--burst", "3", "--rate", "0.1"], "--burst needs an algorithm of the catalog"),
        (["--dtype", "float32"], "auto always computes in float64: remove --dtype"),
        (["--intercept", "0.3"], "auto has an intercept and scales of its own: remove --intercept, or choose"),
        (["--scaling", "standard"], "auto has an intercept and scales of its own: remove --scaling, or choose"),
        (["--scaling", "standard", "--against", "random"], "auto has an intercept and scales of its own: remove"),
        (["--bound"], "--bound needs an algorithm that has a theorem"),
        (["--costs"], "--costs is for OMCSL algorithms"),
        (
            ["--param", "C=1"],
            "auto has no parameter 'C': its parameters are audit, certify, forget, limit, memory, rate",
        ),
        (["--param", "audit=0"], "--param audit must be greater than 0 and at most 1, not 0.0"),
        (["--param", "limit=2.5"], "--limit must be None or a whole number of at least 0, not 2.5"),
        (["--param", "memory=2.5"], "--param memory must be a whole number of at least 1, not 2.5"),
        (["--rate", "2"], "--rate must be a share of the rows"),
        (["--against", "auto"], "--against auto: this is the algorithm itself"),
        (["--zero-based"], "--zero-based is for svmlight files"),
        (["--shuffle", "-1"], "--shuffle -1: give a whole number, 0 or more"),
        (["--number", "size"], "{data}: no column 'size'; there are 'customer', "),
        (["--drop", "size"], "{data}: no column 'size' to drop"),
        (["-a", "PAA-II", "--number", "age"], "--number is for the automatic learner"),
        (
            ["-a", "PAA-II", "--date", "signup"],
            "--date is for the automatic learner: remove --date or --algorithm",
        ),
        (
            ["-a", "PAA-II", "--text", "city", "--text", "comment"],
            "only the automatic learner reads several columns",
        ),
        (["--date", "when"], "{data}: no column 'when'; there are 'customer', "),
        (
            ["--date", "region"],
            "{data}: column 'region' has 'EU', and nothing in its first rows is a date, such as "
            "2024-02-03 14:30 or 31.12.2025: check --date",
        ),
        (
            ["--number", "city"],
            "{data}: column 'city' has 'Oslo', and nothing in its first rows is a number: check --number",
        ),
        (["--text", "city", "--category", "city"], "{data}: column 'city' has two roles: give it only one"),
        (["--label", "age", "--number", "age"], "{data}: column 'age' has two roles: give it only one"),
    ],
)
def test_one_line_for_a_mistake(data, words, said):
    assert complaint("run", data, *words).startswith(said.replace("{data}", str(data)))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "is empty"),
        (
            "a,b\n1,2\n",
            "no label field: looked for 'label', 'y', 'class', 'target' among 'a', 'b': name it with --label",
        ),
        ("a;b\n1;2\n", "among 'a', 'b': name it with --label"),
        ("x,label\n1,a\n2,a\n", "has only one class, 'a': there is nothing to learn"),
        ("x,label\n1,a\ninf,b\n", "line 3, column 'x': inf is too large or infinite"),
        ("x,label\n1,a\n2\n", "line 3: has 1 cell but the header has 2"),
        ("x,label\n" + "1,a\n2,b\n" * 600 + "many,b\n", "line 1202, column 'x': 'many' is not a number"),
        (
            "x,label\n" + "".join(f"{row % 2},{row / 7}\n" for row in range(200)),
            "has more than 100 different labels (0.0,",
        ),
        (
            "x,label\n" + "".join(f"{row % 2},{row}\n" for row in range(1200)),
            "has more than 1,000 different labels (0, 1, 2",
        ),
    ],
)
def test_one_line_for_a_bad_file(tmp_path, content, said):
    path = tmp_path / "d.csv"
    path.write_text(content)
    told = complaint("run", path)
    assert told.startswith(str(path))
    assert said in told


def test_a_missing_package_is_told_before_the_work(data, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert complaint("run", data, "--trace", "t.parquet").startswith("Parquet needs pyarrow")


def test_svmlight_rows_need_not_have_all_columns_of_the_model(tmp_path):
    """The last columns of a file may be empty, and a model of a pipe has room for many."""
    lines = [f"{1 if row % 3 else -1} 1:{row % 3 + 0.5} 2:{row % 7} 9:1\n" for row in range(120)]
    short = [line.replace(" 9:1", "") for line in lines]
    (tmp_path / "all.svm").write_text("".join(lines))
    (tmp_path / "short.svm").write_text("".join(short))
    model = tmp_path / "m"
    for first in ([tmp_path / "all.svm"], ["-", "--format", "svmlight"]):
        stdin = None if len(first) == 1 else "".join(lines).encode()
        output("run", *first, "--save", model, "--rate", 0.5, stdin=stdin)
        told = answer("run", tmp_path / "short.svm", "--resume", model)
        assert told["methods"][0]["rows"] == 120
        assert answer("run", "-", "--format", "svmlight", "--resume", model, stdin="".join(short).encode())
