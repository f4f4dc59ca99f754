"""Labelling a data frame in a notebook, by pressing the buttons without a browser."""

import sys

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import askance
from askance.cli.commands.push.take_over import labelled_rows
from askance.errors import DataError
from askance.pool import LabellingSession, label_in_notebook
from askance.pool.labelling import panel
from askance.pool.labelling.journal import recorded
from askance.pool.labelling.table import Reading, frame_to_label
from needs import NOT_RUN

try:
    import ipywidgets
except ImportError:
    ipywidgets = None

needs_widgets = pytest.mark.skipif(ipywidgets is None, reason=f"{NOT_RUN}labelling in a notebook needs ipywidgets")
CLASSES = ["large", "small"]


@pytest.fixture(autouse=True)
def no_double_clicks(monkeypatch):
    """Presses of a test follow each other faster than those of a person."""
    monkeypatch.setattr(panel, "DOUBLE_CLICK", 0.0)


def frame(rows=60):
    """Rows with an index of their own, a number, a category and a text."""
    chance = np.random.default_rng(0)
    columns = {
        "size": chance.normal(size=rows).round(3),
        "city": chance.choice(["Rome", "Oslo"], rows),
        "note": [f"it was <b>{word}</b> & {row}" for row, word in enumerate(chance.choice(["new", "old"], rows))],
    }
    return pandas.DataFrame(columns, index=[f"item {row}" for row in range(rows)])


def truth(rows, row):
    return "large" if rows["size"].iloc[row] > 0 else "small"


def press(labelling, name):
    """Press a button, as a browser does."""
    own = labelling._panel
    buttons = {button.description: button for button in (*own.classes.children, own.skip, own.undo, own.add)}
    assert not buttons[name].disabled
    buttons[name].click()


def go_on(labelling, rows, number):
    for _ in range(number):
        press(labelling, truth(rows, labelling.session.question().row))


@needs_widgets
def test_buttons_give_labels_and_a_model():
    rows = frame()
    labelling = label_in_notebook(rows, CLASSES)
    assert [button.description for button in labelling._panel.classes.children] == CLASSES
    go_on(labelling, rows, 25)
    labels = labelling.labels
    assert list(labels.columns) == ["row", "label", "probability", "audit"]
    assert (labels.index == rows.index[labels.row]).all()
    assert rows.join(labels).label.notna().sum() == 25
    assert [truth(rows, row) for row in labels.row] == labels.label.tolist()
    assert labels.audit[:10].all()
    assert labels.probability.between(0, 1).all()
    learner = labelling.learner
    assert (learner.predict(rows) == [truth(rows, row) for row in range(60)]).mean() > 0.8
    assert "25 labels" in repr(labelling)


@needs_widgets
def test_questions_are_those_of_a_session():
    """The same rows are asked about, with the same probabilities, as by the session without a notebook."""
    rows = frame()
    labelling = label_in_notebook(rows, CLASSES, audit=0.3, random_state=5)
    twin = LabellingSession(frame_to_label(rows, Reading()).X, classes=CLASSES, audit=0.3, random_state=5)
    for number in range(20):
        assert labelling.session.question() == twin.question()
        label = None if number == 7 else truth(rows, twin.question().row)
        press(labelling, "Skip" if label is None else label)
        twin.answer(label)
    assert labelling.session.estimate() == twin.estimate()
    assert labelling.session.skipped == 1


@needs_widgets
def test_undo_goes_back():
    rows = frame()
    labelling = label_in_notebook(rows, CLASSES)
    press(labelling, "Undo")
    assert "there is no answer to undo" in labelling._panel.message.value
    go_on(labelling, rows, 12)
    question = labelling.session.question()
    press(labelling, "small")
    press(labelling, "Undo")
    assert labelling.session.question() == question
    assert len(labelling.labels) == 12


@needs_widgets
def test_a_class_can_be_added():
    rows = frame()
    labelling = label_in_notebook(rows)
    assert not labelling._panel.classes.children
    press(labelling, "Add")  # nothing is typed yet
    for name in ("small", " huge "):
        labelling._panel.other.value = name
        press(labelling, "Add")
        assert labelling._panel.other.value == ""
    assert [button.description for button in labelling._panel.classes.children] == ["small", "huge"]
    assert labelling.labels.label.tolist() == ["small", "huge"]


@needs_widgets
def test_a_journal_goes_on_where_it_stopped(tmp_path):
    rows, journal = frame(), tmp_path / "sizes.journal"
    whole = label_in_notebook(rows, CLASSES)
    go_on(whole, rows, 20)
    first = label_in_notebook(rows, CLASSES, journal=journal)
    go_on(first, rows, 13)
    assert len(recorded(journal).answers) == 13
    second = label_in_notebook(rows, journal=journal)  # the cell runs again: the first gives way
    go_on(second, rows, 7)
    pandas.testing.assert_frame_equal(second.labels, whole.labels)
    assert second.session.question() == whole.session.question()
    with pytest.raises(ValueError, match="this labelling is closed: call label_in_notebook again"):
        first.answer("small")
    assert len(recorded(journal).answers) == 20
    second.close()
    with pytest.raises(DataError, match="is about a data frame, which is not a file: import its labels"):
        labelled_rows(journal)
    assert len(second.labels) == 20
    assert second.learner.predict(rows).shape == (60,)


@needs_widgets
def test_a_journal_of_something_else_is_refused(tmp_path):
    rows, journal = frame(), tmp_path / "sizes.journal"
    label_in_notebook(rows, CLASSES, journal=journal).answer("small").close()
    before = journal.read_bytes()
    with pytest.raises(
        DataError, match="is about another content of the data frame: restore it, or choose another "
    ):
        label_in_notebook(rows.assign(size=0.5), journal=journal)
    with pytest.raises(
        DataError, match=r"was begun with audit 0\.2, not 0\.5: leave it out, or choose another journal="
    ):
        label_in_notebook(rows, journal=journal, audit=0.5)
    assert journal.read_bytes() == before
    labelling = label_in_notebook(rows, journal=journal)
    assert len(labelling.labels) == 1
    labelling.close()


@needs_widgets
def test_rows_are_shown_and_nothing_in_them_is_code():
    labelling = label_in_notebook(frame(), CLASSES)
    row = labelling.session.question().row
    shown = labelling._panel.content.value
    assert "&lt;b&gt;" in shown
    assert "<b>" not in shown
    assert str(frame()["size"].iloc[row]) in shown
    texts = pandas.DataFrame({"text": [f"{word}\n<script> {row}" for row in range(30) for word in ("a", "b")]})
    only = label_in_notebook(texts, CLASSES, text="text")._panel.content.value
    assert only.startswith("<p style='white-space: pre-wrap'>")
    assert "<script>" not in only
    evil = label_in_notebook(frame(), CLASSES)
    evil.answer("<i>huge</i>")
    assert "<i>" not in evil._panel.message.value + evil._panel.progress.value


@needs_widgets
def test_progress_and_advice():
    rows = frame(200)
    labelling = label_in_notebook(rows, CLASSES)
    assert "0 labels of 200 rows; accuracy not yet known" in labelling._panel.progress.value
    messages = []
    for _ in range(120):
        press(labelling, truth(rows, labelling.session.question().row))
        messages.append(labelling._panel.message.value)
    assert "labels at random" in labelling._panel.progress.value
    assert "the model predicted" in messages[-1]
    assert any("You could stop: " in message for message in messages)


@needs_widgets
def test_a_limit_and_the_last_row():
    rows = frame(12)
    labelling = label_in_notebook(rows, CLASSES, limit=3)
    go_on(labelling, rows, 3)
    assert "3 labels are given" in labelling._panel.content.value
    assert labelling._panel.skip.disabled
    with pytest.raises(ValueError, match="there is no question"):
        labelling.answer("small")
    labelling.undo()
    assert not labelling._panel.skip.disabled
    every = label_in_notebook(rows, CLASSES)
    go_on(every, rows, 12)
    assert "All rows are answered" in every._panel.content.value


@needs_widgets
def test_the_second_of_two_clicks_is_ignored(monkeypatch):
    monkeypatch.setattr(panel, "DOUBLE_CLICK", 0.3)
    labelling = label_in_notebook(frame(), CLASSES)
    now = [labelling._panel._shown_at + 1]
    labelling._panel._clock = lambda: now[0]
    press(labelling, "small")
    now[0] += 0.2
    press(labelling, "small")
    assert len(labelling.labels) == 1
    press(labelling, "Undo")
    assert len(labelling.labels) == 0
    now[0] += 1
    press(labelling, "small")
    assert len(labelling.labels) == 1


@needs_widgets
def test_an_error_is_shown_where_it_can_be_seen(tmp_path, monkeypatch):
    rows = frame()
    labelling = label_in_notebook(rows, CLASSES, journal=tmp_path / "full.journal")

    def full(_answer):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(labelling._recorded.journal, "add", full)
    press(labelling, "small")
    assert "This did not work: [Errno 28] No space left on device" in labelling._panel.message.value
    press(labelling, "small")
    assert "the last answer was interrupted: call label_in_notebook again" in labelling._panel.message.value
    monkeypatch.undo()
    again = label_in_notebook(rows, journal=tmp_path / "full.journal")
    assert len(again.labels) == 0
    again.close()


@needs_widgets
@pytest.mark.parametrize("kind", [polars.DataFrame, pyarrow.table, pandas.DataFrame])
def test_labels_are_a_frame_of_the_same_library(kind):
    columns = {"size": [number / 7 for number in range(40)]}
    labelling = label_in_notebook(kind(columns), CLASSES).answer("small")
    assert type(labelling.labels) is type(kind(columns))
    records = [{"size": size} for size in columns["size"]]
    assert list(label_in_notebook(records, CLASSES).answer("small").labels.label) == ["small"]


@needs_widgets
def test_labels_that_are_known_are_learned():
    rows = frame().assign(label=[truth(frame(), row) if row < 20 else None for row in range(60)])
    labelling = label_in_notebook(rows)
    assert labelling.session.classes == CLASSES
    assert labelling.session.question().row >= 20
    assert len(labelling.labels) == 0
    assert labelling.learner.predict(rows).shape == (60,)


@needs_widgets
def test_a_saved_model_predicts_the_frame(tmp_path):
    rows = frame()
    labelling = label_in_notebook(rows, CLASSES)
    with pytest.raises(ValueError, match="there is no model yet: it needs labels of two classes"):
        _ = labelling.learner
    go_on(labelling, rows, 15)
    labelling.learner.save(tmp_path / "sizes.model")
    np.testing.assert_array_equal(
        askance.load(tmp_path / "sizes.model").predict(rows), labelling.learner.predict(rows)
    )


@needs_widgets
def test_mistakes_are_refused():
    for classes in ("small", ["small", "small"], ["small", ""], [0, 1]):
        with pytest.raises(DataError, match="classes must be "):
            label_in_notebook(frame(), classes)
    with pytest.raises(DataError, match="all rows have a label in 'city'"):
        label_in_notebook(frame(), label="city")
    with pytest.raises(DataError, match="give one data frame"):
        label_in_notebook([frame(), frame()], CLASSES)
    with pytest.raises(DataError, match="is not a table"):
        label_in_notebook(3, CLASSES)
    labelling = label_in_notebook(frame(), CLASSES)
    for label in ("", " ", 3):
        with pytest.raises(ValueError, match="a label is text that is not empty"):
            labelling.answer(label)
    assert len(labelling.labels) == 0


@needs_widgets
def test_a_notebook_shows_the_widgets():
    shown = label_in_notebook(frame(), CLASSES)._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in (shown[0] if isinstance(shown, tuple) else shown)


def test_without_widgets_there_is_one_sentence(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    with pytest.raises(
        ImportError, match=r"labelling in a notebook needs ipywidgets: pip install 'askance\[notebook\]'"
    ):
        label_in_notebook(frame(), CLASSES, journal=tmp_path / "some.journal")
    assert not list(tmp_path.iterdir())
