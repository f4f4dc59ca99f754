"""The work of `askance label FILE`: ask about rows until there are enough labels."""

import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.text import Text

from askance.cli.commands.label.answers import Answer, Answers
from askance.cli.commands.label.class_keys import ClassKeyAnswers, ClassKeys, ClassLineAnswers
from askance.cli.commands.label.keystrokes import Keyboard, keyboard
from askance.cli.commands.label.row_view import Progress, content_of, summary_of
from askance.cli.commands.label.web.work import label_in_page
from askance.cli.errors import StoppedError
from askance.cli.output.compiling import AUTO, compilation_announced
from askance.cli.output.console import stdout
from askance.cli.output.untrusted import harmless, in_one_line
from askance.pool.labelling.files import FileSession, open_session
from askance.pool.labelling.row_view import is_reached, quality, stop_advice, why_it_ends
from askance.pool.labelling.screening_session import ScreeningSession
from askance.pool.labelling.session import Question
from askance.service.shortcuts import QUIT, SKIP, UNDO


class FileRequest(NamedTuple):
    """The argument and options of `askance label FILE`; `given` are settings that are not the defaults.

    `page` is whether to ask in a page, and `browser` whether to open it.
    """

    file: Path
    out: Path | None
    limit: int | None
    given: dict[str, Any]
    page: bool = False
    browser: bool = True


def label_file(request: FileRequest) -> None:
    """Ask until the labeller quits, and write the labels and the model."""
    console = stdout()
    _check_page(request, request.given)
    with compilation_announced(AUTO), open_session(request.file, request.out, request.given) as opened:
        _check_page(request, opened.settings)
        _greet(opened, console)
        try:
            if request.page:
                label_in_page(opened, request.limit, console, browser=request.browser)
            elif opened.table.answers:
                _simulate(opened, request, console)
            else:
                with keyboard() as keys:
                    Dialogue(opened, keys, request, console).run()
        except KeyboardInterrupt:
            if opened.is_settled:  # otherwise the next start brings what is on disk in order
                opened.save()
            raise StoppedError(f"{summary_of(opened.session)}; the same command goes on from here") from None
        _conclude(opened, console)


class Dialogue:
    """Questions and answers in a terminal, or through pipes."""

    def __init__(self, opened: FileSession, keys: Keyboard | None, request: FileRequest, console: Console) -> None:
        self._opened = opened
        self._session = opened.session
        self._console = console
        self._limit = request.limit
        self._keys = ClassKeys(self._session.classes)
        # A word that is misspelt would be one more class that a screening does not look for.
        closed = bool(opened.settings["classes"]) or isinstance(self._session, ScreeningSession)
        self._answers: Answers = ClassLineAnswers(self._keys, closed=closed)
        if keys is not None:
            self._answers = ClassKeyAnswers(keys, self._keys, _echo)
        self._progress = Progress(self._session)
        self._checks = len(self._session.checks)

    def run(self) -> None:
        """Until the labeller quits, the limit is reached or all rows are answered."""
        while not is_reached(self._limit, self._session):
            question = self._session.question()
            if question is None:
                self._say(in_one_line(why_it_ends(self._limit, self._session)), "bold")
                return
            self._show(question)
            answer = self._answers.next()
            if answer.command == QUIT:
                return
            self._handle(answer, question)
            if len(self._session.checks) > self._checks and (advice := stop_advice(self._session)):
                self._say(advice, "green")
            self._checks = len(self._session.checks)

    def _handle(self, answer: Answer, question: Question) -> None:
        if answer.command == UNDO:
            undone = self._opened.undo()
            self._say("there is no answer to undo" if undone is None else "undone", "yellow")
        elif answer.command == SKIP:
            self._opened.answer(None)
        elif answer.label is not None:
            self._opened.answer(answer.label)
            self._keys.add(answer.label)
            guess = "" if question.prediction is None else f" (the model predicted {question.prediction})"
            self._say(in_one_line(f"→ {answer.label}{guess}"), "bold")

    def _show(self, question: Question) -> None:
        self._say(f"\nrow {question.row}", "dim")
        self._say(content_of(self._opened.table, question.row))
        self._say(self._keys.line(), "cyan")
        self._say(self._progress.line(), "dim")
        self._answers.begin()

    def _say(self, text: str, style: str = "") -> None:
        self._console.print(Text(text, style), soft_wrap=True)


def _simulate(opened: FileSession, request: FileRequest, console: Console) -> None:
    """Answer from the column of answers. A row that has none is skipped."""
    session = opened.session
    while not is_reached(request.limit, session):
        question = session.question()
        if question is None:
            return
        checks = len(session.checks)
        opened.answer(opened.table.answers.get(question.row))
        if len(session.checks) > checks:
            steady = "; you could stop" if stop_advice(session) else ""
            console.print(
                f"{len(session.labels):,} labels; {in_one_line(quality(session))}{steady}", soft_wrap=True
            )


def _check_page(request: FileRequest, settings: Mapping[str, Any]) -> None:
    """Raise ValueError if a page would have nothing to ask."""
    if request.page and settings.get("answers"):
        raise ValueError(f"--web: the answers come from the column {settings['answers']!r}: remove --web")


def _greet(opened: FileSession, console: Console) -> None:
    table, session = opened.table, opened.session
    known = f", {len(session.known):,} of them with a label" if session.known else ""
    console.print(
        f"{table.path.name}: {table.rows:,} rows{known}. Columns: {table.stream.described()}.", soft_wrap=True
    )
    if session.answers:
        console.print(f"Going on after {len(session.answers):,} answers.")


def _conclude(opened: FileSession, console: Console) -> None:
    """Write the files and say what was written."""
    written = opened.save()
    if opened.statement:
        console.print(Text(harmless(opened.statement)), soft_wrap=True)
    else:
        console.print(f"{summary_of(opened.session)}; {in_one_line(quality(opened.session))}.", soft_wrap=True)
    listed = ", ".join(map(str, [*written, opened.places.journal]))
    console.print(f"Wrote {listed}.", soft_wrap=True)
    if opened.has_model:
        command = shlex.join(["askance", "predict", str(opened.places.model), str(opened.table.path)])
        console.print(f"Predict with   {command}", soft_wrap=True)
    else:
        console.print("There is no model yet: it needs labels of two classes.")


def _echo(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
