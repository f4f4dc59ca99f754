"""Labelling a file: nothing that was acknowledged is lost, and a session goes on as if it had not stopped."""

import csv
import json

import numpy as np
import pytest

import askance
from askance.auto.codec import encode
from askance.data import read_for_model
from askance.errors import DataError
from askance.pool.labelling.files import Places, open_session
from askance.pool.labelling.journal import recorded
from askance.pool.labelling.table import Reading, read_to_label


def write(path, count=60, label=None):
    """A table with an id, a number with gaps, a category and a text; `label` makes a last column."""
    chance = np.random.default_rng(0)
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "age", "city", "note", *([] if label is None else ["label"])])
        for row in range(count):
            words = " ".join(chance.choice(["late", "kind", "broken", "new", "old", "red"], 4))
            age = "" if row % 9 == 0 else f"{chance.normal(40, 10):.6f}"
            writer.writerow(
                [row, age, chance.choice(["Rome", "Oslo"]), words, *([] if label is None else [label(row)])]
            )
    return path


def truth(table, row):
    return "bad" if "broken" in table.columns["note"][row] else "good"


def go_on(path, number, folder=None, given=None):
    """Answer some more questions, and return what follows from all of them."""
    with open_session(path, folder, given) as opened:
        for _ in range(number):
            opened.answer(truth(opened.table, opened.session.question().row))
        return state_of(opened)


def state_of(opened):
    session = opened.session
    return (
        encode(session.core),
        session.question(),
        dict(session.labels),
        session.estimate(),
        list(session.answers),
    )


@pytest.fixture
def path(tmp_path):
    return write(tmp_path / "notes.csv")


def test_a_session_goes_on_as_if_it_had_not_stopped(path, tmp_path):
    whole = tmp_path / "whole"
    whole.mkdir()
    straight = go_on(path, 30, whole)
    for number in (1, 0, 12, 17):
        state = go_on(path, number)
    assert state == straight
    assert (whole / "notes.journal").read_bytes() == path.with_name("notes.journal").read_bytes()


def test_killed_at_any_byte_it_has_all_that_was_complete(path):
    journal = Places.of(path).journal
    go_on(path, 3)
    with open_session(path) as opened:
        opened.undo()
    content = journal.read_bytes()
    header = content.index(b"\n") + 1
    ends = [place + 1 for place, byte in enumerate(content) if byte == ord("\n")]
    for size in sorted({header, *ends, *(end - 1 for end in ends[1:]), *range(header + 1, len(content), 40)}):
        journal.write_bytes(content[:size])
        complete = content[:size].count(b"\n") - 1
        with open_session(path) as opened:
            assert len(opened.session.answers) == min(complete, 3) - (complete == 4)
            assert opened.session.question() is not None
        assert journal.read_bytes() == content[: content[:size].rfind(b"\n") + 1]


def test_an_answer_that_is_not_on_disk_does_not_count(path, monkeypatch):
    with open_session(path) as opened:
        before = state_of(opened)

        def full(_entry):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(opened.journal, "_append", full)
        for act in (lambda: opened.answer("good"), lambda: opened.answer(None)):
            with pytest.raises(OSError, match="No space"):
                act()
        assert state_of(opened) == before


def test_interrupted_while_it_learns_the_answer_is_on_disk(path, monkeypatch):
    with open_session(path) as opened:
        opened.answer("good")
        assert opened.is_settled

        def interrupted(_answers):
            raise KeyboardInterrupt

        monkeypatch.setattr(opened.session, "repeat", interrupted)
        with pytest.raises(KeyboardInterrupt):
            opened.answer("bad")
        assert not opened.is_settled
    with open_session(path) as opened:
        assert [answer.label for answer in opened.session.answers] == ["good", "bad"]


def test_undo_is_in_the_journal(path):
    with open_session(path) as opened:
        assert opened.undo() is None
        first = opened.answer("good")
        opened.answer(None)
        assert opened.undo().label is None
        assert opened.undo() == first
        opened.answer("bad")
    assert [answer.label for answer in recorded(Places.of(path).journal).answers] == ["bad"]


def test_only_one_program_at_a_time(path):
    with open_session(path), pytest.raises(DataError, match="is in use by another"), open_session(path):
        pass


def test_what_is_written(path):
    with open_session(path, given={"classes": ["good", "bad"]}) as opened:
        assert opened.save() == [Places.of(path).labels]
        assert Places.of(path).labels.read_text() == "row,label,probability,audit\n"
        for _ in range(25):
            opened.answer(truth(opened.table, opened.session.question().row))
        opened.answer(None)
        labels, model = opened.save()
        answers = opened.session.answers
        found = opened.session.predictions(range(60))
    with labels.open() as file:
        lines = list(csv.DictReader(file))
    assert [int(line["row"]) for line in lines] == [answer.question.row for answer in answers[:25]]
    assert [line["label"] for line in lines] == [answer.label for answer in answers[:25]]
    assert [line["audit"] == "yes" for line in lines] == [answer.question.audit for answer in answers[:25]]
    given = [float(line["probability"]) for line in lines]
    assert given == pytest.approx([answer.question.probability for answer in answers[:25]], rel=1e-5)
    learner = askance.load(model)
    # A number that is missing is the mean of all rows here, but in the session that of the rows before it.
    known = [row for row in range(60) if row % 9]
    again = learner.predict(read_for_model(model, path))
    assert [again[row] for row in known] == [found[row] for row in known]


# ---------------------------------------------------------------------- what is read


def test_labels_that_the_file_has(tmp_path):
    path = write(tmp_path / "some.csv", label=lambda row: ["", "?", " yes ", "no"][row % 4])
    table = read_to_label(path, Reading())
    assert table.known == {row: ("yes" if row % 4 == 2 else "no") for row in range(60) if row % 4 > 1}
    assert "label" not in table.columns
    with open_session(path) as opened:
        assert opened.session.classes == ["yes", "no"]
        assert opened.answer("yes").question.row % 4 < 2


def test_json_lines_and_parquet(tmp_path):
    rows = [{"note": f"a {word} thing", "size": number} for number, word in enumerate(["red", "old"] * 30)]
    rows[3]["label"], rows[4]["label"] = 1, None
    path = tmp_path / "things.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    table = read_to_label(path, Reading())
    assert table.known == {3: "1"}
    assert table.shown(1) == {"note": "a old thing", "size": 1}
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pandas.DataFrame(rows)
    frame.to_parquet(tmp_path / "things.parquet")
    assert read_to_label(tmp_path / "things.parquet", Reading()).known == {3: "1"}


def test_the_column_of_answers_is_hidden_from_the_model(tmp_path):
    path = write(tmp_path / "all.csv", label=lambda row: f"class {row % 3}")
    table = read_to_label(path, Reading(answers="label"))
    assert table.answers == {row: f"class {row % 3}" for row in range(60)}
    assert (table.known, "label" in table.columns) == ({}, False)
    without = read_to_label(write(tmp_path / "none.csv"), Reading())
    assert table.stream.plan == without.stream.plan


@pytest.mark.parametrize(
    ("make", "reading", "said"),
    [
        (lambda path: write(path, label=lambda row: row), Reading(), "all rows have a label in 'label'"),
        (lambda path: write(path), Reading(label="nothing"), "no column 'nothing'"),
        (lambda path: path.write_text("a\n") and path, Reading(), "has no rows"),
        (lambda path: path.write_text("1 1:2\n") and path, Reading(format="svmlight"), "say nothing to a person"),
    ],
)
def test_files_that_cannot_be_labelled(tmp_path, make, reading, said):
    path = make(tmp_path / "file.csv")
    with pytest.raises(DataError, match=said):
        read_to_label(path, reading)


def test_a_pipe_cannot_be_labelled():
    with pytest.raises(DataError, match="read more than once"):
        read_to_label("-", Reading())


# ---------------------------------------------------------------------- journals that do not match


def test_another_content_of_the_file(path):
    go_on(path, 2)
    path.write_text(path.read_text().replace("Rome", "Bern"))
    with pytest.raises(DataError, match="is about another content of"), open_session(path):
        pass


@pytest.mark.parametrize("missing", ["", "?", "NA", "#N/A", "<NA>", "NaN"])
def test_labels_that_are_numbers_are_those_that_run_learns(tmp_path, missing):
    """A column of 0 and 1 with gaps has 0.0 and 1.0 if it comes from a data frame."""
    path = write(tmp_path / "some.csv", label=lambda row: [missing, "0.0", "1.0", "1"][row % 4])
    table = read_to_label(path, Reading())
    assert table.known == {row: ("0" if row % 4 == 1 else "1") for row in range(60) if row % 4}
    path = write(tmp_path / "codes.csv", label=lambda row: [missing, "007", "7", "7.0"][row % 4])
    assert set(read_to_label(path, Reading()).known.values()) == {"007", "7", "7.0"}


def test_other_settings(path):
    go_on(path, 2, given={"seed": 3})
    assert go_on(path, 0) == go_on(path, 0, given={"seed": 3})
    with pytest.raises(DataError, match="was begun with seed 3, not 4"), open_session(path, given={"seed": 4}):
        pass


def test_a_journal_of_an_earlier_version_has_fewer_settings(path):
    before = go_on(path, 2)
    journal = Places.of(path).journal
    text = journal.read_text()
    assert text.count(', "dates": []') == 1
    journal.write_text(text.replace(', "dates": []', ""))
    assert go_on(path, 0) == before
    with pytest.raises(DataError, match="was begun with dates"), open_session(path, given={"dates": ("when",)}):
        pass


def test_files_that_no_session_wrote_are_not_replaced(path):
    Places.of(path).model.write_text("precious")
    with pytest.raises(DataError, match=r"notes.model: exists, but .*notes.journal does not"), open_session(path):
        pass
    assert Places.of(path).model.read_text() == "precious"
    assert not Places.of(path).journal.exists()


@pytest.mark.parametrize(
    "line",
    [
        "nonsense",
        "[]",
        "{}",
        '{"undo": 5}',
        '{"row": true, "audit": true, "probability": 0.5, "prediction": null, "label": "a"}',
        '{"row": 1, "audit": true, "probability": 0, "prediction": null, "label": "a"}',
        '{"row": 1, "audit": true, "probability": 0.5, "prediction": null, "label": 7}',
        '{"row": 1, "audit": true, "probability": 0.5, "label": "a"}',
        '{"row": 99, "audit": true, "probability": 0.5, "prediction": null, "label": "a"}',
    ],
)
def test_damaged_journals(path, line):
    go_on(path, 0)
    journal = Places.of(path).journal
    content = journal.read_text() + line + "\n"
    journal.write_text(content)
    with pytest.raises(DataError, match=r"notes\.journal(, line 2: is not|: row 99 was not)"), open_session(path):
        pass
    assert journal.read_text() == content


def test_bytes_that_changed_give_one_sentence_or_another_answer(path):
    """Whatever is in the place of a byte, reading ends well or with a DataError that names the file."""
    go_on(path, 2)
    journal = Places.of(path).journal
    content, chance = journal.read_bytes(), np.random.default_rng(0)
    said = []
    for _ in range(500):
        damaged = bytearray(content)
        for place in chance.integers(len(content), size=chance.integers(1, 4)):
            damaged[place] = chance.integers(256)
        journal.write_bytes(damaged)
        try:
            assert len(recorded(journal).answers) <= 2
        except DataError as error:
            said.append(str(error))
    assert 100 < len(said) < 500
    assert all(text.startswith(str(journal)) and "\n" not in text for text in said)


def test_another_kind_of_file_in_its_place(path):
    for content in ("", '{"journal": "other"}\n', "row,label\n"):
        Places.of(path).journal.write_text(content)
        with pytest.raises(DataError, match="journal of askance label"), open_session(path):
            pass
