"""Screenings at the labelling desk: order and certificate of `Screening`, a journal, undo and a statement."""

import csv

import numpy as np
import pytest

from askance.auto.codec import encode
from askance.errors import DataError, ParameterError
from askance.pool import LabellingSession, Screening
from askance.pool.labelling.files import Places, open_session
from askance.pool.labelling.row_view import counted, quality, statement, stop_advice, why_it_ends
from askance.pool.labelling.screening_session import ScreeningSession
from askance.pool.labelling.session import Answer, Question


def rows(count=600):
    return np.random.default_rng(0).normal(size=(count, 3))


def truth(X, row):
    return "relevant" if X[row, 0] > 1.0 else "irrelevant"


def begun(X, recall=0.9, **options):
    return ScreeningSession(X, recall=recall, positive="relevant", **options)


def read_on(session, X, number):
    for _ in range(number):
        session.answer(truth(X, session.question().row))


def state_of(session):
    """All that the next row, the certificate and the files follow from."""
    screening = session.screening
    return (
        encode(screening._core),
        session.question(),
        dict(session.labels),
        list(screening.positives),
        screening.recall,
        statement(session, "x.csv"),
    )


def test_it_reads_what_a_screening_reads_and_ends_with_the_same_certificate():
    X = rows()
    session, screening = begun(X), Screening(X, recall=0.9)
    while (reading := screening.next()) is not None:
        question = session.question()
        assert (question.row, question.audit) == reading
        unread = 600 - screening.certifier.read
        assert question.probability == (pytest.approx(1 / unread) if reading.random else 1.0)
        screening.answer(truth(X, reading.row) == "relevant")
        session.answer(truth(X, question.row))
    assert session.question() is None
    assert session.screening.certifier.read == screening.certifier.read < 600
    assert session.screening.recall == screening.certifier.recall >= 0.9
    assert why_it_ends(None, session).startswith("Enough is found: recall at least 9")
    with pytest.raises(ValueError, match="there is no question"):
        session.answer("relevant")


def test_after_an_undo_all_is_as_before():
    X = rows(200)
    session, states = begun(X), []
    for number in range(40):
        states.append(state_of(session))
        row = session.question().row
        session.answer(None if number % 9 == 5 else truth(X, row))
    for number in range(39, -1, -1):
        assert session.undo().question == states[number][1]
        assert state_of(session) == states[number]
    assert session.undo() is None


def test_a_skipped_row_counts_as_one_that_was_not_found():
    """The twin: a screening in which it was positive, whose certificate is about one more."""
    X = rows(300)
    skipping, twin = Screening(X), Screening(X)
    for number in range(150):
        reading = skipping.next()
        twin.read_next(reading)
        relevant = truth(X, reading.row) == "relevant"
        if number % 10 == 3:
            skipping.skip()
        else:
            skipping.answer(relevant)
        twin.answer(True if number % 10 == 3 else relevant)
    assert skipping.skipped == 15
    assert skipping.certifier.most == twin.certifier.most
    assert len(skipping.positives) == len(twin.positives) - 15
    assert skipping.recall == len(skipping.positives) / twin.certifier.most < twin.recall


def test_known_labels_count_as_read_and_are_learned():
    X = rows(300)
    known = {row: truth(X, row) for row in range(100)}
    session = begun(X, known=known)
    assert session.screening.certifier.read == 100
    assert not session.question().audit, "a positive is known, so there is a likely one"
    while (question := session.question()) is not None:
        assert question.row >= 100
        session.answer(truth(X, question.row))
    assert "Of these, 100 had a label before, " in statement(session, "x.csv")


def test_rows_that_another_version_has_read_stay_read():
    """Its ranking may be another one; what was drawn at random and what was found decide the certificate."""
    X = rows(100)
    session = begun(X)
    others = [row for row in range(100) if row != session.question().row][:30]
    session.repeat([Answer(Question(row, False, 1.0, None), truth(X, row)) for row in others])
    assert [answer.question.row for answer in session.answers] == others
    assert session.screening.positives == [row for row in others if truth(X, row) == "relevant"]
    assert session.question().row not in others


def test_progress_says_what_is_known():
    X = rows(80)
    session = begun(X)
    assert counted(session) == "0 of 80 rows read, 0 relevant found"
    assert quality(session) == "nothing is known about the recall yet"
    assert stop_advice(session) == ""
    while session.question() is not None and session.screening.recall < 0.2:
        read_on(session, X, 1)
    assert quality(session).startswith("recall at least 2")
    assert quality(session).endswith("% (95% confidence)")
    while session.question() is not None:
        session.answer(None)
    assert ", 0 skipped" not in counted(session)
    assert "skipped" in counted(session)
    assert "(each counts as one that was not found)" in statement(session, "x.csv")


def test_a_pool_without_positives_is_read_to_its_end():
    session = begun(rows(40))
    while session.question() is not None:
        session.answer("irrelevant")
    assert why_it_ends(None, session) == "All rows are answered."
    assert "Reached: there are none." in statement(session, "x.csv")


def test_a_class_that_is_not_there():
    with pytest.raises(ParameterError, match="positive must be one of 'a', 'b', not 'relevant'"):
        begun(rows(10), classes=["a", "b"])


# ---------------------------------------------------------------------- files


@pytest.fixture
def path(tmp_path):
    found = tmp_path / "records.csv"
    X = rows(200)
    with found.open("w", newline="") as file:
        csv.writer(file).writerows([["left", "middle", "right"], *X.tolist()])
    return found


GIVEN = {"recall": 0.8}


def go_on(path, number, given=None):
    X = rows(200)
    with open_session(path, given=given) as opened:
        for _ in range(number):
            if opened.session.question() is None:
                break
            opened.answer(truth(X, opened.session.question().row))
        opened.save()
        return state_of(opened.session)


def contents(path):
    return [place.read_bytes() for place in Places.of(path)]


def test_a_screening_goes_on_as_if_it_had_not_stopped(path):
    for number in (7, 40, 1, 200):
        last = go_on(path, number, GIVEN)
    parts = contents(path)
    for place in Places.of(path):
        place.unlink()
    assert go_on(path, 200, GIVEN) == last
    assert contents(path) == parts


def test_what_is_written(path):
    go_on(path, 5, GIVEN)
    unfinished = Places.of(path).statement.read_text()
    assert "Records in the file: 200.\nRead: 5. Of these, " in unfinished
    assert "Reading was not finished: it ends when the recall is at least 80.0% with 95% confidence" in unfinished
    go_on(path, 200)
    written = Places.of(path).statement.read_text()
    assert "Reading ended because " in written
    with Places.of(path).labels.open() as file:
        lines = list(csv.DictReader(file))
    assert f"Read: {len(lines)}. " in written
    assert f"Found: {sum(line['label'] == 'relevant' for line in lines)} relevant." in written
    drawn = sum(line["audit"] == "yes" for line in lines)
    assert f"{drawn} were drawn at random" in written


def test_an_undo_is_replayed(path):
    X = rows(200)
    go_on(path, 30, GIVEN)
    with open_session(path) as opened:
        before = state_of(opened.session)
        row = opened.session.question().row
        opened.answer("irrelevant" if truth(X, row) == "relevant" else "relevant")
        opened.undo()
    with open_session(path) as opened:
        assert state_of(opened.session) == before


def test_the_class_to_find_must_be_clear(path):
    with pytest.raises(DataError, match="there are the classes 'a', 'b': name the one to find with positive="):
        go_on(path, 1, {**GIVEN, "classes": ["a", "b"]})
    go_on(path, 1, {**GIVEN, "positive": "yes"})
    with open_session(path) as opened:
        assert opened.session.given_classes == ("yes", "not yes")


def test_a_session_that_was_begun_without_a_screening_stays_one(path):
    with open_session(path, given={"classes": ["relevant", "irrelevant"]}) as opened:
        assert isinstance(opened.session, LabellingSession)
    with pytest.raises(DataError, match=r"was begun with recall None, not 0\.8"):
        go_on(path, 1, GIVEN)
