"""`askance label FILE`: from rows without labels to a model, in a terminal or through a pipe."""

import csv
import json
import os
import re
import shlex
import signal
import time

import pytest

from askance.cli.commands.label.class_keys import ClassKeys
from askance.cli.commands.label.row_view import content_of
from askance.pool.labelling.files import Places
from askance.pool.labelling.journal import recorded
from askance.pool.labelling.table import Reading, read_to_label
from askance.service import start
from askance.service.client import Client
from command_line import askance, complaint, output, without_compiling
from paths import ROOT
from terminal import READ, Terminal

pytestmark = pytest.mark.compiled
WORDS = ("cheap prize now", "see you soon", "win cash today", "how are you")


@pytest.fixture
def notes(tmp_path):
    """Texts of which every second one is about money."""
    path = tmp_path / "notes.csv"
    rows = [[f"{WORDS[row % 4]} {row}"] for row in range(60)]
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["text"], *rows])
    return path


def label(path, lines, *words):
    return output("label", path, *words, stdin=lines.encode())


def labels_of(path):
    return [answer.label for answer in recorded(Places.of(path).journal).answers]


def test_from_a_file_without_labels_to_predictions(notes):
    told = label(notes, "ham\nspam\n" * 6, "--classes", "ham,spam")
    assert "notes.csv: 60 rows. Columns: 1 text." in told
    assert "[1] ham  [2] spam  [+] new class  [s] skip  [u] undo  [q] quit" in told
    assert "0 labels, 0 per minute; accuracy not yet known" in told
    assert "12 labels (6 ham, 6 spam); accuracy not yet known." in told
    places = Places.of(notes)
    assert f"Wrote {places.labels}, {places.model}, {places.journal}." in told
    predicted = output("predict", places.model, notes).splitlines()
    assert predicted[0] == "row,prediction,p(ham),p(spam),doubt"
    assert len(predicted) == 61


def test_lines_are_answers(notes):
    told = label(notes, "\nham\n+eggs\ns\nu\nh\nu\nu\nu\nu\ne\nq\nham\n")
    assert "there is no answer to undo" in told
    assert labels_of(notes) == ["eggs"]
    assert "→ ham" in told
    assert "(the model predicted" in told
    assert "There is no model yet: it needs labels of two classes." in told


def test_the_same_command_goes_on(notes):
    straight = notes.with_name("straight")
    label(notes, "ham\nspam\n" * 8, "-o", straight)
    for _ in range(4):
        told = label(notes, "ham\nspam\n" * 2)
    assert "Going on after 12 answers." in told
    for name in ("notes.journal", "notes.labels.csv", "notes.model"):
        assert (straight / name).read_bytes() == notes.with_name(name).read_bytes()


def test_a_word_that_is_no_class_is_refused_if_classes_were_given(notes):
    result = askance("label", notes, "--classes", "ham,spam", stdin=b"ham\nhm\n")
    assert result.exit_code == 2
    assert without_compiling(result.stderr) == (
        "askance: 'hm' is not an answer: give one of ham, spam, +NAME for a new class, or s (skip), u (undo), "
        "q (quit)\n"
    )
    assert labels_of(notes) == ["ham"]
    assert "3 labels (2 ham, 1 eggs)" in label(notes, "+eggs\nham\n")


def test_answers_from_a_column(tmp_path):
    path = tmp_path / "all.csv"
    rows = [[f"{WORDS[row % 4]} {row}", "spam" if row % 2 == 0 else "ham"] for row in range(60)]
    rows[7][1] = ""
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["text", "kind"], *rows])
    told = label(path, "", "--answers", "kind", "--limit", "30")
    assert "10 labels; accuracy " in told
    assert "30 labels (" in told
    assert " labels at random" in label(path, "", "--answers", "kind", "--audit", "1", "-o", tmp_path / "audits")
    answers = recorded(Places.of(path).journal).answers
    assert all((answer.label or "") == rows[answer.question.row][1] for answer in answers)
    told = label(path, "", "--answers", "kind")  # all rows that are left
    assert "59 labels (30 spam, 29 ham), 1 skipped" in told


def test_the_limit_counts_labels(notes):
    told = label(notes, "ham\ns\nspam\n" * 9, "--limit", "4")
    assert labels_of(notes) == ["ham", None, "spam", "ham", None, "spam"]
    assert "4 labels (2 ham, 2 spam), 2 skipped" in told


@pytest.fixture
def records(tmp_path):
    """Texts of which one in five is relevant, and says so."""
    path = tmp_path / "records.csv"
    words = ["a trial in adults", *["the weather today"] * 4]
    rows = [[f"{words[row % 5]} {row}", "relevant" if row % 5 == 0 else "irrelevant"] for row in range(300)]
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["text", "truth"], *rows])
    return path


def test_a_screening_ends_by_itself_and_says_what_was_read(records):
    told = label(records, "", "--until", "recall=0.9", "--answers", "truth")
    places = Places.of(records)
    statement = places.statement.read_text()
    assert "Screening of records.csv with askance " in statement
    assert "Reading ended because the recall is at least 90.0% with 95% confidence" in statement
    assert "A simulation: the answers come from the column truth." in statement
    assert statement.partition("SHA-256")[0] in told
    assert f"Wrote {places.labels}, {places.statement}, {places.model}, {places.journal}." in told
    read = recorded(places.journal).answers
    assert len(read) < 300
    assert f"Read: {len(read)}. " in told
    assert f"Not read: {300 - len(read)}." in told
    again = label(records, "")
    assert f"Going on after {len(read)} answers." in again
    assert statement.partition("SHA-256")[0] in again


def test_a_screening_goes_on_in_the_same_order(records):
    reading = ("--until", "recall=0.9", "--drop", "truth")
    straight = records.with_name("straight")
    label(records, "i\nr\ns\ni\ni\nr\nr\ni\n", "-o", straight, *reading)
    told = label(records, "i\nr\n", *reading)
    assert "[r] relevant  [i] irrelevant" in told
    assert "1 of 300 rows read, 0 relevant found, " in told
    assert "(the model predicted" not in told
    label(records, "s\nr\nu\ni\ni\nq\n", *reading)
    label(records, "r\nr\ni\n", *reading)
    for name in ("records.labels.csv", "records.screening.txt", "records.model"):
        assert (straight / name).read_bytes() == records.with_name(name).read_bytes()


def test_a_misspelt_answer_is_not_a_class_of_a_screening(records):
    result = askance("label", records, "--until", "recall=0.9", stdin=b"rlevant\n")
    assert result.exit_code == 2
    assert "'rlevant' is not an answer: give one of relevant, irrelevant" in result.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--until", "error=0.1"], "'error=0.1': give recall=0.95"),
        (["--until", "recall=2"], "recall must be more than 0 and at most 1"),
        (["--until", "recall=0.9", "--audit", "0.5"], "--until decides by itself which rows are drawn at random"),
        (["--positive", "relevant"], "--positive is the class that --until looks for: add --until recall=0.95"),
        (["--until", "recall=0.9", "--classes", "in,out"], "name the one to find with --positive"),
        (["--until", "recall=0.9", "--classes", "in,out", "--positive", "x"], "--positive must be one of "),
    ],
)
def test_wrong_words_about_a_screening(records, words, said):
    assert said in complaint("label", records, *words)
    assert not Places.of(records).journal.exists()


def test_it_advises_to_stop(tmp_path):
    path = tmp_path / "easy.csv"
    path.write_text("x,kind\n" + "".join(f"{row % 2},{'ab'[row % 2]}\n" for row in range(100)))
    told = label(path, "", "--answers", "kind", "--limit", "60", "--audit", "0.5")
    assert "; you could stop" in told.rpartition("50 labels")[2]
    assert "; you could stop" not in told.partition("30 labels")[0], "the accuracy is not yet known"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "give a FILE to label, or --task for a task of the service"),
        (["{notes}", "--task", "x"], "give either FILE or --task, not both"),
        (["{notes}", "--classes", "ham"], "--classes ham: give two or more different classes"),
        (["{notes}", "--classes", "ham,ham"], "--classes ham,ham: give two or more different classes"),
        (["{notes}", "--audit", "0"], "--audit must be greater than 0 and at most 1, not 0.0"),
        (["{notes}", "--audit", "20%"], "for 20 percent, write 0.2"),
        (["{notes}", "--label", "kind"], "no column 'kind'"),
        (["{notes}", "--answers", "kind"], "no column 'kind'; there are 'text': check --answers"),
        (["nothing.csv"], "nothing.csv: there is no such file"),
        (["-"], "save it to a file"),
    ],
)
def test_wrong_words(notes, words, said):
    assert said in complaint("label", *(word.format(notes=notes) for word in words))
    assert not Places.of(notes).journal.exists()


def test_another_seed_for_a_session_that_has_begun(notes):
    label(notes, "ham\n", "--seed", "3")
    assert "was begun with seed 3, not 4: leave it out, or choose another directory with --out" in complaint(
        "label", notes, "--seed", "4"
    )


@pytest.mark.parametrize("algorithm", [[], ["-a", "PAA-II"]])
def test_run_points_here(notes, algorithm):
    said = "if there are no labels yet, give them with askance label"
    assert said in complaint("run", notes, *algorithm)


# ---------------------------------------------------------------------- what a person sees


def test_a_row_is_readable(tmp_path):
    path = tmp_path / "rows.csv"
    long = "word " * 1000
    rows = [f"{number},{number / 7},,Rome\x1b[2J,{long}{number:02}" for number in range(30)]
    path.write_text("\n".join(["id,size,gap,city,story", *rows]))
    lines = content_of(read_to_label(path, Reading()), 1).splitlines()
    assert lines[:3] == ["id: 1", "size: 0.14286", "city: Rome\\x1b[2J"]
    assert lines[3].startswith("story: word word")
    assert lines[3].endswith("… (3,002 more characters)")
    assert len(lines) == 4
    wide = tmp_path / "wide.csv"
    wide.write_text(",".join(f"c{number}" for number in range(60)) + "\n" + ",".join(["1.5"] * 60) + "\n")
    lines = content_of(read_to_label(wide, Reading(numbers=("c0",))), 0).splitlines()
    assert lines[-1] == "… and 20 more columns"
    assert len(lines) == 41


def test_numbers_that_are_not_written_plainly_are_shown_as_they_are(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("size;weight\n" + "".join(f"123.456;{number},25\n1.234.567,5;7\n" for number in range(20)))
    assert content_of(read_to_label(path, Reading()), 0).splitlines() == ["size: 123.456", "weight: 0,25"]


def test_the_kind_of_a_column_can_be_corrected(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("when;size\n" + "".join(f"2026-03-{day:02};{day}\nsoon;{day}\n" for day in range(1, 29)))
    told = label(path, "", "--classes", "old,new", "--date", "when", "--category", "size", "--delimiter", ";")
    settings = recorded(Places.of(path).journal).header.settings
    assert (settings["dates"], settings["categories"]) == (["when"], ["size"])
    assert "Columns: 1 category, 1 date." in told


def test_keys_stay_when_a_class_is_added():
    keys = ClassKeys(["bug", "question"])
    assert keys.by_key == {"1": "bug", "2": "question"}  # q quits
    keys = ClassKeys([])
    for name in ("ham", "eggs", "herring", "ham", "spam", "Äpfel"):
        before = dict(keys.by_key)
        keys.add(name)
        assert before.items() <= keys.by_key.items()
    assert keys.by_key == {"h": "ham", "e": "eggs", "1": "herring", "2": "spam", "3": "Äpfel"}
    many = ClassKeys(f"class {number}" for number in range(40))
    assert many.line().endswith(
        f"Without a key, after + by their names: {', '.join(many.names[len(many.by_key) :])}"
    )
    assert "class 39" in many.line()
    assert len(many.by_key) == 32
    assert len(many.names) == 40


@pytest.mark.slow
def test_one_key_a_row(notes):
    with Terminal("label", str(notes)) as terminal:
        terminal.wait_for("[+] new class")
        time.sleep(READ)
        terminal.press("+")
        terminal.wait_for("name of the class: ")
        terminal.press("Hamm\x7f\n")
        terminal.wait_for("1 label (1 Ham)")
        time.sleep(READ)
        terminal.press("hhhhh")  # a key held down
        terminal.wait_for("2 labels (2 Ham)")
        time.sleep(READ)
        terminal.press("+")
        terminal.wait_for("class: Ham")
        terminal.press("spam\r")
        terminal.wait_for("3 labels (2 Ham, 1 spam)")
        time.sleep(READ)
        terminal.press("u")
        terminal.wait_for("undone")
        time.sleep(READ)
        terminal.press("1")
        time.sleep(READ)
        terminal.press("q")
        terminal.wait_for("Predict with")
    assert terminal.process.returncode == 0
    assert labels_of(notes) == ["Ham", "Ham", "spam"]


@pytest.mark.slow
def test_an_interrupted_screening_has_its_statement(records):
    with Terminal("label", str(records), "--until", "recall=0.9") as terminal:
        terminal.wait_for("[r] relevant")
        time.sleep(READ)
        terminal.press("r")
        terminal.wait_for("1 of 300 rows read, 1 relevant found")
        os.killpg(terminal.process.pid, signal.SIGINT)
        terminal.wait_for("the same command goes on from here")
    assert "Reading was not finished" in Places.of(records).statement.read_text()
    assert labels_of(records) == ["relevant"]


@pytest.mark.slow
@pytest.mark.parametrize("kill", [signal.SIGINT, signal.SIGKILL])
def test_what_was_answered_survives(notes, kill):
    with Terminal("label", str(notes), "--classes", "ham,spam") as terminal:
        terminal.wait_for("[1] ham")
        time.sleep(READ)
        terminal.press("1")
        terminal.wait_for("1 label (1 ham)")
        os.killpg(terminal.process.pid, kill)
        if kill == signal.SIGINT:
            terminal.wait_for("askance: interrupted: 1 label (1 ham); the same command goes on from here")
    assert terminal.process.returncode in (130, -signal.SIGKILL)
    assert labels_of(notes) == ["ham"]
    assert "Going on after 1 answers." in label(notes, "")


# ---------------------------------------------------------------------- the service takes over


def test_the_service_takes_a_journal_over(notes, tmp_path, monkeypatch):
    label(notes, "ham\nspam\n" * 10 + "s\n")
    journal = Places.of(notes).journal
    with start(tmp_path / "store.db", open_to_all=True) as service:
        monkeypatch.setenv("ASKANCE_URL", service.url)
        told = output("push", journal, "--task", "notes")
        assert "notes: imported 20 labels and pushed 40 other rows.\n" in told
        with Client(task="notes") as client:
            waiting = client.figures().waiting
        assert f"notes chooses questions when somebody labels: {waiting} can be answered now" in told
        with Client(task="notes") as client:
            detail = client.task_detail()
            assert detail.settings.item == "text"
            assert sorted(detail.settings.classes) == ["ham", "spam"]
            answers = recorded(journal).answers
            imported = {row["id"]: row["label"] for row in client.labels()}
            assert imported == {f"notes:{answer.question.row}": answer.label for answer in answers if answer.label}
            assert client.figures().items == 40
        again = json.loads(output("push", journal, "--task", "notes", "--json"))
        assert (again["items"], again["learned"], again["again"]) == (60, 0, 60)
        assert (again["taken"], again["waiting"]) == (0, waiting)


def test_the_service_takes_a_table_over(tmp_path, monkeypatch):
    path = tmp_path / "houses.csv"
    rows = [f"h{row};{row / 7:.3f};{'' if row % 5 else row};{'Rome' if row % 3 else 'Oslo'};" for row in range(40)]
    rows[0] += "dear"
    path.write_text("\n".join(["key;size;rooms;city;label", *rows]) + "\n")
    label(path, "cheap\ndear\n" * 5)
    with start(tmp_path / "store.db", open_to_all=True) as service:
        monkeypatch.setenv("ASKANCE_URL", service.url)
        output("push", Places.of(path).journal, "--task", "houses", "--id", "key")
        with Client(task="houses") as client:
            first = next(row for row in client.labels() if row["id"] == "h0")
            assert first["label"] == "dear"
            assert first["record"] == {"size": 0.0, "rooms": 0.0, "city": "Oslo"}
            assert client.figures().imported == 11
            kinds = {name: column.kind for name, column in client.task_detail().settings.columns.items()}
            assert kinds == {
                "key": "id",
                "size": "number",
                "rooms": "number",
                "city": "category",
                "label": "ignored",
            }
        said = complaint("push", Places.of(path).journal, "--task", "houses", "--id", "name")
        assert "no column 'name'" in said
        other = {"name": "other", "classes": ["a", "b"], "item": "record"}
        with Client() as client:
            client.create(other)
        assert "the task other has no class 'dear'" in complaint(
            "push", Places.of(path).journal, "--task", "other"
        )


def test_the_service_gets_all_classes_that_were_named(notes, tmp_path, monkeypatch):
    label(notes, "ham\n", "--classes", "spam,ham,news")
    with start(tmp_path / "store.db", open_to_all=True) as service:
        monkeypatch.setenv("ASKANCE_URL", service.url)
        output("push", Places.of(notes).journal, "--task", "notes")
        with Client(task="notes") as client:
            assert client.task_detail().settings.classes == ["spam", "ham", "news"]


def test_journals_that_cannot_be_taken_over(notes, tmp_path, monkeypatch):
    label(notes, "ham\n")
    journal = Places.of(notes).journal
    with start(tmp_path / "store.db", open_to_all=True) as service:
        monkeypatch.setenv("ASKANCE_URL", service.url)
        assert "a task needs two classes" in complaint("push", journal, "--task", "notes")
        assert "a journal says what to send: remove --labelled" in complaint(
            "push", journal, "--task", "notes", "--labelled"
        )
        label(notes, "spam\n")
        notes.write_text(notes.read_text() + "more\n")
        assert "is about another content of" in complaint("push", journal, "--task", "notes")
        with Client() as client:
            assert not client.tasks()


# ---------------------------------------------------------------------- what the documentation says


@pytest.mark.parametrize("page", ["README.md", "docs/guides/label.md"])
def test_the_commands_of_a_page_lead_to_predictions(tmp_path, monkeypatch, page):
    monkeypatch.chdir(tmp_path)
    tickets = tmp_path / "tickets.csv"
    rows = [[f"it fails on page {row}" if row % 2 else f"how is page {row} printed"] for row in range(60)]
    with tickets.open("w", newline="") as file:
        csv.writer(file).writerows([["text"], *rows])
    text = (ROOT / page).read_text()
    commands = [
        shlex.split(line, comments=True) for line in re.findall(r"^\$ (askance .* ?tickets\.csv.*)$", text, re.M)
    ]
    assert [words[1] for words in commands] == ["label", "predict"]
    for words in commands:
        output(*words[1:], stdin=b"bug\nquestion\n" * 6)
    assert len((tmp_path / "predictions.csv").read_text().splitlines()) == 61
