"""`askance pull`: the labels of a task in a file, with a data card."""

import csv
import json

import pytest
from pyarrow import parquet

import askance
from command_line import answer, complaint, output
from service_server import real_service
from service_world import SPAM


@pytest.fixture
def task(tmp_path, monkeypatch):
    """A service with two labels, and an interrupted answer or none."""
    with real_service(tmp_path / "store", SPAM) as (url, code):
        with askance.Client(url) as stranger:
            token = stranger.first_token(code).token
        monkeypatch.setenv("ASKANCE_URL", url)
        monkeypatch.setenv("ASKANCE_TOKEN", token)
        with askance.Client(url, token, task="spam") as client:
            decided = client.decide(["win", "see you"])
            client.label_all([(decided[0], "spam"), (decided[1], "ham")])
            client.import_items(["old"], ["ham"], source="vendor 2024")
            yield client


@pytest.fixture(autouse=True)
def folder(tmp_path):
    (tmp_path / "store").mkdir()


def test_labels_and_their_card(task, tmp_path):
    told = output("pull", tmp_path / "labels.csv", "--task", "spam")
    assert told.split() == (
        f"Wrote the labels to {tmp_path}/labels.csv and the data card to {tmp_path}/labels.card.md.".split()
    )
    with (tmp_path / "labels.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["text"], row["label"], row["source"]) for row in rows] == [
        ("win", "spam", ""),
        ("see you", "ham", ""),
        ("old", "ham", "vendor 2024"),
    ]
    assert (tmp_path / "labels.card.md").read_text() == task.data_card()


def test_every_format_and_what(task, tmp_path):
    told = answer("pull", tmp_path / "d.parquet", "--task", "spam", "--what", "decisions")
    assert told == {"task": "spam", "format": "parquet", "written": {"decisions": f"{tmp_path}/d.parquet"}}
    assert parquet.read_table(tmp_path / "d.parquet").column("text").to_pylist() == ["win", "see you"]
    answer("pull", tmp_path / "items.jsonl", "--task", "spam", "--what", "items")
    lines = (tmp_path / "items.jsonl").read_text().splitlines()
    assert [json.loads(line)["text"] for line in lines] == ["old", "see you", "win"]
    assert list(task.labels()) == [
        json.loads(line) for line in written(task, tmp_path / "l.jsonl").read_text().splitlines()
    ]


def written(client, path):
    client.export(path)
    return path


def test_a_folder_for_hugging_face_is_replaced_file_by_file(task, tmp_path):
    target = tmp_path / "spam-labels"
    told = answer("pull", target, "--task", "spam")
    assert told["format"] == "hf"
    (target / "own.txt").write_text("mine")
    task.import_items(["older"], ["spam"])
    answer("pull", target, "--task", "spam")
    assert parquet.read_table(target / "data" / "train.parquet").num_rows == 4
    assert "4 labels of the task" in (target / "README.md").read_text()
    assert (target / "own.txt").read_text() == "mine"
    assert sorted(path.name for path in target.rglob("*")) == ["README.md", "data", "own.txt", "train.parquet"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("labels.xlsx",), "the name must end in .jsonl, .csv, .parquet, .zip, or have no ending for a folder"),
        (("l.csv", "--what", "votes"), "'votes' cannot be exported: give one of labels, decisions, items"),
        (("none/l.csv",), "none"),
    ],
)
def test_what_cannot_be_written_gets_a_sentence(task, tmp_path, monkeypatch, words, said):
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    assert said in complaint("pull", *words, "--task", "spam")
    assert sorted(tmp_path.iterdir()) == before


def test_an_unknown_task_leaves_no_file(task, tmp_path):
    (tmp_path / "l.csv").write_text("before")
    assert "there is no task 'other'" in complaint("pull", tmp_path / "l.csv", "--task", "other")
    assert (tmp_path / "l.csv").read_text() == "before"
