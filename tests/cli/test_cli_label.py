"""`askance label`: one key, one label, and nothing that a stranger wrote is obeyed by the terminal."""

import os
import signal
import time

import pytest
from typer.testing import CliRunner

from askance._util.shortened import shortened
from askance.cli.app import app
from askance.cli.commands.label import lease_queue
from askance.cli.commands.label.keystrokes import HELD_DOWN, TOO_SOON, KeyGuard
from askance.cli.commands.label.work import content_of
from askance.cli.output.untrusted import harmless, in_one_line
from askance.service.client import Client, Item
from askance.service.messages import Question
from askance.service.shortcuts import keys_if_enough, keys_of, with_chosen
from service_twin import RequestError, Twin
from terminal import READ, Terminal

NASTY = "\x1b]0;owned\x07\x1b[2J\u202egnp.exe\x9b31m\r\x7f?"


@pytest.fixture
def twin(monkeypatch):
    twin = Twin()
    with twin.serving() as url:
        monkeypatch.setenv("ASKANCE_URL", url)
        with Client(url, task="desk") as client:
            client.decide([Item(text=f"question {number}?", id=f"q{number}") for number in range(1, 7)])
        yield twin


def label(lines, *words):
    result = CliRunner().invoke(app, ["label", "--task", "desk", *words], prog_name="askance", input=lines)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def test_lines_are_answers(twin):
    told = label("bug\n2\ns\nu\n1\nq\n")
    assert (told.exit_code, told.stderr) == (0, "")
    assert twin.labels == {1: "bug", 2: "billing"}
    assert twin.skipped == [3]
    assert not twin.leased
    assert "question 1?" in told.stdout
    assert "asked with probability 0.8" in told.stdout
    assert "the model predicted billing" in told.stdout
    assert "prediction" not in told.stdout, "it is hidden until answered"
    assert "[1] billing  [2] bug  [3] praise  [s] skip  [u] undo  [q] quit" in told.stdout
    assert told.stdout.splitlines()[-1].startswith("2 labelled, ")


def test_a_script_ends_when_nothing_is_left(twin):
    told = label("bug\n\n" * 99)  # blank lines say nothing
    assert told.exit_code == 0
    assert len(twin.labels) == 6
    assert "no questions at the moment" in told.stdout


def test_the_end_of_the_lines_gives_the_rest_back(twin):
    assert label("bug\n").exit_code == 0
    assert (len(twin.labels), twin.leased) == (1, {})


def test_a_word_that_is_no_answer_changes_nothing(twin):
    told = label("ham\n")
    assert told.exit_code == 2
    assert told.stderr == (
        "askance: 'ham' is not an answer: give one of billing, bug, praise, or s (skip), u (undo), q (quit)\n"
    )
    assert not twin.labels
    assert not twin.leased


def test_an_undo_without_a_label_is_told(twin):
    assert "there is no label to undo" in label("u\nq\n").stdout


def test_a_question_that_somebody_else_answered_is_told_and_left(twin):
    noted = twin.noted

    def second_is_taken(one):
        if one.item == 2 and 2 not in twin.labels:
            twin.labels[2] = "praise"
            raise RequestError(409, "leased_by_another", "item 2 is leased by another")
        return noted(one)

    twin.noted = second_is_taken
    told = label("bug\nbug\nbug\nq\n")
    assert "item 2 is leased by another" in told.stdout
    assert twin.labels == {1: "bug", 2: "praise", 3: "bug"}


def test_a_lease_that_ran_out_is_taken_again(twin):
    with Client(task="desk") as client, lease_queue.LeaseQueue(client, 300) as place:
        assert place.question().item == 1
        twin.leases += 1
        twin.leased[1] = twin.leases  # as after the lease ran out
        assert place.label("bug") is None
    assert twin.labels == {1: "bug"}
    with Client(task="desk") as client, lease_queue.LeaseQueue(client, 0.0) as place:
        assert place.question().lease > twin.leases - 1  # it was renewed before it was shown
        assert place.label("bug") is None
    assert not twin.leased


def test_the_next_question_comes_while_the_first_is_read(twin):
    with Client(task="desk") as client, lease_queue.LeaseQueue(client, 300) as place:
        assert place.question().item == 1
        place.label("bug")
        place.label("bug")
        place.fetch_ahead()
        assert [place.question().item for _ in range(2)] == [3, 3]
        place.label("bug")
        assert place.question().item == 4
        assert place.given == 3
    assert not twin.leased


def test_wrong_words(twin):
    assert "no such thing" in label("", "--task", "other").stderr
    assert "there is no answer" in label("", "--url", "http://127.0.0.1:9").stderr


# ---------------------------------------------------------------------- keys


def test_keys_are_first_letters_if_they_differ():
    assert keys_of(["Ham", "eggs"]) == {"h": "Ham", "e": "eggs"}
    assert keys_of(["0", "1"]) == {"0": "0", "1": "1"}
    assert keys_of(["ham", "spam"]) == {"1": "ham", "2": "spam"}  # s skips
    assert keys_of(["bug", "billing"]) == {"1": "bug", "2": "billing"}
    assert keys_of(["äpfel", "Birnen"]) == {"1": "äpfel", "2": "Birnen"}
    many = keys_of([f"class {number}" for number in range(32)])
    assert len(many) == 32
    assert not set("suq") & set(many)
    with pytest.raises(ValueError, match="33 classes, more than keys"):
        keys_of([f"class {number}" for number in range(33)])
    assert keys_if_enough([f"class {number}" for number in range(33)]) == {}


def test_a_key_held_down_labels_one_question():
    now = [0.0]
    guard = KeyGuard(lambda: now[0])
    now[0] = 1.0
    assert guard.is_meant("b")
    guard.question_is_shown()
    meant = []
    for delay in (0.25, 0.4, 0.5, 0.66):  # until the first repetition, as systems have it
        guard = KeyGuard(lambda: now[0])
        now[0] += 1.0
        assert guard.is_meant("b")
        guard.question_is_shown()
        now[0] += delay
        for _ in range(90):
            meant.append(guard.is_meant("b"))
            now[0] += 1 / 30
        now[0] += TOO_SOON
        assert guard.is_meant("b")
    assert not any(meant)


def test_keys_that_come_too_soon_are_for_the_question_before():
    now = [10.0]
    guard = KeyGuard(lambda: now[0])
    guard.question_is_shown()
    now[0] += TOO_SOON / 2
    assert not guard.is_meant("b")
    now[0] += TOO_SOON
    assert guard.is_meant("c")
    guard.question_is_shown()
    now[0] += TOO_SOON * 1.1
    assert not guard.is_meant("c")
    assert guard.is_meant("b")
    guard.question_is_shown()
    now[0] += HELD_DOWN * 1.1
    assert guard.is_meant("b")


@pytest.mark.slow
def test_one_key_a_question(twin):
    with Client(task="desk") as client:
        client.decide(Item(text=NASTY, id="q7", note=NASTY))
    with Terminal("label", "--task", "desk") as terminal:
        terminal.wait_for("question 1?")
        time.sleep(READ)
        terminal.press("2222222222")  # a key held down
        terminal.wait_for("question 2?")
        time.sleep(READ)
        terminal.press("\x1b[A")  # an arrow
        terminal.press("1")
        terminal.wait_for("question 3?")
        time.sleep(READ)
        terminal.press("s")
        terminal.wait_for("question 4?")
        time.sleep(READ)
        terminal.screen = b""
        terminal.press("u")
        terminal.wait_for("question 2?")
        assert twin.labels == {1: "bug"}
        for number, key in ((2, "3"), (4, "1"), (5, "2"), (6, "3")):
            terminal.wait_for(f"question {number}?")
            time.sleep(READ)
            terminal.press(key)
        terminal.wait_for("note: ")
        time.sleep(READ)
        terminal.press("2")
        terminal.wait_for("no questions at the moment; waiting (q quits)")
        with Client(task="desk") as client:
            client.decide(Item(text="a late one?", id="q8"))
        terminal.wait_for("a late one?")
        time.sleep(READ)
        terminal.press("q")
        terminal.wait_for("6 labelled, ")
    assert terminal.process.returncode == 0
    assert twin.labels == {1: "bug", 2: "praise", 4: "billing", 5: "bug", 6: "praise", 7: "bug"}
    assert twin.skipped == [3]
    assert twin.leased == {}
    assert b"\x1b]0" not in terminal.screen
    assert b"\x1b[2J" not in terminal.screen
    assert "\u202e".encode() not in terminal.screen
    assert rb"\x1b]0;owned\x07" in terminal.screen


def test_interrupted_it_gives_everything_back(twin):
    with Terminal("label", "--task", "desk") as terminal:
        terminal.wait_for("question 1?")
        time.sleep(READ)
        terminal.press("1")
        terminal.wait_for("question 2?")
        os.killpg(terminal.process.pid, signal.SIGINT)
        terminal.wait_for("askance: interrupted: 1 labelled, ")
    assert terminal.process.returncode == 130
    assert (twin.labels, twin.leased) == ({1: "billing"}, {})


# ---------------------------------------------------------------------- untrusted text


def test_no_character_that_a_terminal_obeys_is_left():
    every = "".join(map(chr, (*range(0x10000), *range(0xE0000, 0xE0200))))
    told = harmless(every)
    assert not [character for character in told if character < " " and character not in "\n\t"]
    assert not [character for character in told if "\x7f" <= character <= "\x9f"]
    assert not set(told) & set(
        "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029\ufeff"
    )
    assert not [character for character in told if "\ud800" <= character <= "\udfff"]
    assert harmless("naïve 👩\u200d💻 日本\n") == "naïve 👩\u200d💻 日本\n"
    assert in_one_line("a\n\tb\rc") == "a b\\rc"
    assert shortened("x" * 5000).endswith("x… (1,000 more characters)")


def test_of_a_vector_its_length_is_shown():
    question = Question(1, 1, 0, "a", 0, 1, 0, text="one\x1b", record={"x": 2}, vector_length=384)
    assert content_of(question).splitlines()[1:] == ["x: 2", "(a vector of 384 numbers)"]
    assert content_of(Question(1, 1, 0, "a", 0, 1, 0, vector_length=1)) == "(a vector of 1 number)"


def test_a_record_is_shown_field_by_field():
    question = Question(1, 1, 0, "a", 0, 1, 0, record={"na\x1bme": "v\x1b[0m\nw", "number": 3, "list": ["\x1b"]})
    assert content_of(question) == "na\\x1bme: v\\x1b[0m w\nnumber: 3\nlist: ['\\x1b']"
    assert content_of(Question(1, 1, 0, "a", 0, 1, 0, text="")) == "(no text)"


def test_the_keys_that_a_task_names_go_first():
    usual = keys_of(["ham", "spam", "eggs", "sauce"])
    assert with_chosen(usual, {}) == usual
    assert with_chosen(usual, {"eggs": "E"}) == {"1": "ham", "2": "spam", "e": "eggs", "4": "sauce"}
    assert with_chosen(usual, {"eggs": "1"}) == {"1": "eggs", "2": "spam", "4": "sauce", "3": "ham"}
    assert with_chosen({}, {"ham": "h"}) == {"h": "ham"}
