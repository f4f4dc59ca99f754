"""`askance run --labels-out`, which writes the labels that were asked for, and `--labels`, which reads them."""

import csv
import json
import re

import numpy as np
import pandas
import pytest
from sklearn.linear_model import LogisticRegression

import askance
import streams
from command_line import answer, complaint, mails, output, write_csv

ROWS = 3000  # more than a chunk


def table(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return mails(tmp_path_factory.mktemp("data") / "mails.csv", ROWS)


def numbered(path, rows=60, shift=0):
    """A small table with an id, without labels, and its labels by id."""
    made = streams.noisy(rows, 3)
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["mail", "x0", "x1", "x2"])
        writer.writerows([f"m{row + shift}", *map(float, x)] for row, x in enumerate(made.X))
    return {f"m{row + shift}": "spam" if label > 0 else "ham" for row, label in enumerate(made.y)}


def write_labels(path, labels, name="mail"):
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([name, "label"])
        writer.writerows(labels.items())
    return path


# ---------------------------------------------------------------------- --labels-out


def test_the_labels_that_were_asked_for_with_their_weights(data, tmp_path):
    out = tmp_path / "asked.csv"
    told = answer("run", data, "-a", "PAA-II", "--labels-out", out)
    made = streams.noisy(ROWS, 6)
    y = np.where(made.y > 0, "spam", "ham")
    trace = askance.make("PAA-II", classes=["ham", "spam"]).run(made.X.astype(np.float32), y)
    found = table(out)
    assert [int(line["row"]) for line in found] == np.flatnonzero(trace.asked).tolist()
    assert [line["label"] for line in found] == y[trace.asked].tolist()
    chances = np.array([float(line["probability"]) for line in found])
    assert np.allclose(chances, trace.ask_probabilities[trace.asked], rtol=1e-5)
    assert np.allclose([float(line["weight"]) for line in found], 1 / chances, rtol=1e-5)
    assert told["written"] == {"labels": str(out), "data card": str(tmp_path / "asked.card.md")}


def test_other_formats_hold_the_same(data, tmp_path):
    paths = [tmp_path / f"asked.{ending}" for ending in ("csv", "jsonl", "parquet")]
    for path in paths:
        output("run", data, "-a", "PAA-II", "--labels-out", path)
    frames = [
        pandas.read_csv(paths[0]),
        pandas.read_json(paths[1], lines=True),
        pandas.read_parquet(paths[2]),
    ]
    for frame in frames[1:]:
        assert frame["row"].tolist() == frames[0]["row"].tolist()
        assert frame["label"].tolist() == frames[0]["label"].tolist()
        assert np.allclose(frame["weight"], frames[0]["weight"], rtol=1e-5)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("more", [["-a", "PAA-II"], []])
def test_shuffled_rows_keep_their_numbers(more, tmp_path):
    made = streams.noisy(70, 3)
    path = write_csv(tmp_path / "mails.csv", made.X, ["spam" if label > 0 else "ham" for label in made.y])
    out = tmp_path / "asked.csv"
    output("run", path, *more, "--shuffle", 3, "--labels-out", out)
    found = table(out)
    numbers = [int(line["row"]) for line in found]
    assert numbers != sorted(numbers)
    assert len(set(numbers)) == len(numbers) > 10
    assert [line["label"] for line in found] == ["spam" if made.y[row] > 0 else "ham" for row in numbers]


def test_the_data_card_says_what_the_file_holds_and_its_example_runs(data, tmp_path, monkeypatch):
    out = tmp_path / "asked.csv"
    output("run", data, "-a", "PAA-II", "--labels-out", out)
    card = (tmp_path / "asked.card.md").read_text()
    found = table(out)
    assert card.startswith("# asked.csv\n")
    assert f"{len(found):,} labels of the 3,000 rows of `mails.csv`" in card
    assert f"| spam | {sum(line['label'] == 'spam' for line in found):,} |" in card
    assert f"add up to {sum(float(line['weight']) for line in found):,.0f}" in card
    (code,) = re.findall(r"```python\n(.*?)```", card, flags=re.DOTALL)
    code = code.replace('"…"', ", ".join(f'"x{number}"' for number in range(6)))
    code = code.replace('"mails.csv"', repr(str(data)))
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(code, names)
    made = streams.noisy(ROWS, 6)
    X = pandas.DataFrame(made.X, columns=[f"x{number}" for number in range(6)])
    assert (names["model"].predict(X) == np.where(made.y > 0, "spam", "ham")).mean() > 0.8
    direct = LogisticRegression()
    rows = [int(line["row"]) for line in found]
    weights = np.array([float(line["weight"]) for line in found])
    direct.fit(X.iloc[rows], [line["label"] for line in found], np.minimum(weights, 10 * np.median(weights)))
    assert np.allclose(direct.coef_, names["weighted"].coef_)


def test_the_card_reads_what_the_data_are(tmp_path):
    made = streams.noisy(80, 3)
    lines = [
        json.dumps({"x": x, "label": label})
        for (x, *_), label in zip(made.X.tolist(), made.y.tolist(), strict=True)
    ]
    (tmp_path / "mails.jsonl").write_text("\n".join(lines))
    pairs = zip(made.X.tolist(), made.y.tolist(), strict=True)
    (tmp_path / "mails.svm").write_text("".join(f"{label} 1:{x[0]}\n" for x, label in pairs))
    for name in ("mails.jsonl", "mails.svm"):
        output("run", tmp_path / name, "-a", "PAA-II", "--labels-out", tmp_path / "asked.jsonl")
        card = (tmp_path / "asked.card.md").read_text()
        assert ('rows = pandas.read_json("mails.jsonl", lines=True)\n' in card) == (name == "mails.jsonl")
        assert ("```python" in card) == (name == "mails.jsonl")
        assert card.endswith("\n")


@pytest.mark.slow
def test_ids_instead_of_numbers(tmp_path):
    labels = numbered(tmp_path / "mails.csv")
    frame = pandas.read_csv(tmp_path / "mails.csv")
    frame["label"] = list(labels.values())
    frame.to_csv(tmp_path / "labelled.csv", index=False)
    out = tmp_path / "asked.csv"
    told = answer("run", tmp_path / "labelled.csv", "--id", "mail", "--labels-out", out)
    assert [column["name"] for column in told["columns"]] == ["x0", "x1", "x2"]
    found = table(out)
    assert list(found[0]) == ["mail", "label", "probability", "weight"]
    assert all(labels[line["mail"]] == line["label"] for line in found)
    assert 'rows.merge(asked, on="mail")' in (tmp_path / "asked.card.md").read_text()


# ---------------------------------------------------------------------- --labels


def result(told):
    """What a run has found, without names of files and times."""
    (method,) = told["methods"]
    return {name: value for name, value in method.items() if name != "seconds"}


@pytest.mark.slow
def test_labels_of_another_file_are_as_good_as_those_of_the_file(tmp_path):
    labels = numbered(tmp_path / "mails.csv")
    backwards = dict(reversed(labels.items()))
    later = write_labels(tmp_path / "later.csv", backwards)
    frame = pandas.read_csv(tmp_path / "mails.csv")
    frame["label"] = list(labels.values())
    frame.to_csv(tmp_path / "labelled.csv", index=False)
    wanted = answer("run", tmp_path / "labelled.csv", "--drop", "mail")
    assert result(answer("run", tmp_path / "mails.csv", "--labels", later, "--id", "mail")) == result(wanted)
    by_number = write_labels(tmp_path / "rows.csv", dict(enumerate(labels.values())), "row")
    assert result(answer("run", tmp_path / "mails.csv", "--labels", by_number)) == result(wanted)
    piped = answer("run", "-", "--labels", later, "--id", "mail", stdin=(tmp_path / "mails.csv").read_bytes())
    assert result(piped) == result(wanted)


@pytest.mark.slow
def test_rows_and_labels_that_do_not_match_are_counted(tmp_path):
    labels = numbered(tmp_path / "mails.csv", 60)
    some = {name: label for name, label in labels.items() if int(name[1:]) % 2} | {"m999": "spam", "m5": ""}
    later = write_labels(tmp_path / "later.csv", some)
    told = answer("run", tmp_path / "mails.csv", "--labels", later, "--id", "mail", "--save", tmp_path / "m.model")
    note = "Rows without a label in later.csv, which were left out: 31. Labels there without a row: 1."
    assert note in told["notes"]
    assert told["methods"][0]["rows"] == 29
    assert "p(spam)" in output("predict", tmp_path / "m.model", tmp_path / "mails.csv")
    again = answer(
        "run", tmp_path / "mails.csv", "--resume", tmp_path / "m.model", "--labels", later, "--id", "mail"
    )
    assert again["methods"][0]["rows"] == 29


@pytest.mark.slow
def test_what_was_asked_for_can_be_learned_from_again(tmp_path):
    labels = numbered(tmp_path / "mails.csv")
    later = write_labels(tmp_path / "later.csv", labels)
    asked = tmp_path / "asked.csv"
    output("run", tmp_path / "mails.csv", "--labels", later, "--id", "mail", "--labels-out", asked)
    told = answer("run", tmp_path / "mails.csv", "--labels", asked, "--id", "mail", "--rate", 1)
    assert told["methods"][0]["rows"] == len(table(asked))


def test_what_is_refused(data, tmp_path):
    labels = numbered(tmp_path / "mails.csv")
    mail = tmp_path / "mails.csv"
    later = write_labels(tmp_path / "later.csv", labels)
    strangers = write_labels(tmp_path / "strangers.csv", {f"s{row}": "spam" for row in range(5)})
    said = complaint("run", mail, "--labels", strangers, "--id", "mail")
    assert said.startswith(f"{mail}: no row has a label in {strangers}: check that both identify rows")
    assert "no column 'row' with the numbers of rows, from 0; there are" in complaint(
        "run", mail, "--labels", later
    )
    assert "no column 'who' with the ids of rows" in complaint("run", mail, "--labels", later, "--id", "who")
    assert "no column 'who' that identifies rows" in complaint("run", data, "--id", "who")
    said = complaint("run", data, "-a", "PAA-II", "--labels", later)
    assert said == "--labels is for the automatic learner: remove --labels or --algorithm"
    assert "remove --id or --algorithm" in complaint("run", data, "-a", "PAA-II", "--id", "x0")
    assert "remove it, or --labels" in complaint(
        "run", mail, "--labels", later, "--id", "mail", "--against", "PAA-II"
    )
    assert "must end in .csv or .jsonl or .parquet" in complaint("run", data, "--labels-out", tmp_path / "a.txt")
    assert "would overwrite the data" in complaint(
        "run", mail, "--labels", later, "--id", "mail", "--labels-out", later
    )
    svmlight = tmp_path / "rows.svm"
    svmlight.write_text("1 1:2\n-1 1:3\n")
    assert "--labels is for tables" in complaint("run", svmlight, "--labels", later)
    assert not json.dumps(sorted(path.name for path in tmp_path.iterdir())).count("card")
