"""`askance push`: every row becomes an item once, and a wrong file gets a sentence with the line."""

import gzip
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time

import pytest
from typer.testing import CliRunner

from askance.cli.app import app
from askance.cli.commands.push import batches, work
from askance.service.client import Client
from askance.service.messages import Guess
from askance.service.prices import Oracles
from askance.service.settings import Asking, Budget, TaskSettings
from command_line import answer, complaint, output
from processes import interruptible
from service_server import real_service
from service_twin import CLASSES, LOSE_ANSWER, Twin

TICKETS = [
    {"text": "my invoice?", "label": "billing"},
    {"text": "it crashed", "label": "bug"},
    {"text": "great?", "label": "praise"},
]


@pytest.fixture
def twin(monkeypatch):
    twin = Twin(token="secret")
    with twin.serving() as url:
        monkeypatch.setenv("ASKANCE_URL", url)
        monkeypatch.setenv("ASKANCE_TOKEN", "secret")
        yield twin


def lines(path, rows):
    content = "".join(json.dumps(row) + "\n" for row in rows).encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def push(*words):
    return answer("push", *words, "--task", "desk")


def test_guesses_are_sent_with_their_items(twin, tmp_path):
    guesses = {"gpt-4o": {"label": "bug", "confidence": 0.75}}
    push(lines(tmp_path / "a.jsonl", [{"text": "it crashed", "guesses": guesses}, {"text": "great"}]))
    assert [item.guesses or None for item in twin.items] == [{"gpt-4o": Guess("bug", 0.75)}, None]


@pytest.mark.parametrize("name", ["tickets.jsonl", "tickets.jsonl.gz"])
def test_rows_are_decided_once_however_often_the_file_is_pushed(twin, tmp_path, name):
    file = lines(tmp_path / name, TICKETS)
    twin.troubles.extend([None, LOSE_ANSWER])
    told = push(file, "--batch", 2)
    assert (told["items"], told["asked"], told["again"]) == (3, 2, 1 + 1)
    assert [item.id for item in twin.items] == ["tickets:1", "tickets:2", "tickets:3"]
    assert [item.text for item in twin.items] == [row["text"] for row in TICKETS]
    assert "label" not in json.dumps([body for _, _, body in twin.requests])
    told = output("push", file, "--task", "desk")
    assert "3 had been sent before" in told
    assert "items  asked" in told
    assert len(twin.items) == 3


def test_tables_hold_texts_too(twin, tmp_path):
    file = tmp_path / "t.tsv"
    file.write_text("id\tsubject\tlabel\n007\t12345\tbug\n8\t\tbug\n")
    assert push(file, "--text", "subject", "--limit", 1)["items"] == 1
    assert [(item.id, item.text) for item in twin.items] == [("007", "12345")]
    assert push(file, "--text", "subject", "--id", "label")["items"] == 2
    assert [(item.id, item.text) for item in twin.items[1:]] == [("bug", "12345")]


def test_records_are_sent_without_label_and_id(tmp_path, monkeypatch):
    twin = Twin(item="record")
    file = tmp_path / "t.csv"
    file.write_text("number,amount,city,when,y\na,1.5,?,,1\nb,,Ulm,,0\n")
    with twin.serving() as url:
        push(file, "--url", url, "--id", "number")
        push(lines(tmp_path / "t.jsonl", [{"amount": 2, "class": "bug", "tags": ["a"]}]), "--url", url)
        assert "are records, not texts: remove --text" in complaint(
            "push", file, "--task", "desk", "--url", url, "--text", "city"
        )
    assert [(item.id, item.record) for item in twin.items] == [
        ("a", {"amount": 1.5}),
        ("b", {"amount": None, "city": "Ulm"}),
        ("t:1", {"amount": 2, "tags": ["a"]}),
    ]


def test_columns_can_be_left_out(tmp_path):
    twin = Twin(item="record")
    file = tmp_path / "t.csv"
    file.write_text("customer,amount,city\nC1,1.5,Rome\n")
    with twin.serving() as url:
        push(file, "--url", url, "--drop", "customer", "--drop", "city")
        said = complaint("push", file, "--task", "desk", "--url", url, "--drop", "client")
    assert [item.record for item in twin.items] == [{"amount": 1.5}]
    assert said.endswith("there is no column 'client' to drop; there are 'customer', 'amount', 'city'")


def test_known_labels_are_learned(twin, tmp_path):
    file = lines(tmp_path / "t.jsonl", TICKETS)
    told = push(file, "--labelled")
    assert (told["items"], told["learned"], told["again"]) == (3, 3, 0)
    assert twin.imported == {"t:1": "billing", "t:2": "bug", "t:3": "praise"}
    assert not twin.items
    assert push(file, "--labelled")["again"] == 3
    assert "--source is about the labels" in complaint("push", file, "--task", "desk", "--source", "vendor")
    numbers = Twin(classes=["0", "1"])
    with numbers.serving() as url:
        rows = [{"text": "a", "y": 1}, {"text": "b", "y": 0}]
        push(lines(tmp_path / "n.jsonl", rows), "--labelled", "--url", url)
    assert list(numbers.imported.values()) == ["1", "0"]


@pytest.mark.parametrize(
    ("content", "words", "said"),
    [
        (
            '{"text": "a"}\n{"text": 3}\n',
            (),
            "line 2: the text is 3: give a string; before it, 1 items were decided",
        ),
        ('{"text": "a"}\n\n{"text": "a"\n', (), "line 3: is not JSON"),
        ('{"text": "a"}\n{"test": "a"}\n', (), "line 2: there is no key 'text'"),
        ('{"test": "a"}\n', (), "line 1: no text field 'text'; there are 'test': pass --text"),
        ('{"text": "a"}\n', ("--text", "body"), "no text field 'body'"),
        ('{"text": "a"}\n', ("--labelled",), "line 1: no label field"),
        ('{"text": "a"}\n', ("--label", "kind"), "line 1: no label field 'kind'"),
        ('{"text": "a"}\n', ("--id", "key"), "line 1: there is no key 'key'"),
        ('{"text": "a", "id": null}\n', (), "line 1: the id is None: give a string or a whole number"),
        (
            '{"text": "a", "id": "' + "x" * 201 + '"}\n',
            (),
            "line 1: cannot be sent, because id must be text of at most 200 characters",
        ),
        (
            '{"text": "' + "x" * 200_001 + '"}\n',
            (),
            "line 1: cannot be sent, because text must be text of at most",
        ),
        (
            '{"text": "a", "label": "ham"}\n',
            ("--labelled",),
            "line 1: the label is 'ham', but the classes of desk are 'billing', 'bug', 'praise'",
        ),
        ("\n\n", (), "has only blank lines"),
        ("[1]\n", (), "line 1: is [1], not an object"),
    ],
)
def test_a_wrong_file_gets_a_sentence_with_the_line(twin, tmp_path, content, words, said):
    file = tmp_path / "t.jsonl"
    file.write_text(content)
    assert said in complaint("push", file, "--task", "desk", "--batch", 1, *words)


def test_a_refusal_is_told_with_its_lines_and_what_was_done_before(twin, tmp_path):
    file = lines(tmp_path / "t.jsonl", TICKETS)
    refusal = b'{"error": {"code": "id_reused", "message": "item 0: the id belongs to another item"}}'
    twin.troubles.extend([None, None, (409, {}, refusal)])
    assert complaint("push", file, "--task", "desk", "--batch", 2) == (
        f"{file}, lines 3 to 3: item 0: the id belongs to another item; "
        "if these are other rows than before, give their ids with --id; before it, 2 items were decided"
    )


def test_other_mistakes(twin, tmp_path, monkeypatch):
    file = lines(tmp_path / "t.jsonl", TICKETS)
    assert "no such file" in complaint("push", tmp_path / "none.csv", "--task", "desk")
    lines(tmp_path / "t.svm", TICKETS)
    assert "is svmlight: give JSON lines, CSV, TSV, Parquet, XLSX, RIS, nbib or npz" in complaint(
        "push", tmp_path / "t.svm", "--task", "desk"
    )
    (tmp_path / "t.dat").write_text("tickets\n")
    formats = "'csv', 'jsonl', 'nbib', 'npz', 'parquet', 'ris', 'tsv', 'xlsx'"
    assert complaint("push", tmp_path / "t.dat", "--task", "desk") == (
        f"{tmp_path / 't.dat'}: unrecognised file extension: pass --format one of {formats}"
    )
    assert complaint("push", file, "--task", "desk", "--format", "svmlight") == (
        f"--format 'svmlight': give one of {formats}"
    )
    assert "no such thing" in complaint("push", file, "--task", "other")
    assert "this token is not known" in complaint("push", file, "--task", "desk", "--token", "wrong")
    monkeypatch.delenv("ASKANCE_TOKEN", raising=False)
    assert complaint("push", file, "--task", "desk") == (
        "the service requires a token: set the environment variable ASKANCE_TOKEN, or pass --token"
    )
    monkeypatch.setenv("ASKANCE_TOKEN", "secret")
    assert "--batch" in complaint("push", file, "--task", "desk", "--batch", 1001)
    assert "is not the URL of a service" in complaint("push", file, "--task", "desk", "--url", "here")
    table = tmp_path / "t.csv"
    table.write_text("text,text\na,b\n")
    assert "two columns have the name 'text'" in complaint("push", table, "--task", "desk")
    monkeypatch.setenv("ASKANCE_URL", "http://127.0.0.1:9")
    assert "http://127.0.0.1:9: there is no answer" in complaint("push", file, "--task", "desk")
    assert not twin.items


def test_numbers_of_a_table_that_are_none(tmp_path):
    twin = Twin(item="record")
    file = tmp_path / "t.csv"
    with twin.serving() as url:
        file.write_text("x\n1\ninf\n")
        assert "line 3, column 'x': inf is too large" in complaint("push", file, "--task", "desk", "--url", url)
        file.write_text("x\n" + "1\n" * 1000 + "much\n")
        assert "line 1002, column 'x': 'much' is not a number" in complaint(
            "push", file, "--task", "desk", "--url", url
        )


def test_what_is_missing_in_a_column_of_numbers_is_null(tmp_path):
    twin = Twin(item="record")
    file = tmp_path / "t.csv"
    file.write_text("x,empty,city,phone\n1,,NA,5\nNA,,Ulm,6\n?,,,7\n-2.5,,Bonn,8\n")
    with twin.serving() as url:
        push(file, "--url", url, "--drop", "phone")
    assert [item.record for item in twin.items] == [
        {"x": 1.0},
        {"x": None, "city": "Ulm"},
        {"x": None},
        {"x": -2.5, "city": "Bonn"},
    ]


def test_a_line_of_a_pipe_does_not_wait_for_a_full_batch(twin, monkeypatch):
    reading, writing = os.pipe()
    monkeypatch.setattr(work, "STANDARD_INPUT_NUMBER", reading)
    told = []
    pushed = threading.Thread(target=lambda: told.append(push("-")))
    pushed.start()
    for number in (1, 2):
        began = time.monotonic()
        os.write(writing, json.dumps({"text": "now?"}).encode() + b"\n")
        while len(twin.items) < number and time.monotonic() - began < 5:
            time.sleep(0.005)
        assert len(twin.items) == number
    os.close(writing)
    pushed.join()
    os.close(reading)
    assert (told[0]["items"], told[0]["asked"], told[0]["again"]) == (2, 2, 0)
    assert len({item.id for item in twin.items}) == 2


def test_batches_in_time():
    gate = threading.Event()

    def coming():
        yield from range(5)
        gate.wait(5)
        yield 5
        raise ValueError("the end")

    found = batches.in_time(coming(), 2, wait=0.05)
    assert [next(found), next(found), next(found)] == [[0, 1], [2, 3], [4]]
    gate.set()
    assert next(found) == [5]
    with pytest.raises(ValueError, match="the end"):
        next(found)


def test_interrupted_it_says_how_many_were_decided(twin, tmp_path):
    process = interruptible(
        [sys.executable, "-m", "askance", "push", "-", "--task", "desk"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    for number in (1, 2):  # when the second arrives, the first was answered
        process.stdin.write(json.dumps(TICKETS[0]) + "\n")
        process.stdin.flush()
        while process.poll() is None and len(twin.items) < number:
            time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    process.wait(60)  # although its input is still open
    told, complaints = process.communicate()
    assert (process.returncode, told) == (130, "")
    assert re.fullmatch("askance: interrupted: [12] items were decided\n", complaints)


def test_the_batch_is_never_larger_than_the_service_takes():
    from askance.cli.commands.push.command import MAX_BATCH
    from askance.service.messages import MOST_AT_ONCE

    assert MAX_BATCH == MOST_AT_ONCE


def test_the_real_service_decides_once_and_its_questions_are_answered(tmp_path, monkeypatch):
    file = lines(tmp_path / "t.jsonl", TICKETS)
    with real_service(tmp_path, TaskSettings("desk", CLASSES)) as (url, code):
        monkeypatch.setenv("ASKANCE_URL", url)
        with Client(url) as stranger:
            monkeypatch.setenv("ASKANCE_TOKEN", stranger.first_token(code).token)
        told = push(file)
        assert (told["items"], told["taken"], told["waiting"], told["again"]) == (3, 3, 3, 0)
        assert "asked" not in told  # nobody has been asked yet
        again = push(file)
        assert (again["taken"], again["waiting"], again["again"]) == (0, 3, 3)
        said = output("push", file, "--task", "desk")
        assert "items  taken" in said
        assert "desk chooses questions when somebody labels: 3 can be answered now" in said
        assert "give their ids with --id" in complaint("push", file, "--task", "desk", "--labelled")
        answered = CliRunner().invoke(app, ["label", "--task", "desk"], input="bug\nu\npraise\ns\nq\n")
        assert answered.exit_code == 0, answered.stderr
        with Client(task="desk") as client:
            figures = client.figures()
            assert (figures.labelled, figures.leased) == (1, 0)
            assert [row["label"] for row in client.labels()] == ["praise"]


def test_questions_that_a_budget_does_not_allow_are_not_announced(tmp_path, monkeypatch):
    budget, on_arrival = Budget(total=2), Asking("arrival")
    early = TaskSettings("early", CLASSES, questions=on_arrival)
    with real_service(tmp_path, TaskSettings("desk", CLASSES, budget=budget), early) as (url, code):
        monkeypatch.setenv("ASKANCE_URL", url)
        with Client(url) as stranger:
            monkeypatch.setenv("ASKANCE_TOKEN", stranger.first_token(code).token)
        file = lines(tmp_path / "t.jsonl", TICKETS)
        told = push(file)
        assert (told["taken"], told["waiting"]) == (3, 2)
        assert answer("push", file, "--task", "early")["asked"] == 3  # on arrival, as before
        labelled = answer("push", file, "--task", "desk", "--labelled", "--id", "text")
        assert labelled["learned"] == 3
        assert "waiting" not in labelled


def test_it_says_that_guesses_were_not_taken(tmp_path, monkeypatch):
    guesses = {"gpt-4o": {"label": "bug"}}
    file = lines(tmp_path / "t.jsonl", [{"text": row["text"], "guesses": guesses} for row in TICKETS])
    prices = Oracles(budget=1.0, people=0.0, guesses={"gpt-4o": 0.4})
    with real_service(tmp_path, TaskSettings("desk", CLASSES, oracles=prices)) as (url, code):
        monkeypatch.setenv("ASKANCE_URL", url)
        with Client(url) as stranger:
            monkeypatch.setenv("ASKANCE_TOKEN", stranger.first_token(code).token)
        told = push(file, "--limit", 2)
        assert told["items"] == 2
        assert "unpaid" not in told
        assert push(file)["unpaid"] == 1
        said = output("push", file, "--task", "desk")
    assert "guesses of 1 item were not taken: they cost more than the task has left" in said


def test_rows_with_labels_may_be_gold_items(tmp_path, monkeypatch):
    file = lines(tmp_path / "t.jsonl", TICKETS)
    with real_service(tmp_path, TaskSettings("desk", CLASSES)) as (url, code):
        monkeypatch.setenv("ASKANCE_URL", url)
        with Client(url) as stranger:
            monkeypatch.setenv("ASKANCE_TOKEN", stranger.first_token(code).token)
        told = push(file, "--gold")
        assert (told["items"], told["gold"], told["again"]) == (3, 3, 0)
        assert "waiting" not in told
        assert push(file, "--gold")["again"] == 3
        assert "gold" in output("push", file, "--task", "desk", "--gold")
        with Client(task="desk") as client:
            assert (client.figures().gold, client.figures().items, client.figures().imported) == (3, 0, 0)
            monkeypatch.setenv("ASKANCE_TOKEN", client.create_token("sender", "ingest").token)
        assert "only admins may add gold items" in complaint("push", file, "--task", "desk", "--gold")


def test_gold_is_not_for_all_rows(tmp_path):
    file = lines(tmp_path / "t.jsonl", TICKETS)
    assert "remove --labelled, or --gold" in complaint("push", file, "--task", "desk", "--gold", "--labelled")
    journal = tmp_path / "t.jsonl.journal"
    journal.touch()
    assert "--gold is for tables" in complaint("push", journal, "--task", "desk", "--gold")
