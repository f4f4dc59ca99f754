"""`askance run --multilabel`: rows that carry several labels each."""

import json

import numpy as np
import pytest

import askance
from command_line import answer, complaint, output

pytestmark = pytest.mark.compiled  # the models are too slow without machine code
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


def test_a_model_of_several_labels_is_not_taken_for_a_classifier(news, tmp_path):
    rows = askance.data.read_multilabel(news)
    askance.MultiLabelLearner().fit(rows.X, rows.Y).save(tmp_path / "topics.model")
    said = "topics.model holds a MultiLabelLearner, which does not predict classes of rows"
    assert said in complaint("predict", tmp_path / "topics.model", news)
    assert said in complaint("run", news, "--resume", tmp_path / "topics.model")


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
