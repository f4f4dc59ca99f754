"""`askance evaluate`: the figures of a saved model on a labelled file."""

import json

import numpy as np
import pandas
import pytest
from sklearn import metrics as judge
from sklearn.datasets import dump_svmlight_file

import askance
import streams
from askance.cli.commands.evaluate.work import as_classes
from askance.data import read_for_model
from command_line import answer, complaint, mails, output, saved_model, write_csv
from customer_table import write_customers


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return mails(tmp_path_factory.mktemp("data") / "mails.csv", 2500)


@pytest.fixture(scope="module")
def model(data):
    return saved_model(data)


@pytest.fixture(scope="module")
def labels(data, model):
    """The labels of the file, and what the model says."""
    learner, made = askance.load(model), streams.noisy(2500, 6)
    y = np.where(made.y > 0, "spam", "ham")
    return y, learner.predict(made.X), learner.decision_function(made.X)


def test_the_figures_of_two_classes(data, model, labels):
    y, predicted, scores = labels
    told = answer("evaluate", model, data, "--positive", "ham")
    values = {name: found["value"] for name, found in told["metrics"].items()}
    assert values == pytest.approx(
        {
            "accuracy": judge.accuracy_score(y, predicted),
            "f": judge.f1_score(y, predicted, pos_label="ham"),
            "precision": judge.precision_score(y, predicted, pos_label="ham"),
            "recall": judge.recall_score(y, predicted, pos_label="ham"),
            "auroc": judge.roc_auc_score(y == "spam", scores),
        },
        rel=1e-3,
    )
    assert all(found["low"] < found["value"] < found["high"] for found in told["metrics"].values())
    assert told["confusion"] == judge.confusion_matrix(y, predicted).tolist()
    assert (told["rows"], told["classes"], told["positive"]) == (2500, ["ham", "spam"], "ham")
    assert told["of_classes"]["spam"]["f"] == pytest.approx(judge.f1_score(y, predicted, pos_label="spam"))


def test_the_report_fits_80_columns_and_names_the_positive_class(data, model):
    told = output("evaluate", model, data)
    assert "mails.csv: 2,500 rows, 2 classes: ham, spam" in told
    assert "F of 'spam'" in told
    assert "recall of 'spam'" in told
    assert "true class \\ predicted" in told
    assert all(len(line) <= 80 for line in told.splitlines())


def test_the_rarer_class_is_positive(tmp_path):
    rng = np.random.default_rng(0)
    y = np.where(rng.random(600) < 0.1, "fraud", "ok")
    path = write_csv(
        tmp_path / "d.csv", np.column_stack([y == "fraud", np.ones(600)]) + rng.normal(size=(600, 2)) / 3, y
    )
    output("run", path, "-a", "PAA-II", "--save", tmp_path / "m")
    assert answer("evaluate", tmp_path / "m", path)["positive"] == "fraud"
    assert "F of 'fraud'" in output("evaluate", tmp_path / "m", path)


@pytest.mark.compiled
def test_probabilities_are_judged_too(tmp_path):
    first, new = write_customers(tmp_path / "first.csv", 500), write_customers(tmp_path / "new.csv", 400, 7)
    output("run", first, "--rate", 0.2, "--save", tmp_path / "m")
    told = answer("evaluate", tmp_path / "m", new)
    (chunk,) = read_for_model(tmp_path / "m", new, label=None)
    p = askance.load(tmp_path / "m").predict_proba(chunk.X)
    assert told["metrics"]["log_loss"]["value"] == pytest.approx(judge.log_loss(chunk.y, p))
    assert told["metrics"]["auroc"]["value"] == pytest.approx(judge.roc_auc_score(chunk.y, p[:, 1]), rel=1e-3)
    assert 0 < told["metrics"]["calibration_error"]["value"] < 0.3
    assert told["positive"] == "leaves"
    assert told["metrics"]["accuracy"]["value"] > 0.8
    note = told["metrics"]["calibration_error"]["note"]
    assert f"calibration error: {note}" in " ".join(output("evaluate", tmp_path / "m", new).split())


@pytest.mark.parametrize("count", [5, 12])
def test_many_classes_fit_80_columns(tmp_path, count):
    rng = np.random.default_rng(0)
    y = np.arange(360) % count
    names = [f"a rather long name of class {n}" for n in range(count)]
    X = np.eye(count)[y] + rng.normal(size=(360, count)) / 1.5
    path = write_csv(tmp_path / "d.csv", X, [names[n] for n in y])
    output("run", path, "-a", "MPAA-II", "--save", tmp_path / "m")
    told = output("evaluate", tmp_path / "m", path)
    assert all(len(line) <= 80 for line in told.splitlines())
    assert ("confused most: true class" in told) == (count == 12)
    assert "F of" not in told
    of_one = answer("evaluate", tmp_path / "m", path, "--positive", names[3])
    assert of_one["positive"] == names[3]
    assert of_one["metrics"]["f"]["value"] == of_one["of_classes"][names[3]]["f"]


def test_numbers_of_svmlight_are_classes(tmp_path):
    made = streams.noisy(300, 6)
    dump_svmlight_file(made.X, made.y > 0, str(tmp_path / "d.svm"), zero_based=False)
    output("run", tmp_path / "d.svm", "-a", "PAA-II", "--save", tmp_path / "m")
    told = answer("evaluate", tmp_path / "m", tmp_path / "d.svm", "--positive", "0")
    assert (told["rows"], told["positive"], told["rows_of_unknown_classes"]) == (300, 0, 0)


def test_a_class_that_the_model_does_not_know(data, model, tmp_path):
    lines = data.read_text().splitlines()[:51]
    (tmp_path / "new.csv").write_text("\n".join([*lines[:-1], lines[-1].rpartition(",")[0] + ",eggs"]))
    told = output("evaluate", model, tmp_path / "new.csv")
    assert "One row has a class that the model does not know, which counts as a mistake" in " ".join(told.split())


def test_rows_of_a_class_that_the_model_does_not_know_lower_the_precision(data, model, labels, tmp_path):
    y, predicted, scores = labels
    renamed = np.where(np.arange(len(y)) % 5 == 0, "eggs", y)
    header, *lines = data.read_text().splitlines()
    rows = [f"{line.rpartition(',')[0]},{label}" for line, label in zip(lines, renamed, strict=True)]
    (tmp_path / "new.csv").write_text("\n".join([header, *rows]))
    told = answer("evaluate", model, tmp_path / "new.csv")
    for name, score in (
        ("precision", judge.precision_score),
        ("recall", judge.recall_score),
        ("f", judge.f1_score),
    ):
        expected = score(renamed, predicted, labels=["spam"], average="macro")
        assert told["metrics"][name]["value"] == pytest.approx(expected)
        assert told["of_classes"]["spam"][name] == pytest.approx(expected)
    counts = judge.confusion_matrix(renamed, predicted)  # eggs, ham, spam
    assert told["confusion"] == counts[1:, 1:].tolist()
    assert told["confusion_of_unknown_classes"] == counts[0, 1:].tolist()
    known = renamed != "eggs"
    area = judge.roc_auc_score(y[known] == "spam", scores[known])
    assert told["metrics"]["auroc"]["value"] == pytest.approx(area, rel=1e-3)
    printed = [line.split() for line in output("evaluate", model, tmp_path / "new.csv").splitlines()]
    assert ["other", "classes", *map(str, counts[0, 1:])] in printed


def test_classes_that_the_model_does_not_know_are_among_what_is_confused_most(tmp_path):
    y = np.arange(180) % 9
    path = write_csv(tmp_path / "d.csv", np.eye(9)[y], [f"class {n}" for n in y])
    output("run", path, "-a", "MPAA-II", "--save", tmp_path / "m")
    new = write_csv(tmp_path / "new.csv", np.eye(9)[[4] * 8], ["eggs"] * 8)
    predicted = answer("evaluate", tmp_path / "m", new)["confusion_of_unknown_classes"].index(8)
    told = [line.split() for line in output("evaluate", tmp_path / "m", new).splitlines()]
    assert ["other", "classes", "class", str(predicted), "8"] in told


def test_a_label_of_another_name(data, model, tmp_path):
    (tmp_path / "new.csv").write_text(data.read_text().replace("label", "kind", 1))
    assert "no label field 'label'; there are" in complaint("evaluate", model, tmp_path / "new.csv")
    told = answer("evaluate", model, tmp_path / "new.csv", "--label", "kind")
    assert told["metrics"] == answer("evaluate", model, data)["metrics"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["{data}", "--positive", "eggs"], "--positive must be one of 'ham', 'spam', not 'eggs'"),
        (["{new}"], "the labels are like 3, but the classes of the model are like 'ham'"),
    ],
)
def test_mistakes_get_one_line(data, model, tmp_path, words, said):
    new = tmp_path / "new.jsonl"
    new.write_text(json.dumps({**{f"x{n}": 1.5 for n in range(6)}, "label": 3}))
    assert said in complaint("evaluate", model, *(word.format(data=data, new=new) for word in words))


@pytest.mark.parametrize(
    ("classes", "labels", "found"),
    [
        ([False, True], ["True", "FALSE", "true"], [True, False, True]),
        (["False", "True"], [True, False], ["True", "False"]),
        ([0, 1], ["1", "0.0", " 1"], [1, 0, 1]),
        (["0", "1"], [1.0, 0.0], ["1", "0"]),
        (["007", "7"], [7.0], ["7"]),
        (["ham", "spam"], [3, 4], [3, 4]),
        ([0.0, 0.5], ["0.5", "eggs"], ["0.5", "eggs"]),
    ],
)
def test_labels_are_those_classes_that_are_written_alike(classes, labels, found):
    assert as_classes(np.array(labels), classes).tolist() == found


def test_a_table_of_booleans_in_another_format(tmp_path):
    frame = pandas.DataFrame({"x": [0.5, 2.5, 1.0, 3.0] * 20, "label": [False, True] * 40})
    frame.to_parquet(tmp_path / "b.parquet", index=False)
    frame.to_csv(tmp_path / "b.csv", index=False)
    for learned, other in (("b.parquet", "b.csv"), ("b.csv", "b.parquet")):
        output("run", tmp_path / learned, "--save", tmp_path / "m", "--rate", "0.5", "-q")
        assert answer("evaluate", tmp_path / "m", tmp_path / other)["metrics"]["accuracy"]["value"] > 0.9
