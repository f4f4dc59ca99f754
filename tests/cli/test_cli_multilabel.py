"""`askance run --multilabel`: rows that carry several labels each."""

import csv
import io
import json

import numpy as np
import pytest

import askance
from command_line import answer, complaint, output

pytestmark = [pytest.mark.plain, pytest.mark.compiled]
WORDS = {"law": "court judge trial", "money": "bank price market", "sport": "match goal team"}


@pytest.fixture(scope="module")
def news(tmp_path_factory):
    """Short texts about none, one or several topics."""
    random = np.random.default_rng(0)
    lines = []
    for _ in range(500):
        topics = [topic for topic in WORDS if random.random() < 0.35]
        words = [word for topic in topics for word in random.choice(WORDS[topic].split(), 3)]
        words += random.choice(["the", "of", "day", "week", "said", "new", "people", "year"], 6).tolist()
        lines.append({"text": " ".join(random.permutation(words)), "topics": topics})
    path = tmp_path_factory.mktemp("news") / "news.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    table = path.with_suffix(".csv")
    table.write_text("\n".join(["text,topics", *(f"{line['text']},{'|'.join(line['topics'])}" for line in lines)]))
    return path


def test_results_as_json(news):
    told = answer("run", news, "--multilabel", "--rate", "0.2", "--against", "random,full")
    ours, random, full = told["methods"]
    assert (told["rows"], told["labels"]) == (500, ["law", "money", "sport"])
    assert ours["pairs"] == 1500
    assert ours["asked"] <= 30 + 0.2 * 1500
    assert full["share_asked"] == 1
    assert ours["metrics"]["micro_f"] > 0.85
    assert full["metrics"]["micro_f"] > random["metrics"]["micro_f"]
    found = ours["estimates"]["micro_f"]
    assert found["low"] <= found["value"] <= found["high"]


def test_a_separator_and_lists_are_the_same(news):
    lists = answer("run", news, "--multilabel", "--questions", "items")
    cells = answer(
        "run",
        news.with_suffix(".csv"),
        "--multilabel",
        "--label",
        "topics",
        "--separator",
        "|",
        "--questions",
        "items",
    )
    assert lists["methods"] == cells["methods"]
    assert lists["methods"][0]["asked"] % 3 == 0


@pytest.fixture(scope="module")
def model(news):
    path = news.with_suffix(".model")
    assert f"Wrote the model to {path}." in output("run", news, "--multilabel", "--save", path)
    return path


def test_a_model_of_several_labels_is_not_taken_for_a_classifier(news, model):
    said = "news.model holds a MultiLabelLearner, which does not predict classes of rows"
    assert said in complaint("evaluate", model, news)
    assert said in complaint("run", news, "--resume", model)


def test_a_saved_model_knows_what_the_run_has_learned(news, model):
    rows = askance.data.read_multilabel(news)
    learner = askance.MultiLabelLearner()
    learner.run(rows.X, rows.Y)
    loaded = askance.load(model)
    assert loaded.classes_.tolist() == sorted(WORDS)
    assert np.array_equal(loaded.predict_proba(rows.X), learner.predict_proba(rows.X))
    assert np.array_equal(loaded.decision_function(rows.X), learner.decision_function(rows.X))
    assert loaded.predict_labels(news.with_suffix(".csv")) == learner.predict_labels(rows.X)


def test_predictions_are_those_of_the_library(news, model):
    rows = askance.data.read_multilabel(news)
    loaded = askance.load(model)
    told = list(csv.DictReader(io.StringIO(output("predict", model, news, "--keep", "topics"))))
    own = ["row", "topics", "labels", "p(law)", "p(money)", "p(sport)", "doubt"]
    assert list(told[0]) == own
    assert [json.loads(line["labels"]) for line in told] == loaded.predict_labels(rows.X)
    shares = loaded.predict_proba(rows.X)
    found = np.array([[float(line[name]) for name in own[3:6]] for line in told])
    assert np.allclose(found, shares, rtol=1e-5)
    assert np.allclose([float(line["doubt"]) for line in told], np.minimum(shares, 1 - shares).max(1), rtol=1e-4)
    right = [set(json.loads(line["labels"])) == set(json.loads(line["topics"])) for line in told]
    assert np.mean(right) > 0.6


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet"])
def test_labels_in_a_file_can_be_read_again(news, model, tmp_path, ending):
    path = tmp_path / f"labels{ending}"
    summary = answer("predict", model, news, "--out", path, "--json")
    rows = askance.data.read_multilabel(news)
    predicted = askance.load(model).predict_labels(rows.X)
    assert summary["rows"] == 500
    assert summary["labels"] == {name: sum(name in row for row in predicted) for name in sorted(WORDS)}
    assert predicted == askance.data.read_multilabel(path, label="labels").Y


def test_a_table_with_another_separator_is_read_as_the_model_has_read_its_own(news, model, tmp_path):
    told = output("predict", model, news.with_suffix(".csv"))
    assert told == output("predict", model, news)
    said = " ".join(output("predict", model, news, "-o", tmp_path / "x.csv").split())
    assert "news.jsonl: 500 rows with" in said
    assert "labels each:" in said


def test_of_many_labels_only_predicted_ones_have_a_probability(tmp_path):
    lines = [{"text": f"{name} {name}", "tags": [f"tag{name}"]} for name in "abcdefghijkl" * 12]
    path = tmp_path / "many.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    told = answer("run", path, "--multilabel", "--rate", "1", "--save", tmp_path / "many.model")
    assert told["written"] == {"model": str(tmp_path / "many.model")}
    output("predict", tmp_path / "many.model", path, "-o", tmp_path / "many.out.jsonl")
    found = [json.loads(line) for line in (tmp_path / "many.out.jsonl").read_text().splitlines()]
    assert list(found[0]) == ["row", "labels", "probabilities", "doubt"]
    assert all(len(line["labels"]) == len(line["probabilities"]) for line in found)
    assert all(share > 0.5 for line in found for share in line["probabilities"])
    assert sum(line["labels"] == row["tags"] for line, row in zip(found, lines, strict=True)) > 120


def test_rows_of_numbered_features(tmp_path):
    random = np.random.default_rng(1)
    X = random.normal(size=(300, 3)).round(3)
    lines = [
        f"{','.join(name for name, on in (('1', x[0] > 0), ('2', x[1] > 0.5)) if on)} "
        + " ".join(f"{place}:{value}" for place, value in enumerate(x, 1))
        for x in X
    ]
    path, bare = tmp_path / "rows.svm", tmp_path / "new.svm"
    path.write_text("\n".join(lines))
    bare.write_text("\n".join(f"0 {line.partition(' ')[2]}" for line in lines))
    output("run", path, "--multilabel", "--save", tmp_path / "rows.model")
    told = list(csv.DictReader(io.StringIO(output("predict", tmp_path / "rows.model", bare))))
    right = [
        json.loads(one["labels"]) == [name for name in line.partition(" ")[0].split(",") if name]
        for one, line in zip(told, lines, strict=True)
    ]
    assert np.mean(right) > 0.8


def test_the_summary(news):
    said = " ".join(output("run", news, "--multilabel", "--limit", "100", "--shuffle", "3").split())
    assert "news.jsonl: 500 rows with" in said
    assert "of 3 labels each: law, money, sport Columns: 1 text." in said
    assert "of the pairs of a row and a label, and reached a micro-F of" in said
    assert "Estimated from asked pairs alone: micro-F:" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--separator", "|"), "--separator is for rows with several labels: give --multilabel too"),
        (("--questions", "items"), "--questions is for rows with several labels: give --multilabel too"),
        (("--multilabel", "-a", "PAA-II"), "--multilabel has one method of its own: remove --algorithm"),
        (("--multilabel", "--metric", "f"), "--multilabel shows metrics of its own: remove --metric"),
        (("--multilabel", "--questions", "rows"), "--questions must be pairs or items, not rows"),
        (
            ("--multilabel", "--against", "PAA-II"),
            "--multilabel can be compared with random and full, not with PAA-II",
        ),
        (("--multilabel", "--label", "tags"), "no column 'tags': there are 'text', 'topics'"),
    ],
)
def test_what_cannot_be_done(news, words, said):
    assert said in complaint("run", news, *words)
