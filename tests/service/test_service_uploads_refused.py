"""Uploads that are refused: wrong files, limits and rights."""

import io
import json
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from askance.service.uploads import checking, registry, upload
from service_world import ROLES
from uploading import MAILS, Uploading, files, kinds_of, until


@pytest.fixture
def world(tmp_path):
    world = Uploading(tmp_path / "a.db")
    yield world
    world.close()


# ---------------------------------------------------------------------- files that are refused


def parquet_of(**columns):
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(columns), buffer)
    return buffer.getvalue()


FORMATS = "'csv', 'jsonl', 'nbib', 'parquet', 'ris', 'tsv', 'xlsx'"
UNKNOWN = f"unrecognised file extension: give a file in one of the formats {FORMATS}"
WRONG = {
    "header only": ("mails.csv", b"text,label\n", "has no rows below the header"),
    "blank": ("mails.csv", b"\n\n\n", "has only blank lines"),
    "another encoding": ("mails.csv", "text\nGrüße\n".encode("latin-1"), "line 2: byte 3 is not UTF-8"),
    "rows of different length": ("mails.csv", b"a,b\n1,2\n3\n", "line 3: has 1 cell but the header has 2"),
    "an open quote": ("mails.csv", b'a,b\n"1,2\n', "line 2: is not well-formed CSV"),
    "two columns of one name": ("mails.csv", b"a,a\n1,2\n", "two columns have the name 'a'"),
    "5,000 columns": (
        "mails.csv",
        (",".join(f"c{n}" for n in range(5000)) + "\n").encode() * 2,
        "has 5,000 columns",
    ),
    "a picture": ("mails.csv", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "is not UTF-8"),
    "a spreadsheet": (
        "mails.xlsx",
        b"PK\x03\x04 and more",
        "is not an XLSX workbook, or is damaged: save it again, or save it as CSV",
    ),
    "compressed": ("mails.csv.gz", b"\x1f\x8b\x08 and more", "is compressed: unpack it first"),
    "not Parquet": ("mails.parquet", b"PAR1 nothing more", "is not a Parquet file, or is damaged"),
    "no rows in Parquet": ("mails.parquet", parquet_of(text=pyarrow.array([], "string")), "has no rows"),
    "an array of JSON": ("mails.json", b'[{"text": "a"}]', "is an array of JSON"),
    "JSON that is cut off": ("mails.jsonl", b'{"text": "a"}\n{"text": ', "line 2: is not JSON"),
    "no object": ("mails.jsonl", b"3\n", "not an object"),
    "an archive": ("mails.npz", b"PK\x03\x04 and more", "mails.npz: is an archive of NumPy: send it with askance"),
    "a zip archive": ("mails.zip", b"PK\x03\x04 and more", "mails.zip: is a zip archive: unpack it"),
    "svmlight": (
        "mails.svm",
        b"1 2:3\n",
        "mails.svm: is svmlight: give JSON lines, CSV, TSV, Parquet, XLSX, RIS or nbib",
    ),
    "svmlight with the name of a text": ("mails.txt", b"1 2:3\n", "TSV, Parquet, XLSX, RIS or nbib"),
    "a document": ("mails.pdf", b"%PDF-1.4\n", "mails.pdf: is a PDF: write its texts into a CSV file"),
    "a text": ("mails.txt", b"hello\nsee you\n", f"mails.txt: {UNKNOWN}"),
    "a text beyond the limit": (
        "mails.jsonl",
        json.dumps({"text": "a" * 200_001}).encode(),
        "line 1: cannot be sent, because text must be text of at most 200000 characters",
    ),
    "a text beyond the limit in a table": (
        "mails.csv",
        b"text,label\n" + b"a" * 200_001 + b",spam\n",
        "line 2: cannot be sent, because text must be text of at most 200000 characters",
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
