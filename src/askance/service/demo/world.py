"""The demonstration of `askance serve --demo`: synthetic support messages and a synthetic labeller."""

import random
import threading
import time
from collections.abc import Iterator
from itertools import count
from typing import NamedTuple

from rich.console import Console
from rich.live import Live
from rich.table import Table

from askance.errors import ServiceError
from askance.service.client import Client, Item
from askance.service.demo.words import AMOUNTS, ASIDES, DAYS, DEVICES, ENDINGS, GREETINGS, NAMES, SUBJECTS, TRADES
from askance.service.messages import Figure, Figures, Question
from askance.service.settings import Budget, Hashing, TaskSettings

TASK = "support-desk"
SHARES = {"billing": 0.5, "bug": 0.3, "praise": 0.15, "spam": 0.05}
SETTINGS = TaskSettings(TASK, list(SHARES), hashing=Hashing(bits=18), budget=Budget(rate=0.1))

OFF_TOPIC = 0.35  # share of messages that also have a sentence of another class
TYPO = 0.05  # share of words
FULL_USE_AFTER = 4000  # messages until all words of the lists are in use
WRONG = 0.03  # share of wrong labels
NOTICED = 0.5  # share of them that the labeller corrects later
AT_ONCE = 5
IDLE_SECONDS = 0.2
TABLE_SECONDS, LINE_SECONDS = 0.5, 5.0  # between two looks at the figures


def synthetic_messages(random_state: int) -> Iterator[tuple[str, str]]:
    """Messages and their classes, without end; the same for the same random_state."""
    return (synthetic_message(random_state, number) for number in count())


def synthetic_message(random_state: int, number: int) -> tuple[str, str]:
    """The message with this number, and its class."""
    chance = random.Random(f"{random_state}:{number}")
    kind = chance.choices(list(SHARES), list(SHARES.values()))[0]
    # Early messages use the first words of the lists, later ones all of them: the wording drifts.
    use = 0.5 + 0.5 * min(1.0, number / FULL_USE_AFTER)
    sentences = [_sentence(chance, kind, use) for _ in range(chance.choice((1, 1, 2)))]
    if chance.random() < OFF_TOPIC:
        sentences.append(_sentence(chance, chance.choice(list(SHARES)), use))
    if chance.random() < 0.6:
        sentences.append(_filled(chance, chance.choice(ASIDES), "", ""))
    parts = [chance.choice(GREETINGS), *sentences, chance.choice(ENDINGS)]
    words = " . ".join(part for part in parts if part).split()
    return " ".join(_mistyped(chance, word) for word in words).replace(" .", "."), kind


def _sentence(chance: random.Random, kind: str, use: float) -> str:
    subject = SUBJECTS[kind]
    thing, trouble = (
        chance.choice(words[: round(use * len(words))]) for words in (subject.things, subject.troubles)
    )
    return _filled(chance, chance.choice(subject.sentences), thing, trouble)


def _filled(chance: random.Random, template: str, thing: str, trouble: str) -> str:
    number = chance.randrange(2, 1000)
    return template.format(
        thing=thing,
        trouble=trouble,
        amount=chance.choice(AMOUNTS).format(number=number),
        number=number,
        name=chance.choice(NAMES),
        day=chance.choice(DAYS),
        trade=chance.choice(TRADES),
        device=chance.choice(DEVICES),
    )


def _mistyped(chance: random.Random, word: str) -> str:
    """Swap two letters in some words."""
    if len(word) < 4 or chance.random() >= TYPO:
        return word
    place = chance.randrange(len(word) - 1)
    return word[:place] + word[place + 1] + word[place] + word[place + 2 :]


class Name(NamedTuple):
    """The id of a message; the labeller derives the correct label from it."""

    random_state: int
    number: int

    def __str__(self) -> str:
        return f"demo-{self.random_state}-{self.number}"

    @classmethod
    def read(cls, name: str | None) -> "Name | None":
        """Parse an id; None if it is not one of the demonstration."""
        head, _, rest = (name or "").partition("-")
        random_state, _, number = rest.partition("-")
        return (
            cls(int(random_state), int(number))
            if head == "demo" and random_state.isdecimal() and number.isdecimal()
            else None
        )


def run_demo(
    url: str,
    token: str | None,
    *,
    stop: threading.Event,
    random_state: int = 7,
    rows_per_second: float = 20.0,
    labeller_delay: float = 0.3,
) -> None:
    """Send messages and answer questions until `stop` is set; create the task if necessary."""
    with Client(url, token, TASK) as client:
        if TASK not in [task.name for task in client.tasks()]:
            client.create(SETTINGS)
        labeller = Labeller(client, stop, random_state, labeller_delay)
        thread = threading.Thread(target=labeller.run, name="simulated labeller", daemon=True)
        thread.start()
        try:
            _send(client, stop, random_state, rows_per_second)
        finally:
            stop.set()
            thread.join()


def _send(client: Client, stop: threading.Event, random_state: int, rows_per_second: float) -> None:
    """Send messages at this rate, continuing an earlier run."""
    began, sent = time.monotonic(), 0
    number = client.figures().items
    while not stop.is_set():
        due = min(100, int((time.monotonic() - began) * rows_per_second) - sent)
        if due < 1:
            stop.wait(min(IDLE_SECONDS, 1 / rows_per_second))
            continue
        names = [Name(random_state, number + place) for place in range(due)]
        items = [Item(text=synthetic_message(*name)[0], id=str(name)) for name in names]
        try:
            client.decide(items)
        except ServiceError:
            if not stop.is_set():
                raise
        sent, number = sent + due, number + due


class Labeller:
    """A labeller that makes some errors and corrects some of them later."""

    def __init__(self, client: Client, stop: threading.Event, random_state: int, delay: float) -> None:
        self._client = client
        self._stop = stop
        self._chance = random.Random(random_state)
        self._delay = delay
        self._errors: list[tuple[int, str]] = []

    def run(self) -> None:
        """Answer questions until `stop` is set."""
        while not self._stop.is_set():
            try:
                questions = self._client.questions(AT_ONCE)
                for question in questions:
                    self._answer(question)
                if not questions:
                    self._stop.wait(IDLE_SECONDS)
            except ServiceError:
                self._stop.wait(1.0)

    def _answer(self, question: Question) -> None:
        name = Name.read(question.id)
        if name is None:  # not an item of the demonstration
            self._client.skip(question)
            return
        if self._stop.wait(self._delay):
            self._client.return_question(question)
            return
        truth = synthetic_message(*name)[1]
        label = truth
        if self._chance.random() < WRONG:
            label = self._chance.choice([kind for kind in SHARES if kind != truth])
            if self._chance.random() < NOTICED:
                self._errors.append((question.item, truth))
        self._client.label(question, label)
        if len(self._errors) > 1:  # so that an error is corrected some time later
            item, right = self._errors.pop(0)
            self._client.correct(item, right)


def watch_demo(client: Client, console: Console, stop: threading.Event) -> None:
    """Show the figures until `stop` is set: as a live table, or as lines if there is no terminal."""
    if not console.is_terminal:
        while not stop.wait(LINE_SECONDS):
            console.print(in_a_line(client.figures()), soft_wrap=True)
        return
    with Live(console=console, auto_refresh=False) as live:
        while not stop.wait(TABLE_SECONDS):
            live.update(as_table(client.figures()), refresh=True)


def in_a_line(figures: Figures) -> str:
    """The figures for a log."""
    return ", ".join(f"{name} {value}" for name, value in _shown(figures).items())


def as_table(figures: Figures) -> Table:
    """The figures for a terminal."""
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(style="bold")
    table.add_column(justify="right")
    for name, value in _shown(figures).items():
        table.add_row(name, value)
    return table


def _shown(figures: Figures) -> dict[str, str]:
    spend = figures.spend
    share = f" ({100 * figures.asked / figures.items:.1f} %)" if figures.items else ""
    bound = "" if spend.total is None else f" of {spend.total:,}"
    return {
        "items": f"{figures.items:,}",
        "asked": f"{figures.asked:,}{share}",
        "labelled": f"{figures.labelled:,}",
        "corrected": f"{figures.corrected:,}",
        "waiting": f"{figures.waiting:,}",
        "accuracy (current model)": _estimate(figures.current.get("accuracy")),
        "accuracy (all predictions)": _estimate(figures.estimates.get("accuracy")),
        "spend": f"{spend.asked:,}{bound}; {spend.refused:,} refused",
    }


def _estimate(found: Figure | None) -> str:
    if found is None or found.value is None or found.low is None or found.high is None:
        return "not enough labels yet"
    return f"{found.value:.3f} ({found.low:.3f}–{found.high:.3f})"
