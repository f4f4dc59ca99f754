"""A session about a file as a page sees it: what it shows, and what it may do. One request at a time."""

import threading
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from askance.cli.commands.label.class_keys import ClassKeys
from askance.cli.commands.label.row_view import Progress
from askance.pool.labelling.files import FileSession
from askance.pool.labelling.row_view import Extent, is_reached, stop_advice, values_of, why_it_ends
from askance.pool.labelling.session import Answer, Question

WHOLE = Extent(text=100_000, cell=10_000, columns=1000, keeps_lines=True)
RECENT = 6  # answers that are listed
EXCERPT = 120  # characters of each of their rows

OK, BAD, CONFLICT, GONE = 200, 400, 409, 410
ENDED = "The labelling has ended. Run the command again to go on."


class Reply(NamedTuple):
    """A status of HTTP, and what the page shows: `message`, and the current state unless the session has ended."""

    status: int
    content: dict[str, Any]


class PageSession:
    """Questions and answers through a page. Several threads may call it."""

    def __init__(self, opened: FileSession, limit: int | None) -> None:
        self._opened = opened
        self._session = opened.session
        self._limit = limit
        self._keys = ClassKeys(self._session.classes)
        self._progress = Progress(self._session)
        self._lock = threading.Lock()
        self._has_ended = False
        self._works: dict[str, Callable[[Mapping[str, Any]], tuple[int, str]]] = {
            "state": lambda _: (OK, ""),
            "answer": self._answer,
            "undo": self._undo,
            "finish": self._finish,
        }

    def handle(self, name: str, given: Mapping[str, Any]) -> Reply:
        """Do what the page asks for: state, answer, undo or finish."""
        with self._lock:
            if self._has_ended:
                return Reply(GONE, {"message": ENDED})
            try:
                status, message = self._works[name](given)
                state = {} if self._has_ended else {"state": self._state()}
            except BaseException:
                self._has_ended = True  # what is in memory may be incomplete; the journal is not
                raise
            return Reply(status, {"message": message, **state})

    def end(self) -> None:
        """Refuse all that comes from now on, and wait until what has begun is done."""
        self._has_ended = True
        with self._lock:
            pass

    # ------------------------------------------------------------------ what a page may do

    def _answer(self, given: Mapping[str, Any]) -> tuple[int, str]:
        label = self._label_of(given)
        if label == "":
            return BAD, "The name of a class is one line of text that is not empty."
        question = self._question()
        if question is None or question.row != given.get("row"):
            return CONFLICT, "Another row is asked about now, so nothing was changed. This is the current one."
        self._opened.answer(label)
        if label is None:
            return OK, f"Row {question.row}: skipped."
        self._keys.add(label)
        guess = "" if question.prediction is None else f" The model predicted {question.prediction}."
        return OK, f"Row {question.row}: {label}.{guess}"

    def _undo(self, given: Mapping[str, Any]) -> tuple[int, str]:
        last = self._session.answers[-1:]
        if not last:
            return CONFLICT, "There is no answer to undo."
        row = last[0].question.row
        if row != given.get("row"):
            return CONFLICT, "Another answer is the last one now, so nothing was changed."
        self._opened.undo()
        return OK, f"Row {row}: undone."

    def _finish(self, _: Mapping[str, Any]) -> tuple[int, str]:
        self._has_ended = True
        return OK, f"{self._progress.line()}."

    def _label_of(self, given: Mapping[str, Any]) -> str | None:
        """A class, also a new one; None to skip; empty if it is neither."""
        label = given.get("label", "")
        if label is None or label in self._keys.names:
            return label if label is None else str(label)
        return label.strip() if isinstance(label, str) and label.isprintable() else ""

    # ------------------------------------------------------------------ what a page shows

    def _question(self) -> Question | None:
        return None if is_reached(self._limit, self._session) else self._session.question()

    def _state(self) -> dict[str, Any]:
        session, table = self._session, self._opened.table
        question = self._question()
        keys = {name: key for key, name in self._keys.by_key.items()}
        return {
            "file": table.path.name,
            "question": None
            if question is None
            else {"row": question.row, "values": values_of(table, question.row, WHOLE)},
            "end": why_it_ends(self._limit, session) if question is None else "",
            "classes": [{"name": name, "key": keys.get(name, "")} for name in self._keys.names],
            "progress": self._progress.line(),
            "advice": stop_advice(session),
            "recent": [self._recent(answer) for answer in session.answers[: -RECENT - 1 : -1]],
        }

    def _recent(self, answer: Answer) -> dict[str, Any]:
        question, label = answer
        values = [value for _, value in values_of(self._opened.table, question.row)]
        text = " ".join(" · ".join(values).split())
        return {"row": question.row, "text": text[:EXCERPT], "label": label, "prediction": question.prediction}
