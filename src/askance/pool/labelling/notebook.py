"""Labelling a data frame in a notebook."""

import os
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

from askance._util.optional import require
from askance._util.sealed_file import header_of
from askance.auto.files import from_bytes
from askance.auto.learner import AutoLearner
from askance.data.known_reading import remember_reading
from askance.errors import AskanceError, DataError
from askance.pool.labelling.journal import FRAME, Header
from askance.pool.labelling.panel import Panel
from askance.pool.labelling.recorded_session import (
    RecordedSession,
    begun_settings,
    new_session,
    opened_journal,
    reading_of,
)
from askance.pool.labelling.row_view import counted, is_reached, quality, stop_advice, values_of, why_it_ends
from askance.pool.labelling.session import LabellingSession
from askance.pool.labelling.table import LabelFrame, frame_to_label

OTHERWISE = "choose another journal="

# A cell that runs again opens its journal again, which must not wait for the labelling that the cell made before.
_open: dict[Path, "NotebookLabelling"] = {}


class NotebookLabelling:
    """A data frame that is being labelled. A cell that returns it shows the row to label, with buttons.

    Attributes
    ----------
    session : LabellingSession
        The questions and answers so far.
    """

    def __init__(
        self, frame: Any, table: LabelFrame, recorded: RecordedSession, panel_of: Any, limit: int | None
    ) -> None:
        self._frame = frame
        self._table = table
        self._recorded = recorded
        self._limit = limit
        self._files = ExitStack()
        self._is_closed = False
        self._checks = len(self.session.checks)
        self._panel: Panel = panel_of(self._press, self._press_undo)
        self._show()

    @property
    def session(self) -> LabellingSession:
        """The questions and answers so far."""
        session = self._recorded.session
        assert isinstance(session, LabellingSession)
        return session

    @property
    def labels(self) -> Any:
        """The labels, as a data frame of the same library: row (from 0), label, probability and audit.

        With pandas, it has the index of the rows, so that `frame.join` finds them.
        """
        given = [answer for answer in self.session.answers if answer.label is not None]
        columns = {
            "row": [answer.question.row for answer in given],
            "label": [answer.label for answer in given],
            "probability": [answer.question.probability for answer in given],
            "audit": [answer.question.audit for answer in given],
        }
        library = type(self._frame).__module__.partition(".")[0]
        if library == "polars":
            return require("polars", None, "a table of labels").DataFrame(columns)
        if library == "pyarrow":
            return require("pyarrow", "parquet", "a table of labels").table(columns)
        index = self._frame.index[columns["row"]] if library == "pandas" else None
        return require("pandas", None, "a table of labels").DataFrame(columns, index=index)

    @property
    def learner(self) -> AutoLearner:
        """The current model, which also predicts data frames like this one, and can be saved.

        Raises ValueError while there are no labels of two classes.
        """
        if not self._recorded.has_model:
            raise ValueError("there is no model yet: it needs labels of two classes")
        content = self._table.model_file(self.session.model())
        learner = from_bytes(content)
        remember_reading(learner, header_of(content))
        return learner

    def answer(self, label: str | None) -> Self:
        """Label the row that is shown, as a button does; None skips it."""
        self._check_open()
        if label is not None and (not isinstance(label, str) or not label.strip()):
            raise ValueError(f"a label is text that is not empty, not {label!r}")
        question = self.session.question()
        if question is None or is_reached(self._limit, self.session):
            raise ValueError("there is no question: all rows are answered, or the limit is reached")
        self._recorded.answer(label)
        guess = "" if question.prediction is None else f" (the model predicted {question.prediction})"
        self._show("skipped" if label is None else f"→ {label}{guess}")
        return self

    def undo(self) -> Self:
        """Undo the last answer."""
        self._check_open()
        undone = self._recorded.undo()
        self._show("there is no answer to undo" if undone is None else "undone")
        return self

    def close(self) -> None:
        """End the labelling and close the journal. Labels and model stay."""
        self._is_closed = True
        self._files.close()
        self._panel.end("This labelling is closed. Run the cell again to go on.")

    def __repr__(self) -> str:
        return f"<NotebookLabelling: {self._table.rows:,} rows, {counted(self.session)}>"

    def _repr_mimebundle_(self, **options: Any) -> Any:
        return self._panel.box._repr_mimebundle_(**options)

    # ------------------------------------------------------------------ inside

    def _check_open(self) -> None:
        if self._is_closed:
            raise ValueError("this labelling is closed: call label_in_notebook again to go on")
        if not self._recorded.is_settled:
            raise ValueError("the last answer was interrupted: call label_in_notebook again to go on")

    def _press(self, label: str | None) -> None:
        """A button was pressed: nobody sees an error that is raised now."""
        self._tried(lambda: self.answer(label))

    def _press_undo(self) -> None:
        self._tried(self.undo)

    def _tried(self, work: Any) -> None:
        try:
            work()
        except (OSError, ValueError, AskanceError) as error:
            self._panel.tell(self._progress(), f"This did not work: {error}")

    def _show(self, message: str = "") -> None:
        """Show the next question, or why there is none."""
        session = self.session
        question = None if is_reached(self._limit, session) else session.question()
        if question is None:
            self._panel.end(why_it_ends(self._limit, session))
        else:
            self._panel.ask(values_of(self._table, question.row), session.classes)
        if len(session.checks) > self._checks:
            message += f" {stop_advice(session)}"
        self._checks = len(session.checks)
        self._panel.tell(self._progress(), message.strip())

    def _progress(self) -> str:
        return f"{counted(self.session)} of {self._table.rows:,} rows; {quality(self.session)}"


def label_in_notebook(
    frame: Any,
    classes: Sequence[str] = (),
    *,
    journal: str | os.PathLike[str] | None = None,
    limit: int | None = None,
    audit: float | None = None,
    random_state: int | None = None,
    label: str | None = None,
    text: str | None = None,
    drop: Sequence[str] = (),
    categories: Sequence[str] = (),
    numbers: Sequence[str] = (),
    dates: Sequence[str] = (),
) -> NotebookLabelling:
    """Label the rows of a data frame with buttons, in a notebook.

    It asks about the row that the model is least certain of, learns the answer and ranks all rows again. A share
    of the questions is about rows at random, from which the accuracy is estimated. It needs ipywidgets, which the
    extra `notebook` installs.

    Parameters
    ----------
    frame : data frame of pandas, polars or pyarrow, or list of dict
        The rows. A column of labels, which may be named label, class, target or y, may have some already.
    classes : sequence of str, default=()
        The classes. You can add others while you label.
    journal : path-like, default=None
        A file in which every answer is on disk before the next question. The same call with the same frame goes on
        where you stopped. By default, answers are kept in memory only.
    limit : int, default=None
        End after this many labels.
    audit : float, default=None
        The share of questions about rows at random; 0.2 by default.
    random_state : int, default=None
        Decides all that is random; 0 by default.
    label : str, default=None
        The column with labels that are known already.
    text : str, default=None
        A column with text.
    drop, categories, numbers, dates : sequence of str, default=()
        Columns to leave out, and columns of a kind that you know better, as in `askance.data.read_table`.

    Returns
    -------
    NotebookLabelling
        What the cell shows. It has the `labels` as a data frame, and the `learner`.

    Raises
    ------
    ImportError
        If ipywidgets is not installed.
    askance.errors.DataError
        If the frame cannot be labelled, or the journal is about something else.

    Examples
    --------
    >>> import pandas
    >>> from askance.pool import label_in_notebook
    >>> frame = pandas.DataFrame({"size": [number / 10 for number in range(60)]})
    >>> labelling = label_in_notebook(frame, ["small", "large"])
    >>> for _ in range(20):  # or press the buttons
    ...     row = labelling.session.question().row
    ...     _ = labelling.answer("large" if row > 20 else "small")
    >>> len(labelling.labels)
    20
    >>> labelling.learner.predict(pandas.DataFrame({"size": [0.5, 5.5]})).tolist()
    ['small', 'large']
    """
    widgets = require("ipywidgets", "notebook", "labelling in a notebook")
    given: dict[str, Any] = {"classes": _checked(classes), "audit": audit, "seed": random_state, "label": label}
    kinds = {"categories": categories, "numbers": numbers, "dates": dates}
    given |= {"text": text, "drop": list(drop)} | {kind: list(names) for kind, names in kinds.items()}
    chosen = {name: value for name, value in given.items() if value not in (None, [])}
    path = None if journal is None else Path(journal).resolve()
    if path is not None and path in _open:
        _open.pop(path).close()
    settings = begun_settings(path, chosen, OTHERWISE)
    table = frame_to_label(frame, reading_of(settings))
    session = new_session(table, settings)
    with ExitStack() as files:
        opened = None
        if path is not None:
            header = Header(FRAME, table.sha256, settings)
            opened = files.enter_context(opened_journal(session, path, header, OTHERWISE))
        recorded = RecordedSession(session, opened)
        labelling = NotebookLabelling(frame, table, recorded, lambda *calls: Panel(widgets, *calls), limit)
        labelling._files = files.pop_all()
    if path is not None:
        _open[path] = labelling
    return labelling


def _checked(classes: Sequence[str]) -> list[str]:
    """Different names; raises DataError if they are not."""
    names = list(classes)
    if isinstance(classes, str) or not all(isinstance(name, str) and name.strip() for name in names):
        raise DataError(f"classes must be a list of names, such as ['ham', 'spam'], not {classes!r}")
    if len(set(names)) != len(names):
        raise DataError(f"classes must be different names, not {classes!r}")
    return names
