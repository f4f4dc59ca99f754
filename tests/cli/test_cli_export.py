"""`askance export`: what it writes, and what it refuses."""

import json

import joblib
import numpy as np
import pytest

import askance
import streams
from command_line import answer, complaint, mails, output
from needs import missing

ROWS = 300


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    data = mails(tmp_path_factory.mktemp("data") / "mails.csv", ROWS)
    path = data.with_name("mails.model")
    output("run", data, "-a", "PAA-II", "--save", path)
    return path


@pytest.fixture(scope="module")
def automatic(tmp_path_factory):
    made = streams.noisy(60, 3)
    path = tmp_path_factory.mktemp("data") / "auto.model"
    learner = askance.AutoLearner(rate=0.3)
    learner.run(made.X, made.y)
    learner.save(path)
    return path


def test_json_goes_to_stdout_with_the_names_of_columns(model, tmp_path):
    told = json.loads(output("export", model, "--to", "json"))
    weights = askance.load(model).coef_[0]
    assert told["scores"][0]["class"] == "spam"
    assert list(told["scores"][0]["weights"]) == [f"x{number}" for number in range(6)]
    assert np.allclose(list(told["scores"][0]["weights"].values()), weights)
    assert "the weights" in output("export", model, "--to", "json", "-o", tmp_path / "mails.json")
    assert json.loads((tmp_path / "mails.json").read_text()) == told


def test_an_estimator_of_scikit_learn(model, tmp_path):
    path = tmp_path / "mails.joblib"
    said = " ".join(output("export", model, "--to", "sklearn", "-o", path).split())
    assert said.startswith("Wrote a scikit-learn estimator, which predicts the same, to ")
    X = streams.noisy(ROWS, 6).X
    assert (joblib.load(path).predict(X) == askance.load(model).predict(X)).all()


@pytest.mark.slow
def test_a_model_that_was_fitted_again(automatic, tmp_path):
    path = tmp_path / "auto.joblib"
    count = askance.load(automatic).spending_.asked
    told = answer("export", automatic, "--to", "sklearn", "-o", path)
    assert told["what"] == f"a scikit-learn model, fitted to the {count} labelled rows that the learner remembers,"
    assert joblib.load(path).classes_.tolist() == [-1, 1]


@pytest.mark.slow
def test_rows_for_vowpal_wabbit(automatic, tmp_path):
    lines = output("export", automatic, "--to", "vw").splitlines()
    assert len(lines) == askance.load(automatic).spending_.asked
    assert {line.split(" | ")[0] for line in lines} == {"1", "-1"}
    told = answer("export", automatic, "--to", "vw", "-o", tmp_path / "rows.vw")
    assert told["what"] == f"{len(lines)} labelled rows"
    assert (tmp_path / "rows.vw").read_text().splitlines() == lines


def test_an_onnx_model(model, tmp_path):
    try:
        import onnx
    except ImportError:
        missing("the export to ONNX", "onnx")
    path = tmp_path / "mails.onnx"
    assert "an ONNX model, which predicts the same, to" in " ".join(
        output("export", model, "--to", "onnx", "-o", path).split()
    )
    made = onnx.load(path)
    assert [each.name for each in made.graph.output] == ["label", "scores"]
    about = {each.key: json.loads(each.value) for each in made.metadata_props}
    assert about == {"classes": ["ham", "spam"], "columns": [f"x{number}" for number in range(6)]}


def test_onnx_names_the_package_that_it_needs(model, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "onnx", None)
    said = complaint("export", model, "--to", "onnx", "-o", tmp_path / "mails.onnx")
    assert said == "ONNX needs onnx: pip install 'askance[onnx]'"


def test_what_cannot_be_written(model, automatic, tmp_path):
    assert complaint("export", model, "--to", "pmml").startswith("--to pmml: the formats are sklearn, onnx,")
    assert complaint("export", model, "--to", "sklearn") == "--to sklearn is not text: give --out too"
    assert "give --out too" in complaint("export", model, "--to", "json", "--json")
    assert "would overwrite the data" in complaint("export", model, "--to", "json", "-o", model)
    assert "only AutoLearner remembers them" in complaint("export", model, "--to", "vw")
    out = tmp_path / "out.joblib"
    data = mails(tmp_path / "mails.csv", ROWS)
    output("run", data, "-a", "SOP", "--save", tmp_path / "sop.model")
    said = complaint("export", tmp_path / "sop.model", "--to", "sklearn", "-o", out)
    assert said.startswith("SecondOrderPerceptron has no weights that alone decide its predictions")
    assert not out.exists()
    (tmp_path / "no.model").write_text("nothing")
    assert "is not an askance model" in complaint("export", tmp_path / "no.model", "--to", "json")
