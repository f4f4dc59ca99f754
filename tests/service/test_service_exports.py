"""Exports as JSON lines, CSV, Parquet and a folder for Hugging Face: the same rows, and honest weights."""

import csv
import io
import itertools
import json
import random
import sys
import tracemalloc
import zipfile

import pytest
import yaml
from pyarrow import parquet

from askance.service import messages
from askance.service.settings import Asking
from askance.service.views import export, tables
from askance.service.views.card import Tally, card
from service_task import TaskRunner, settings
from service_world import TASK, World, items

WHAT = ("labels", "decisions", "items")
FORMULAS = ["=1+1", "+1+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\tx", "\rx", "＝1+1"]


@pytest.fixture
def world(tmp_path):
    world = World(tmp_path / "a.db")
    world.post(f"{TASK}/items", items('win, "cash"\nnow', "hello", "free", "later"))
    world.post(
        f"{TASK}/labels", {"labels": [{"item": 1, "label": "spam"}, {"item": 2, "label": "spam"}]}, "labeller"
    )
    world.post(f"{TASK}/corrections", {"item": 2, "label": "ham"})
    imported = {"text": "old", "label": "ham", "id": "o1", "source": "vendor 2024", "labeller": "Ann"}
    world.post(f"{TASK}/import", {"items": [imported]})
    yield world
    world.close()


def content(world, what, form, task=TASK):
    answer = world.call("GET", f"{task}/export/{what}?format={form}", role="read")
    assert answer.status_code == 200, answer.text
    return answer


def from_csv(world, what, task=TASK):
    return list(csv.DictReader(io.StringIO(content(world, what, "csv", task).text, newline="")))


def from_parquet(world, what, task=TASK):
    return parquet.read_table(io.BytesIO(content(world, what, "parquet", task).content)).to_pylist()


def from_lines(world, what, task=TASK):
    return [json.loads(line) for line in content(world, what, "jsonl", task).text.splitlines()]


def as_cell(value):
    """A value of Parquet as CSV has it."""
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


@pytest.mark.parametrize("what", WHAT)
def test_all_formats_hold_the_same_rows(world, what):
    rows = from_parquet(world, what)
    assert rows
    assert [{name: as_cell(value) for name, value in row.items()} for row in rows] == from_csv(world, what)
    lines = from_lines(world, what)
    assert [line["item"] for line in lines] == [row["item"] for row in rows]
    if what != "items":
        for name in ("weight", "ask_probability"):
            assert [line[name] for line in lines] == [row[name] for row in rows]


def test_labels_have_the_weights_of_their_questions(world):
    asked, corrected, imported = from_parquet(world, "labels")
    assert (asked["text"], asked["label"], asked["state"]) == ('win, "cash"\nnow', "spam", "learned")
    assert asked["weight"] == 1 / asked["ask_probability"] >= 1
    assert (asked["labeller"], asked["votes"], asked["corrected"]) == ("labeller", 1, False)
    assert (corrected["label"], corrected["corrected"]) == ("ham", True)
    assert (imported["ask_probability"], imported["weight"], imported["prediction"]) == (None, None, None)
    assert (imported["source"], imported["labeller"], imported["id"]) == ("vendor 2024", "Ann", "o1")


def test_a_question_without_a_coin_has_no_weight():
    def detail(probability, label="ham"):
        return messages.ItemDetail(1, 0.0, "learned", None, label, [], [], None, ask_probability=probability)

    for probability in (None, 0, 0.0):
        assert export.known_probability(detail(probability)) is None
        assert export.weight(detail(probability)) is None
    assert export.weight(detail(0.25, label=None)) is None, "there is no label to weigh"
    assert export.weight(detail(0.25)) == 4


def test_questions_that_are_chosen_on_lease(tmp_path):
    made = settings(questions=Asking("lease"))
    with TaskRunner(str(tmp_path / "a.db"), made) as runner:
        runner.decide(*(f"text {number}" for number in range(40)))
        asked = {}
        for _ in range(12):
            (question,) = runner.lease(count=1).questions
            runner.label(question.item, "ham")
            asked[question.item] = runner.detail(question.item)
        rows = [row for some in export.label_rows(runner.store, runner.task) for row in some]
        assert {row["item"] for row in rows} == asked.keys()
        assert {row["reason"] for row in rows} <= {"audit", "doubt"}
        for row in rows:
            probability = runner.detail(row["item"]).ask_probability
            assert (row["ask"], row["ask_probability"]) == (True, probability or None)
            assert row["weight"] == (1 / probability if probability else None)


def test_records_are_json_in_a_cell(world):
    path = "/api/tasks/records"
    world.post(f"{path}/items", {"items": [{"record": {"a": 1, "b": "ü"}}, {"record": {"other": None}}]})
    for row in (from_parquet(world, "decisions", path), from_csv(world, "decisions", path)):
        assert [json.loads(one["record"]) for one in row] == [{"a": 1, "b": "ü"}, {"other": None}]
    assert from_lines(world, "decisions", path)[0]["record"] == {"a": 1, "b": "ü"}


@pytest.mark.parametrize("text", FORMULAS)
def test_no_cell_of_a_csv_is_a_formula(text):
    (cell,) = list(csv.reader(io.StringIO(b"".join(one_cell(text)).decode(), newline="")))[1]
    assert cell == f"'{text}"


@pytest.mark.parametrize("text", ["-1", "+1", "-1.5e-3", "a=b", "1-2", "'=quoted", "", "mail@home"])
def test_other_cells_stay_as_they_are(text):
    lines = list(csv.reader(io.StringIO(b"".join(one_cell(text)).decode(), newline="")))
    assert (lines[1] or [""]) == [text]


def one_cell(text):
    return tables.csv_file([tables.Column("text", "string", "")], [[{"text": text}]])


def test_only_csv_changes_texts(world):
    world.post(f"{TASK}/items", items(*FORMULAS))
    assert [row["text"] for row in from_parquet(world, "decisions")[4:]] == FORMULAS
    assert [row["text"] for row in from_lines(world, "decisions")[4:]] == FORMULAS


# ---------------------------------------------------------------------- Hugging Face


def archive_of(world, what="labels"):
    return zipfile.ZipFile(io.BytesIO(content(world, what, "hf").content))


@pytest.mark.parametrize("what", WHAT)
def test_the_archive_has_a_table_and_a_card_that_names_it(world, what):
    archive = archive_of(world, what)
    assert archive.testzip() is None
    assert sorted(archive.namelist()) == ["README.md", "data/train.parquet"]
    table = parquet.read_table(io.BytesIO(archive.read("data/train.parquet")))
    assert table.to_pylist() == from_parquet(world, what)
    _, header, text = archive.read("README.md").decode().split("---\n", 2)
    told = yaml.safe_load(header)
    assert told["configs"] == [
        {"config_name": "default", "data_files": [{"split": "train", "path": "data/train.parquet"}]}
    ]
    assert told["task_categories"] == ["text-classification"]
    assert f"# {what} of spam" in text
    assert [line for line in text.splitlines() if line.startswith(f"| `{table.column_names[-1]}` |")]


def test_the_card_says_how_the_labels_were_chosen(world):
    text = world.call("GET", f"{TASK}/export/card", role="read").text
    rows = from_parquet(world, "labels")
    total = sum(row["weight"] for row in rows if row["weight"])
    assert "3 labels of the task `spam`, which has decided about 4 items" in text
    assert "asked for a label with a probability" in text
    assert "**To fit a model**, leave them out first." in text
    assert f"add up to {total:,.0f}, for\n4 items" in text
    assert "| vendor 2024 | 1 |" in text
    assert "| ham | 2 |" in text
    assert text == archive_of(world).read("README.md").decode().split("---\n", 2)[2].lstrip("\n")


def test_the_card_of_labels_without_a_coin_and_of_none():
    tally = Tally()
    label = {"label": "a|b", "weight": None, "state": "learned", "source": None}
    assert list(tally.counting([[label], [label | {"weight": 2.0}], [label | {"label": None}]]))
    told = card("labels", tables.ITEMS, settings(), 5, tally)
    assert "1 labels were asked for without a coin" in told
    assert r"| a\|b | 2 |" in told
    assert "weights" not in card("labels", tables.ITEMS, settings(), 0, Tally())


# ---------------------------------------------------------------------- limits


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet", "hf"])
@pytest.mark.parametrize("what", WHAT)
def test_an_empty_task_gives_an_empty_file(tmp_path, what, form):
    world = World(tmp_path / "a.db")
    answer = content(world, what, form)
    if form == "csv":
        assert len(answer.text.splitlines()) == 1
    if form == "parquet":
        assert parquet.read_table(io.BytesIO(answer.content)).num_rows == 0
    world.close()


def test_a_browser_gets_a_name_for_the_file(world):
    for form, ending in (("csv", "csv"), ("hf", "zip")):
        named = content(world, "labels", form).headers["content-disposition"]
        assert named == f'attachment; filename="spam-labels.{ending}"'


def test_formats_that_are_not_there(world):
    answer = world.call("GET", f"{TASK}/export/labels?format=xml")
    assert answer.status_code == 422
    assert "format" in answer.json()["error"]["message"]


@pytest.mark.parametrize("form", ["parquet", "hf"])
def test_without_pyarrow_one_sentence_says_what_to_install(world, form, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    answer = world.call("GET", f"{TASK}/export/labels?format={form}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "no_parquet")
    assert "Parquet needs pyarrow: pip install 'askance[parquet]'" in answer.json()["error"]["message"]
    assert content(world, "labels", "csv").text.startswith("item,id,")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("form", ["csv", "parquet", "hf"])
def test_memory_does_not_grow_with_the_rows(form):
    chance = random.Random(3)

    def batches(count):
        row = {column.name: None for column in tables.ITEMS} | {"item": 1, "weight": 1.0}
        return ([row | {"text": chance.randbytes(5000).hex()} for _ in range(20)] for _ in range(count))

    def pieces(count):
        if form == "csv":
            return tables.csv_file(tables.ITEMS, batches(count))
        whole = tables.parquet_file(tables.ITEMS, batches(count))
        return whole if form == "parquet" else tables.zip_file(whole, "data/train.parquet", lambda: "")

    sum(map(len, pieces(1)))  # imports
    tracemalloc.start()
    total = sum(map(len, pieces(100)))
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert used < total / 5


def test_an_export_sees_the_moment_it_began(tmp_path):
    with TaskRunner(str(tmp_path / "a.db")) as runner:
        runner.decide(*(f"text {number}" for number in range(5)))
        rows = export.decision_rows(runner.store, runner.task)
        first = next(rows)
        runner.decide("one more")
        assert len(list(itertools.chain(first, *rows))) == 5


def test_an_export_changes_nothing(world):
    before = world.state()
    for what, form in itertools.product(WHAT, ("csv", "parquet", "hf")):
        content(world, what, form)
    assert world.state() == before
