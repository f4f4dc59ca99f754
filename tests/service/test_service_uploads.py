"""Uploads: from the rows of a file to items, in parts, once, and after interruptions."""

import io
import json

import pyarrow
import pyarrow.parquet
import pytest

from askance.service.messages import LONGEST_TEXT
from askance.service.settings import Hashing, TaskSettings
from askance.service.uploads import upload
from uploading import MAILS, Restarted, Uploading, files, kinds_of, until
from workbooks import book_of


@pytest.fixture
def world(tmp_path):
    world = Uploading(tmp_path / "a.db")
    yield world
    world.close()


# ---------------------------------------------------------------------- from a file to items


def test_a_file_is_previewed_and_added(world):
    found = world.send(MAILS)
    assert found["state"] == "ready"
    assert kinds_of(found) == {"text": "text", "label": "label"}
    assert found["columns"][0]["values"] == [f"mail number {row}" for row in range(5)]
    assert (found["rows"], found["labelled"], found["known"], found["unknown"]) == (10, 5, 0, {})
    assert world.counts() == (0, 0), "nothing is added before somebody says so"
    done = world.add_all(found["upload"])
    assert (done["state"], done["handled"], done["added"], done["learned"]) == ("done", 10, 10, 5)
    assert world.counts() == (5, 5)
    items = world.items()
    assert {item["label"]: item["provenance"]["source"] for item in items if item["label"]} == {
        "spam": "mails.csv"
    }
    assert sorted(item["text"] for item in items) == [f"mail number {row}" for row in range(10)]
    assert all(item["record"] is None for item in items)
    assert files(world) == [], "the file is gone"


def test_labelled_rows_may_be_gold_items(world):
    found = world.send(MAILS)
    path = f"/api/tasks/any/uploads/{found['upload']}/rows?gold=true"
    refused = world.call("POST", path, role="ingest")
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "forbidden_role")
    begun = world.call("POST", "/api/tasks/any/uploads", {"name": "gold.csv", "size": len(MAILS)}).json()["upload"]
    world.part(begun, 0, MAILS.encode(), role="admin")
    until(lambda: world.show(begun, role="admin").json()["state"] == "ready")
    done = world.call("POST", f"/api/tasks/any/uploads/{begun}/rows?gold=true").json()
    while done["state"] != "done":
        done = world.call("POST", f"/api/tasks/any/uploads/{begun}/rows").json()
    assert (done["added"], done["learned"], done["gold"]) == (5, 0, True)
    figures = world.call("GET", "/api/tasks/any/figures").json()
    assert (figures["gold"], figures["items"], figures["imported"]) == (5, 0, 0), "other rows are left out"
    assert files(world) == ["1.csv"], "that of the other upload"


def test_gold_items_need_labels(world):
    begun = world.call("POST", "/api/tasks/any/uploads", {"name": "a.csv", "size": 11}).json()["upload"]
    world.part(begun, 0, b"text\none\nx\n", role="admin")
    until(lambda: world.show(begun, role="admin").json()["state"] == "ready")
    refused = world.call("POST", f"/api/tasks/any/uploads/{begun}/rows?gold=true")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "no_labels")


GUESSED = """text,guesses.gpt-4o,guesses.gpt-4o.confidence,label
free cash,spam,0.85,spam
see you,ham,,
nothing,,,
"""


def test_guesses_in_columns_come_with_the_items(world):
    found = world.send(GUESSED)
    guess = {"guesses.gpt-4o": "guess", "guesses.gpt-4o.confidence": "guess"}
    assert kinds_of(found) == {"text": "text", "label": "label"} | guess
    world.add_all(found["upload"])
    assert {item["text"]: item["guesses"] for item in world.items()} == {
        "free cash": {"gpt-4o": {"label": "spam", "confidence": 0.85}},
        "see you": {"gpt-4o": {"label": "ham", "confidence": None}},
        "nothing": None,
    }
    assert all(item["record"] is None for item in world.items())


def test_guesses_can_be_an_object_or_its_json_as_in_exports(world):
    guesses = {"gpt-4o": {"label": "spam", "confidence": 0.5}}
    rows = [{"text": "one", "guesses": guesses}, {"text": "two"}]
    found = world.send("".join(json.dumps(row) + "\n" for row in rows), "a.jsonl")
    assert kinds_of(found) == {"text": "text", "guesses": "guess"}
    world.add_all(found["upload"])
    world.add_all(world.send('text,guesses\nthree,"' + json.dumps(guesses).replace('"', '""') + '"\n')["upload"])
    assert {item["text"] for item in world.items() if item["guesses"] == guesses} == {"one", "three"}


def test_a_guess_in_a_file_that_is_not_a_class_is_refused_with_its_line(world):
    found = world.send("text,guesses.gpt\nhello,eggs\n")
    assert found["state"] == "refused"
    assert "line 2: the guess of 'gpt' is 'eggs', but the classes of any are 'ham', 'spam'" in found["problem"]


def test_labels_are_learned_before_anything_is_decided(world):
    found = world.send(MAILS)
    world.add_all(found["upload"])
    states = [item["state"] == "imported" for item in world.items()]
    assert states == [True] * 5 + [False] * 5


def test_the_same_file_again_adds_nothing(world):
    world.add_all(world.send(MAILS)["upload"])
    before = world.fold()
    again = world.send(MAILS, "renamed.csv")
    assert (again["rows"], again["known"]) == (10, 10)
    done = world.add_all(again["upload"])
    assert (done["state"], done["handled"], done["added"]) == ("done", 10, 0)
    assert world.fold() == before


def test_ids_are_those_of_the_file_and_the_row(world):
    world.add_all(world.send("text\none\ntwo\n")["upload"])
    first, second = (item["id"] for item in world.items())
    digest = first.partition(":")[0]
    assert len(digest) == 16
    assert (first, second) == (f"{digest}:2", f"{digest}:3"), "the lines of the file"


def test_an_id_column_gives_ids(world):
    world.add_all(world.send("id,text\na7,one\nb8,two\n")["upload"])
    assert [item["id"] for item in world.items()] == ["a7", "b8"]


def test_ids_that_are_not_distinct_are_refused_at_their_column(world):
    found = world.send("id,text\na7,one\na7,two\n")
    assert (found["state"], found["column"]) == ("refused", "id")
    assert "rows have the same id" in found["problem"]
    found = world.choose(found["upload"], id="ignored")
    assert (found["state"], found["problem"]) == ("ready", None)
    world.add_all(found["upload"])
    assert world.counts() == (2, 0)


def test_ids_that_belong_to_other_items_are_refused_before_anything_is_added(world):
    world.add_all(world.send("id,text\na7,one\n")["upload"])
    before = world.fold()
    found = world.send("id,text\nb8,two\na7,other\n")
    assert found["state"] == "refused"
    assert "mails.csv, line 3: the task already has this id" in found["problem"]
    assert world.add(found["upload"]).status_code == 409
    assert world.fold() == before


def test_the_first_table_tells_a_task_its_columns(world):
    rows = [
        f"{20 + row * row},{'Rome' if row % 3 else 'Oslo'},2024-01-{row + 1:02},same,{row % 2}"
        for row in range(25)
    ]
    found = world.send("age,city,since,all,churn\n" + "\n".join(rows), "customers.csv", "table")
    assert kinds_of(found) == {
        "age": "number",
        "city": "category",
        "since": "date",
        "all": "category",
        "churn": "number",
    }
    found = world.choose(found["upload"], "table", churn="ignored", all="ignored")
    world.add_all(found["upload"], "table")
    settings = world.service.writers["table"].task.settings
    used = {name: column.kind for name, column in settings.columns.items() if column.kind != "ignored"}
    assert used == {"age": "number", "city": "category", "since": "date"}
    assert world.items("table")[0]["record"] == {"age": 20.0, "city": "Oslo", "since": "2024-01-01"}
    actions = [(entry.who, entry.action, entry.task) for entry in world.store.audit_records(99)]
    assert ("ingest", "set_columns", "table") in actions
    later = world.send("city,age,since,extra\nRome,31,2024-02-03,more\n", "more.csv", "table")
    assert kinds_of(later) == {"city": "category", "age": "number", "since": "date", "extra": "ignored"}
    assert [column["kinds"] for column in later["columns"][:3]] == [["category"], ["number"], ["date"]]
    assert later["state"] == "ready"
    lacks = world.send("city,age\nRome,31\n", "less.csv", "table")
    assert lacks["problem"] == "less.csv: no column 'since', which the task has; there are 'city', 'age'"


def test_the_longest_text_is_the_text_and_others_are_columns(world):
    rows = [f"{row} is a short one,the much longer body of mail {row} is here,{row}" for row in range(30)]
    found = world.send("subject,body,words\n" + "\n".join(rows))
    world.add_all(found["upload"])
    first = world.items()[0]
    assert first["text"] == "the much longer body of mail 0 is here"
    assert list(first["record"]) == ["subject"], "numbers that count the rows are left out"


def test_a_task_of_texts_takes_the_longest_column(world):
    path = {"task": "spam"}
    found = world.send("who,said\nann,see you at nine\nbob,win a prize\n", **path)
    assert kinds_of(found) == {"who": "ignored", "said": "text"}
    found = world.choose(found["upload"], "spam", who="text")
    assert kinds_of(found) == {"who": "text", "said": "ignored"}
    found = world.choose(found["upload"], "spam", who="ignored")
    assert (found["state"], found["problem"]) == (
        "refused",
        "no column is the text of the items: choose which one it is",
    )


def test_a_new_task_of_texts_becomes_one_of_records_by_its_first_table(world):
    world.service.add_task(TaskSettings(name="new", classes=["a", "b"], hashing=Hashing(bits=8)))
    rows = "".join(f"{row % 5},{'Rome' if row % 2 else 'Oslo'},{'ab'[row % 2]}\n" for row in range(30))
    found = world.send("rooms,city,answer\n" + rows, "flats.csv", "new")
    assert kinds_of(found) == {"rooms": "number", "city": "category", "answer": "label"}
    assert world.service.writers["new"].task.settings.item == "text", "nothing changes before items are added"
    assert world.add_all(found["upload"], "new")["learned"] == 30
    settings = world.service.writers["new"].task.settings
    assert settings.item == "record"
    assert {name: column.kind for name, column in settings.columns.items()} == {
        "rooms": "number",
        "city": "category",
    }
    fold = world.fold("new")
    world.service.writers["new"].task.rebuild()
    assert world.fold("new") == fold, "the journal knows it"


@pytest.mark.parametrize(
    ("content", "kinds"),
    [
        ("title\nwin now\nsee you\n", {"title": "text"}),
        ("city,text\nRome,one\nOslo,two\n", {"city": "ignored", "text": "text"}),
        ("who,said\nann,see you at nine\nbob,win a prize now\n", {"who": "ignored", "said": "text"}),
    ],
)
def test_a_new_task_of_texts_stays_one_if_the_file_has_texts(world, content, kinds):
    world.service.add_task(TaskSettings(name="new", classes=["a", "b"], hashing=Hashing(bits=8)))
    found = world.send(content, task="new")
    assert kinds_of(found) == kinds
    world.add_all(found["upload"], "new")
    settings = world.service.writers["new"].task.settings
    assert (settings.item, settings.columns) == ("text", {})
    assert all(item["text"] for item in world.items("new"))


def test_vectors_and_objects(world):
    found = world.send("v0,v1,label\n1,2,a\n3,4,b\n", task="points")
    assert kinds_of(found) == {"v0": "vector", "v1": "vector", "label": "label"}
    assert world.add_all(found["upload"], "points")["learned"] == 2
    line = json.dumps({"text": "hello there you", "from": {"name": "ann", "age": 3}, "label": "ham"})
    found = world.send(line + "\n", "mails.jsonl")
    assert kinds_of(found) == {"text": "text", "from": "object", "label": "label"}
    world.add_all(found["upload"])
    assert world.items()[0]["record"] == {"from": {"name": "ann", "age": 3}}


def test_parquet(world):
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table({"text": ["win now", "see you"], "label": ["spam", None]}), buffer)
    found = world.send(buffer.getvalue(), "mails.parquet")
    assert (found["state"], found["rows"], found["labelled"]) == ("ready", 2, 1)
    assert world.add_all(found["upload"])["added"] == 2


def test_the_first_sheet_of_a_workbook(world):
    rows = [["text", "label"], ["win now", "spam"], ["see you", None]]
    found = world.send(book_of(*rows), "mails.xlsx")
    assert (found["state"], found["rows"], found["labelled"]) == ("ready", 2, 1)
    world.add_all(found["upload"])
    assert {item["text"]: item["label"] for item in world.items()} == {"win now": "spam", "see you": None}
    table = [
        ["age", "town", "stays"],
        *[[20 + row % 7, "Bonn" if row % 2 else "Kiel", row > 9] for row in range(20)],
    ]
    found = world.send(book_of(*table), "table.xlsx", "table")
    assert kinds_of(found)["age"] == "number"
    assert kinds_of(found)["town"] == "category"
    wrong = world.send(book_of(["text"], ["a" * 32_000], ["b"], [None, "c"]), "mails.xlsx")
    assert wrong["problem"] == "mails.xlsx, row 4: has a value in a column without a name: name it in row 1"


def test_references_have_their_own_ids(world):
    """A library of a review, with one item per reference."""
    records = [
        f"TY  - JOUR\nID  - {n}\nTI  - a study of {n} people\nPY  - {1990 + n}//\nER  - \n" for n in range(9)
    ]
    found = world.send("\n".join(records), "library.ris", "table")
    assert (found["state"], found["rows"]) == ("ready", 9), found["problem"]
    kinds = kinds_of(found)
    assert (kinds["id"], kinds["title"], kinds["year"], kinds["doi"]) == ("id", "text", "number", "ignored")
    assert world.add_all(found["upload"], "table")["added"] == 9
    cut = world.send(records[0] + records[1][:-7], "library.ris", "table")
    assert cut["problem"].startswith("library.ris, line 6: the reference that begins here has no last line")


@pytest.mark.parametrize(
    ("cells", "texts"),
    [
        (["win now", 2024, True, 2.5, "see you"], ["win now", "2024", "TRUE", "2.5", "see you"]),
        ([2024, 2025, False], ["2024", "2025", "FALSE"]),
    ],
)
def test_numbers_in_a_text_column_of_a_workbook_are_texts(world, cells, texts):
    """One cell that a spreadsheet took for a number refused the whole file."""
    found = world.send(book_of(["text", "label"], *[[cell, "spam"] for cell in cells]), "mails.xlsx", "spam")
    assert (found["state"], kinds_of(found)) == ("ready", {"text": "text", "label": "label"}), found["problem"]
    world.add_all(found["upload"], "spam")
    assert [item["text"] for item in world.items("spam")] == texts


@pytest.mark.parametrize(("name", "delimiter"), [("mails.csv", ","), ("mails.tsv", "\t")])
def test_long_texts_in_a_table(world, name, delimiter):
    text = "a" * LONGEST_TEXT
    found = world.send(f"text{delimiter}label\n{text}{delimiter}spam\n", name)
    assert (found["state"], found["problem"]) == ("ready", None)
    world.add_all(found["upload"])
    assert world.items()[0]["text"] == text


def test_parquet_without_its_library(world, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    found = world.send(b"PAR1 and more", "mails.parquet")
    assert found["problem"] == "Parquet needs pyarrow: pip install 'askance[parquet]'"


@pytest.mark.parametrize("name", ["mails.txt", "mails", "MAILS.CSV", "a/../../mails.exe"])
def test_the_content_tells_the_format_if_the_name_does_not(world, name):
    assert world.send(MAILS, name)["rows"] == 10


def test_unknown_classes_are_counted_and_the_rows_are_items(world):
    found = world.send("text,label\na,ham\nb,scam\nc,scam\nd,\n")
    assert (found["labelled"], found["unknown"]) == (1, {"scam": 2})
    world.call("POST", "/api/tasks/any/classes", {"add": ["scam"]})
    found = world.choose(found["upload"])
    assert (found["labelled"], found["unknown"]) == (3, {})
    assert world.add_all(found["upload"])["learned"] == 3


def test_a_column_of_classes_is_the_label_whatever_its_name(world):
    found = world.send("text,answer,class\none,ham,7\ntwo,spam,8\nthree,,9\n")
    assert kinds_of(found)["answer"] == "label"
    assert found["labelled"] == 2


# ---------------------------------------------------------------------- parts, and going on later


def test_parts_come_in_order(world):
    number = world.begin("mails.csv", 10).json()["upload"]
    assert world.part(number, 0, b"text\n").json()["received"] == 5
    for start in (0, 4, 6):
        answer = world.part(number, start, b"a\nb\nc")
        assert answer.status_code == 409
        assert "5 bytes have arrived" in answer.json()["error"]["message"]
    assert world.part(number, 5, b"a\nb\nc\nd").status_code == 409
    assert world.show(number).json()["received"] == 5
    assert world.part(number, 5, b"a\nb\nc").json()["received"] == 10
    assert world.checked(number)["rows"] == 3
    assert world.part(number, 10, b"").status_code == 409


def test_a_part_is_bounded_and_has_its_type(world):
    found = world.begin("mails.csv", 2**21).json()
    assert found["part_bytes"] == upload.PART_BYTES
    answer = world.part(found["upload"], 0, b"a" * (upload.PART_BYTES + 1))
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large")
    answer = world.part(found["upload"], 0, b"a", **{"content-type": "text/csv"})
    assert answer.status_code == 415
    assert world.show(found["upload"]).json()["received"] == 0


def test_an_upload_goes_on_where_it_was(world, monkeypatch):
    monkeypatch.setattr(upload, "LABELLED", 3)
    found = world.send(MAILS)
    first = world.add(found["upload"]).json()
    assert (first["state"], first["handled"]) == ("adding", 3)
    listed = world.call("GET", "/api/tasks/any/uploads", role="ingest").json()["uploads"]
    assert [(one["upload"], one["handled"]) for one in listed] == [(found["upload"], 3)]
    assert world.add_all(found["upload"])["added"] == 10
    assert world.add(found["upload"]).json()["state"] == "done", "once more changes nothing"
    assert world.counts() == (5, 5)


def test_a_batch_that_could_not_be_kept_is_sent_again(world, monkeypatch):
    found = world.send(MAILS)
    good, calls = world.store.append, []

    def once_bad(*args, **options):
        calls.append(args)
        if len(calls) == 1:
            raise OSError("gone for a moment")
        return good(*args, **options)

    monkeypatch.setattr(world.store, "append", once_bad)
    assert world.add(found["upload"]).status_code == 503
    until(lambda: world.add(found["upload"]).status_code == 200)
    done = world.add_all(found["upload"])
    assert (done["added"], world.counts()) == (10, (5, 5))


def test_what_was_added_stays_after_a_restart_and_is_not_added_twice(tmp_path, monkeypatch):
    monkeypatch.setattr(upload, "LABELLED", 3)
    before = Uploading(tmp_path / "a.db")
    number = before.send(MAILS)["upload"]
    for _ in range(2):
        assert before.add(number).json()["state"] == "adding"
    before.close()
    after = Restarted(tmp_path / "a.db", before)
    assert after.show(number).status_code == 404
    found = after.send(MAILS)
    assert found["known"] == 5, "the labelled rows, which come first"
    assert after.add_all(found["upload"])["added"] == 5
    assert after.counts() == (5, 5)
    after.close()


def test_cancelling_keeps_what_was_added(world, monkeypatch):
    monkeypatch.setattr(upload, "LABELLED", 3)
    number = world.send(MAILS)["upload"]
    world.add(number)
    assert world.call("DELETE", f"/api/tasks/any/uploads/{number}", role="ingest").json()["added"] == 3
    assert world.show(number).status_code == 404
    assert world.counts() == (0, 3)
    until(lambda: files(world) == [])
