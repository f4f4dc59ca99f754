"""Uploads: files in parts, checked as a whole, added once, within limits and rights."""

import io
import json
import time
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from askance.service.api.app import application
from askance.service.service import Service
from askance.service.settings import Hashing, TaskSettings
from askance.service.state import snapshots
from askance.service.store import open_store
from askance.service.uploads import checking, registry, upload
from service_world import ROLES, Caller, World

PATIENCE = 60
ANYTHING = TaskSettings(name="any", classes=["ham", "spam"], item=["text", "record"], hashing=Hashing(bits=8))
TABLE = TaskSettings(name="table", classes=["stays", "leaves"], item="record", hashing=Hashing(bits=8))
VECTORS = TaskSettings(name="points", classes=["a", "b"], item="vector", vector_length=2, hashing=Hashing(bits=4))
MAILS = "text,label\n" + "".join(f"mail number {row},{'spam' if row % 2 else ''}\n" for row in range(10))


class Clock:
    """A clock that stands still."""

    def __init__(self):
        self.now = 1e9

    def __call__(self):
        return self.now


class Uploading(World):
    """A service with tasks for all kinds of files."""

    def __init__(self, path, **options):
        self.clock = Clock()
        super().__init__(path, clock=self.clock, **options)
        for task in (ANYTHING, TABLE, VECTORS):
            self.service.add_task(task)

    def begin(self, name, size, task="any", role="ingest"):
        return self.call("POST", f"/api/tasks/{task}/uploads", {"name": name, "size": size}, role)

    def part(self, number, start, content, task="any", role="ingest", **headers):
        path = f"/api/tasks/{task}/uploads/{number}/parts?start={start}"
        headers = {"content-type": "application/octet-stream"} | headers
        return self.call("POST", path, role=role, headers=headers, content=content)

    def show(self, number, task="any", role="ingest"):
        return self.call("GET", f"/api/tasks/{task}/uploads/{number}", role=role)

    def checked(self, number, task="any"):
        """An upload after its check."""
        until = time.monotonic() + PATIENCE
        while (found := self.show(number, task).json())["state"] == "checking":
            assert time.monotonic() < until
            time.sleep(0.005)
        return found

    def send(self, content, name="mails.csv", task="any"):
        """Upload a whole file and wait for its check."""
        content = content.encode() if isinstance(content, str) else content
        number = self.begin(name, len(content), task).json()["upload"]
        assert self.part(number, 0, content, task).status_code == 200
        return self.checked(number, task)

    def choose(self, number, task="any", **kinds):
        path = f"/api/tasks/{task}/uploads/{number}/kinds"
        assert self.call("POST", path, {"kinds": kinds}, "ingest").status_code == 200
        return self.checked(number, task)

    def add(self, number, task="any"):
        return self.call("POST", f"/api/tasks/{task}/uploads/{number}/rows", role="ingest")

    def add_all(self, number, task="any"):
        """Add all rows."""
        while (found := self.add(number, task).json())["state"] == "adding":
            pass
        return found

    def fold(self, task="any"):
        return snapshots.content(self.service.writers[task].task.fold)

    def counts(self, task="any"):
        fold = self.service.writers[task].task.fold
        return fold.ledger.rows, fold.counts.imported

    def items(self, task="any"):
        return self.call("GET", f"/api/tasks/{task}/items").json()["items"][::-1]


class Restarted(Uploading):
    """The same service after a restart."""

    def __init__(self, path, before):
        self.store = open_store(str(path))
        self.service = Service(self.store)
        self.client = Caller(application(self.service))
        self.tokens = before.tokens


@pytest.fixture
def world(tmp_path):
    world = Uploading(tmp_path / "a.db")
    yield world
    world.close()


def kinds_of(found):
    return {column["name"]: column["kind"] for column in found["columns"]}


def files(world):
    directory = world.service.uploads._directory
    return sorted(path.name for path in directory.iterdir()) if directory and directory.exists() else []


def until(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


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


# ---------------------------------------------------------------------- files that are refused


def parquet_of(**columns):
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(columns), buffer)
    return buffer.getvalue()


WRONG = {
    "header only": ("mails.csv", b"text,label\n", "has no rows below the header"),
    "blank": ("mails.csv", b"\n\n\n", "has only blank lines"),
    "another encoding": ("mails.csv", "text\nGrüße\n".encode("latin-1"), "line 2: byte 3 is not UTF-8"),
    "rows of different length": ("mails.csv", b"a,b\n1,2\n3\n", "line 3: has 1 cells but the header has 2"),
    "an open quote": ("mails.csv", b'a,b\n"1,2\n', "line 2: is not well-formed CSV"),
    "two columns of one name": ("mails.csv", b"a,a\n1,2\n", "two columns have the name 'a'"),
    "5,000 columns": (
        "mails.csv",
        (",".join(f"c{n}" for n in range(5000)) + "\n").encode() * 2,
        "has 5,000 columns",
    ),
    "a picture": ("mails.csv", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "is not UTF-8"),
    "a spreadsheet": ("mails.xlsx", b"PK\x03\x04 and more", "such as a spreadsheet: save it as CSV"),
    "compressed": ("mails.csv.gz", b"\x1f\x8b\x08 and more", "is compressed: unpack it first"),
    "not Parquet": ("mails.parquet", b"PAR1 nothing more", "is not a Parquet file, or is damaged"),
    "no rows in Parquet": ("mails.parquet", parquet_of(text=pyarrow.array([], "string")), "has no rows"),
    "an array of JSON": ("mails.json", b'[{"text": "a"}]', "is an array of JSON"),
    "JSON that is cut off": ("mails.jsonl", b'{"text": "a"}\n{"text": ', "line 2: is not JSON"),
    "no object": ("mails.jsonl", b"3\n", "not an object"),
    "an archive": ("mails.npz", b"PK\x03\x04 and more", "a zip archive"),
    "a text beyond the limit": (
        "mails.jsonl",
        json.dumps({"text": "a" * 200_001}).encode(),
        "line 1: cannot be sent, because text must be text of at most 200000 characters",
    ),
}


@pytest.mark.parametrize("case", list(WRONG))
def test_wrong_files_are_refused_in_a_sentence_and_change_nothing(world, case):
    name, content, words = WRONG[case]
    before = world.fold()
    found = world.send(content, name)
    assert found["state"] == "refused", found
    assert words in found["problem"]
    assert found["problem"].startswith(name)
    assert "/tmp" not in found["problem"]
    assert "--" not in found["problem"]
    assert world.add(found["upload"]).status_code == 409
    assert world.fold() == before
    assert world.counts() == (0, 0)


def test_a_fault_far_down_is_found_before_anything_is_added(world, monkeypatch):
    monkeypatch.setattr(checking, "AT_ONCE", 10)
    rows = "".join(f"{row % 7},mail {row} of many here\n" for row in range(1200))
    found = world.send("size,text\n" + rows + "large,the last\n")
    assert (found["state"], found["column"]) == ("refused", "size")
    assert "mails.csv, line 1202, column 'size': 'large' is not a number" in found["problem"]
    assert world.counts() == (0, 0)
    found = world.choose(found["upload"], size="category")
    assert (found["state"], found["rows"]) == ("ready", 1201)


def test_too_many_rows(world, monkeypatch):
    monkeypatch.setattr(checking, "MOST_ROWS", 5)
    assert "has more than 5 rows" in world.send(MAILS)["problem"]


def test_an_item_that_the_task_refuses_ends_it_with_the_row(world, monkeypatch):
    monkeypatch.setattr(upload, "ITEMS", 2)
    lines = [{"text": "one", "size": 1.0}, {"text": "two", "size": 2.0}, {"text": "three", "size": 1e300}]
    found = world.send("\n".join(map(json.dumps, lines)), "mails.jsonl")
    assert found["state"] == "ready"
    done = world.add_all(found["upload"])
    assert (done["state"], done["handled"]) == ("refused", 2)
    assert done["problem"].startswith("mails.jsonl, line 3")
    assert files(world) == []


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


# ---------------------------------------------------------------------- limits and rights


def test_a_file_that_is_too_large_or_empty_is_refused_at_once(tmp_path):
    world = Uploading(tmp_path / "a.db", upload_bytes=3_000_000)
    answer = world.begin("mails.csv", 3_000_001)
    assert answer.status_code == 413
    assert answer.json()["error"]["message"] == (
        "mails.csv: has 3.0 MB, and at most 3.0 MB can be uploaded: split it, or send it with askance push"
    )
    assert world.begin("mails.csv", 3_000_000).status_code == 200
    answer = world.begin("mails.csv", 0)
    assert (answer.status_code, answer.json()["error"]["message"]) == (
        422,
        "mails.csv: is empty: check how it was made",
    )
    assert world.call("GET", "/api/tasks/any/uploads", role="ingest").json()["most_bytes"] == 3_000_000
    world.close()


def test_a_person_has_few_uploads_at_a_time(world):
    for _ in range(registry.MOST_EACH):
        number = world.begin("mails.csv", 10).json()["upload"]
    answer = world.begin("mails.csv", 10, task="spam")
    assert (answer.status_code, answer.json()["error"]["code"]) == (429, "too_many_uploads")
    assert world.begin("mails.csv", 10, role="admin").status_code == 200
    world.call("DELETE", f"/api/tasks/any/uploads/{number}", role="ingest")
    assert world.begin("mails.csv", 10).status_code == 200


def test_a_file_that_was_left_behind_gives_way(world):
    numbers = [world.begin("mails.csv", 10).json()["upload"] for _ in range(registry.MOST_EACH)]
    world.clock.now += registry.IDLE + 1
    world.show(numbers[0])
    assert world.begin("mails.csv", 10, task="spam").status_code == 200
    assert [world.show(number).status_code for number in numbers] == [200, 404, 200]


def test_there_are_few_uploads_in_all(world, monkeypatch):
    monkeypatch.setattr(registry, "MOST", 1)
    assert world.begin("mails.csv", 10).status_code == 200
    answer = world.begin("mails.csv", 10, role="admin")
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "busy")


def test_finished_uploads_do_not_count(world):
    for row in range(registry.MOST_EACH + 2):
        assert world.add_all(world.send(f"text\nmail {row}\n")["upload"])["state"] == "done"


def test_files_are_deleted_after_an_hour_without_use(world):
    number = world.begin("mails.csv", 10).json()["upload"]
    world.clock.now += registry.KEPT
    assert world.show(number).status_code == 200
    world.clock.now += registry.KEPT + 1
    assert world.show(number).status_code == 404
    until(lambda: files(world) == [])


def test_files_are_deleted_at_the_end(tmp_path):
    world = Uploading(tmp_path / "a.db")
    world.begin("mails.csv", 10)
    directory = world.service.uploads._directory
    assert directory.exists()
    assert directory.stat().st_mode & 0o077 == 0
    world.close()
    assert not directory.exists()


def test_only_its_owner_sees_an_upload(world):
    number = world.begin("mails.csv", 10).json()["upload"]
    for role, task, status in (("admin", "any", 404), ("ingest", "spam", 404), ("ingest", "any", 200)):
        assert world.show(number, task, role).status_code == status
        if status == 404:
            assert world.part(number, 0, b"a", task, role).status_code == 404
    assert world.call("GET", "/api/tasks/any/uploads", role="admin").json()["uploads"] == []


@pytest.mark.parametrize("role", ROLES)
def test_who_may_upload(world, role):
    allowed = role in ("admin", "ingest")
    assert world.begin("mails.csv", 10, role=role).status_code == (200 if allowed else 403)


def test_an_archived_task_takes_no_file(world):
    number = world.send(MAILS)["upload"]
    world.call("POST", "/api/tasks/any/state", {"state": "archived"})
    assert world.begin("mails.csv", 10).json()["error"]["code"] == "archived"
    answer = world.add(number)
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "archived")
    world.call("POST", "/api/tasks/any/state", {"state": "running"})
    assert world.add_all(number)["added"] == 10


def test_kinds_that_a_column_cannot_have(world):
    found = world.send(MAILS, task="spam")
    wrong = world.choose(found["upload"], "spam", text="date")
    assert wrong["problem"] == "the column 'text' cannot be date in this task: choose another kind"
    assert kinds_of(wrong) == kinds_of(found)
    assert world.choose(found["upload"], "spam", text="text")["state"] == "ready"


def test_the_name_of_a_file_is_never_a_path(world, tmp_path):
    world.send(MAILS, f"../../{tmp_path.name}/evil.csv")
    assert all(Path(name).suffix == ".csv" and Path(name).stem.isdigit() for name in files(world))
