"""The work of `askance label`: show questions and send answers until the labeller quits."""

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.text import Text

from askance._util.shortened import shortened
from askance.cli.commands.label.answers import Answer, Answers, KeyAnswers, LineAnswers
from askance.cli.commands.label.keystrokes import Keyboard, keyboard
from askance.cli.commands.label.lease_queue import LeaseQueue
from askance.cli.errors import StoppedError
from askance.cli.output.console import stdout
from askance.cli.output.untrusted import harmless, in_one_line
from askance.service.client import Client
from askance.service.columns import vector_name
from askance.service.label_sets import in_words
from askance.service.messages import Question
from askance.service.settings import TaskSettings
from askance.service.shortcuts import QUIT, SKIP, UNDO, VERBS, keys_if_enough, keys_of, with_chosen


def answer(task: str, url: str | None, token: str | None) -> None:
    """Ask until the labeller quits, and release the other questions."""
    with Client(url, token, task, retries=1) as first_contact:
        settings = first_contact.task_detail().settings  # reports a wrong address, token or task at once
    if settings.multilabel:
        raise ValueError(f"{settings.name} is a multilabel task: label its items on the page of the task")
    console = stdout()
    with (
        Client(url, token, task) as client,
        keyboard() as keys,
        LeaseQueue(client, settings.labels.lease_seconds) as queue,
    ):
        try:
            Session(
                queue, _answers(keys, settings), console, shows_guess=settings.interface.prediction == "shown"
            ).run()
        except KeyboardInterrupt:
            raise StoppedError(_summary(queue)) from None
        console.print(_summary(queue))


class Session:
    """A dialogue of questions and answers."""

    def __init__(self, queue: LeaseQueue, answers: Answers, console: Console, *, shows_guess: bool) -> None:
        self._queue = queue
        self._answers = answers
        self._console = console
        self._shows_guess = shows_guess

    def run(self) -> None:
        """Until the labeller quits."""
        waiting = False
        while True:
            question = self._queue.question()
            if question is None:
                if not waiting:
                    self._say("no questions at the moment; waiting (q quits)", "dim")
                waiting = True
                given = self._answers.wait()
            else:
                waiting = False
                self._show(question)
                self._queue.fetch_ahead()
                given = self._answers.next()
            if given is not None and not self._handle(given, question):
                return

    def _handle(self, given: Answer, question: Question | None) -> bool:
        """Handle an answer; False to quit."""
        if given.command == QUIT:
            return False
        if given.command == UNDO:
            if not self._queue.undo():
                self._say("there is no label to undo", "yellow")
        elif question is not None and given.command == SKIP:
            self._queue.skip()
        elif question is not None and given.label is not None:
            guess = (
                "" if self._shows_guess else f" (the model predicted {in_one_line(in_words(question.prediction))})"
            )
            self._say(f"→ {in_one_line(given.label)}{guess}", "bold")
            refusal = self._queue.label(given.label)
            if refusal is not None:
                self._say(in_one_line(refusal), "yellow")
        return True

    def _show(self, question: Question) -> None:
        name = "" if question.id is None else f" · {in_one_line(question.id)}"
        self._say(f"\n{question.item}{name}", "dim")
        self._say(content_of(question))
        if question.note:
            self._say(f"note: {shortened(in_one_line(question.note))}", "italic")
        if self._shows_guess:
            self._say(f"prediction {_predicted(question)}, score {question.score:.2g}", "dim")
        chance = question.ask_probability
        self._say("the model is in doubt" if chance is None else f"asked with probability {chance:.2g}", "dim")
        self._say(key_line(self._answers.keys), "cyan")
        self._say(_summary(self._queue), "dim")
        self._answers.begin()

    def _say(self, text: str, style: str = "") -> None:
        self._console.print(Text(text, style), soft_wrap=True)


def content_of(question: Question) -> str:
    """The text, the fields of the record and the length of the vector, with control characters escaped."""
    parts = []
    if question.text is not None or (question.record is None and question.vector_length is None):
        parts.append(shortened(harmless(question.text or "(no text)")))
    if question.record is not None:
        parts.append("\n".join(_field(name, value) for name, value in question.record.items()) or "(no fields)")
    if question.vector_length is not None:
        parts.append(f"({vector_name(question.vector_length)})")
    return "\n".join(parts)


def key_line(keys: Mapping[str, str]) -> str:
    """The keys and their meanings."""
    classes = [f"[{key}] {in_one_line(name)}" for key, name in keys.items()]
    return "  ".join([*classes, *(f"[{key}] {verb}" for key, verb in VERBS.items())])


def _field(name: str, value: Any) -> str:
    return f"{in_one_line(name)}: {shortened(in_one_line(value if isinstance(value, str) else repr(value)))}"


def _answers(keys: Keyboard | None, settings: TaskSettings) -> Answers:
    # A key that is a command here stands for its class on the web page only.
    chosen = {name: key for name, key in settings.interface.keys.items() if key.lower() not in VERBS}
    if keys is None:
        return LineAnswers(settings.classes, with_chosen(keys_if_enough(settings.classes), chosen))
    return KeyAnswers(keys, with_chosen(keys_of(settings.classes), chosen))


def _predicted(question: Question) -> str:
    return in_one_line(in_words(question.prediction))


def _summary(queue: LeaseQueue) -> str:
    return f"{queue.given:,} labelled, {queue.rate:.0f} per minute"
