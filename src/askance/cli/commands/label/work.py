"""What `askance label` does: show a question, take an answer, until somebody has had enough."""

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.text import Text

from askance.cli.commands.label.answers import Answer, Answers, KeyAnswers, LineAnswers
from askance.cli.commands.label.keystrokes import Keyboard, keyboard
from askance.cli.commands.label.lease_queue import Desk
from askance.cli.errors import Interrupted
from askance.cli.output.console import stdout
from askance.cli.output.untrusted import harmless, in_one_line, shortened
from askance.service.client import Client
from askance.service.messages import Question
from askance.service.settings import TaskSettings
from askance.service.shortcuts import QUIT, SKIP, UNDO, VERBS


def answer(task: str, url: str | None, token: str | None) -> None:
    """Ask until the labeller quits, and give back what is left."""
    with Client(url, token, task, retries=1) as first_contact:
        settings = first_contact.task_detail().settings  # a wrong address, token or task is told at once
    console = stdout()
    with (
        Client(url, token, task) as client,
        keyboard() as keys,
        Desk(client, settings.labels.lease_seconds) as desk,
    ):
        try:
            Session(
                desk, _answers(keys, settings), console, shows_guess=settings.interface.prediction == "shown"
            ).run()
        except KeyboardInterrupt:
            raise Interrupted(_told(desk)) from None
        console.print(_told(desk))


class Session:
    """Questions and answers."""

    def __init__(self, desk: Desk, answers: Answers, console: Console, *, shows_guess: bool) -> None:
        self._desk = desk
        self._answers = answers
        self._console = console
        self._shows_guess = shows_guess

    def run(self) -> None:
        """Until the labeller quits."""
        told_to_wait = False
        while True:
            question = self._desk.question()
            if question is None:
                if not told_to_wait:
                    self._say("nothing to ask now; waiting — q quits", "dim")
                told_to_wait = True
                said = self._answers.wait()
            else:
                told_to_wait = False
                self._show(question)
                self._desk.fetch_ahead()
                said = self._answers.next()
            if said is not None and not self._does(said, question):
                return

    def _does(self, said: Answer, question: Question | None) -> bool:
        """Do what was said; False to quit."""
        if said.verb == QUIT:
            return False
        if said.verb == UNDO:
            if not self._desk.undo():
                self._say("no label was given here that could be taken back", "yellow")
        elif question is not None and said.verb == SKIP:
            self._desk.skip()
        elif question is not None and said.label is not None:
            guess = "" if self._shows_guess else f" (the model would have said {in_one_line(question.prediction)})"
            self._say(f"→ {in_one_line(said.label)}{guess}", "bold")
            refused = self._desk.label(said.label)
            if refused is not None:
                self._say(in_one_line(refused), "yellow")
        return True

    def _show(self, question: Question) -> None:
        name = "" if question.id is None else f" · {in_one_line(question.id)}"
        self._say(f"\n{question.item}{name}", "dim")
        self._say(content_of(question))
        if question.note:
            self._say(f"note: {shortened(in_one_line(question.note))}", "italic")
        if self._shows_guess:
            self._say(f"guess {in_one_line(question.prediction)}: score {question.score:.2g}", "dim")
        self._say(f"asked with probability {question.ask_probability:.2g}", "dim")
        self._say(key_line(self._answers.keys), "cyan")
        self._say(_told(self._desk), "dim")
        self._answers.begin()

    def _say(self, text: str, style: str = "") -> None:
        self._console.print(Text(text, style), soft_wrap=True)


def content_of(question: Question) -> str:
    """The text, or the record's fields a line each, with nothing in it that a terminal would obey."""
    if question.record is None:
        return shortened(harmless(question.text or "(no text)"))
    return "\n".join(_field(name, value) for name, value in question.record.items()) or "(no fields)"


def key_line(keys: Mapping[str, str]) -> str:
    """Which key means what."""
    classes = [f"[{key}] {in_one_line(name)}" for key, name in keys.items()]
    return "  ".join([*classes, *(f"[{key}] {verb}" for key, verb in VERBS.items())])


def _field(name: str, value: Any) -> str:
    return f"{in_one_line(name)}: {shortened(in_one_line(value if isinstance(value, str) else repr(value)))}"


def _answers(keys: Keyboard | None, settings: TaskSettings) -> Answers:
    # A key of the task that is a verb here means its class on the page alone.
    chosen = {name: key for name, key in settings.interface.keys.items() if key.lower() not in VERBS}
    if keys is None:
        return LineAnswers(settings.classes, chosen)
    return KeyAnswers(keys, settings.classes, chosen)


def _told(desk: Desk) -> str:
    return f"{desk.given:,} labelled, {desk.rate:.0f} a minute"
