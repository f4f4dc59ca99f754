"""People who do everything at once with a task that is killed again and again, and remember what was acknowledged.

Every change has a key. If its answer is lost, it is sent again in the next life, with the same key.
"""

import random
import threading
import time
from collections import Counter
from typing import Any, NamedTuple

from msgspec import UNSET

import askance
from askance.errors import ServiceError
from askance.service.messages import Guess, Item, LabelledItem, Question
from askance.service.settings import Labelling
from service_lives import Running

TASK = (
    'name = "busy"\nclasses = ["ham", "spam"]\nalgorithm = "{}"\n'
    '[hashing]\nbits = 10\n[labels]\nper_item = 2\ngold = 0.3\n[questions]\nchosen = "lease"\n'
    "[oracles]\nbudget = 1e9\npeople = 1\nguesses = {{first = 0.01, second = 0.3}}\n"
)
LABELLERS = ("ann", "bob", "cat")


class Change(NamedTuple):
    """Something that a person does: a verb of the client, and what it is about."""

    who: str
    verb: str
    given: dict[str, Any]


class Person:
    """Does one thing after the other until the service is gone, and then goes on in its next life."""

    def __init__(self, who: str, token: str, random_state: int) -> None:
        self.who = who
        self.token = token
        self.chance = random.Random(random_state)
        self.unclear: Change | None = None  # whose answer was lost
        self.done: list[Change] = []  # acknowledged
        self.refused: Counter[str] = Counter()
        self.count = 0

    def live(self, url: str, over: threading.Event, faults: list[BaseException]) -> None:
        try:
            with askance.Client(url, self.token, "busy", retries=0) as client:
                while not over.is_set():
                    self.do(client, self.unclear or self.next(client))
                    time.sleep(0.002)
        except ServiceError as error:
            if error.status is not None and error.status < 500:
                faults.append(error)
        except BaseException as fault:  # told by the main thread
            faults.append(fault)

    def do(self, client: askance.Client, change: Change | None) -> None:
        """Do something, and remember whether it was acknowledged, refused, or neither."""
        if change is None:
            return
        self.unclear = change
        try:
            answer = getattr(client, change.verb)(**change.given)
            # The same label again is no correction: there is nothing to write down.
            if change.verb != "correct" or not answer.again:
                self.done.append(change)
        except ServiceError as error:
            if error.status is None or error.status >= 500:
                raise
            self.refused[error.code] += 1
        self.unclear = None

    def next(self, client: askance.Client) -> Change | None:
        """What to do next."""
        self.count += 1
        return self._as_sender(client) if self.who == "admin" else self._as_labeller(client)

    def _as_sender(self, client: askance.Client) -> Change | None:
        draw, key = self.chance.random(), f"{self.who}-{self.count}"
        if draw < 0.1:
            # Settings that are the same would not be written down.
            per_item, enough = self.chance.choice([1, 2, 2, 3]), self.chance.choice([None, 0.8])
            labels = Labelling(per_item=per_item, lease_seconds=100.0 + self.count, enough=enough, gold=0.3)
            return Change(self.who, "change", {"labels": labels})
        labelled = client.search(state="labelled", count=20).items if draw < 0.3 else []
        if labelled:
            item, label = self.chance.choice(labelled).item, self.chance.choice(["ham", "spam"])
            return Change(self.who, "correct", {"item": item, "label": label, "key": key})
        waiting = client.search(state="open", count=20).items if 0.3 < draw < 0.7 else []
        if waiting:
            return Change(self.who, "guess", {"guesses": [self._guess(self.chance.choice(waiting).item, key)]})
        if 0.7 < draw < 0.75:
            label = self.chance.choice(["ham", "spam"])
            gold = LabelledItem(text=f"word{self.count % 5}", label=label, id=key, gold=True)
            return Change(self.who, "import_items", {"items": [gold], "labels": [label]})
        texts = [f"word{n} word{self.count % 7}" for n in range(20)]
        guesses = {"first": Guess(self.chance.choice(["ham", "spam"]), 0.9)} if draw > 0.8 else UNSET
        items = [Item(text=text, id=f"{key}-{place}", guesses=guesses) for place, text in enumerate(texts)]
        return Change(self.who, "decide", {"items": items})

    def _guess(self, item: int, key: str) -> dict[str, Any]:
        """A guess that no other is equal to: the same again would not be written down."""
        label, name = self.chance.choice(["ham", "spam"]), self.chance.choice(["first", "second"])
        return {"item": item, "label": label, "name": name, "confidence": self.chance.random(), "key": key}

    def _as_labeller(self, client: askance.Client) -> Change | None:
        draw, key = self.chance.random(), f"{self.who}-{self.count}"
        if draw < 0.1:
            return Change(self.who, "undo", {"key": key})
        found = client.questions(1)
        if not found:
            return None
        if draw < 0.2:
            return Change(self.who, "skip", {"item": found[0].item, "key": key})
        if draw < 0.3:
            return Change(self.who, "flag", {"item": found[0].item, "note": key, "key": key})
        return Change(self.who, "label", {"item": found[0].item, "label": self._label_of(found[0]), "key": key})

    def _label_of(self, question: Question) -> str:
        right = "spam" if question.item % 3 else "ham"
        return right if self.chance.random() < 0.8 else "ham"


def one_life(store: str, directory: Any, task: str, people: list[Person], seconds: float) -> float:
    """Start the service, let people work, and kill it; return how long the start took."""
    running = Running(store, task, directory, token=people[0].token)
    over, faults = threading.Event(), []
    url = f"http://127.0.0.1:{running.port}"
    threads = [threading.Thread(target=person.live, args=(url, over, faults)) for person in people]
    for thread in threads:
        thread.start()
    time.sleep(seconds)
    running.kill()
    over.set()
    for thread in threads:
        thread.join()
    assert not faults, faults[0]
    return running.seconds_to_start


def begin(store: str, directory: Any, task: str, kind: type[Person] = Person) -> list[Person]:
    """The first start: an admin, who gives labellers their tokens."""
    running = Running(store, task, directory, guarded=True)
    with askance.Client(f"http://127.0.0.1:{running.port}", running.token) as admin:
        tokens = [admin.create_token(name, "labeller").token for name in LABELLERS]
    assert running.stop() == 0
    names = ("admin", *LABELLERS)
    return [
        kind(who, token, place)
        for place, (who, token) in enumerate(zip(names, [running.token, *tokens], strict=True))
    ]


def finish(store: str, directory: Any, task: str, people: list[Person]) -> None:
    """A last life, in which everybody sends again what is unclear, and does a little more."""
    running = Running(store, task, directory, token=people[0].token)
    for person in people:
        with askance.Client(f"http://127.0.0.1:{running.port}", person.token, "busy") as client:
            person.do(client, person.unclear)
            for _ in range(5):
                person.do(client, person.next(client))
    assert running.stop() == 0
