"""People and a program who settle a task together while it is killed, and remember what they saw.

The text of an item is a number, which says its label and is of no use to the model. The program is nearly always
right, so that it decides items. What it decides wrongly is corrected when somebody sees it.
"""

from typing import Any

import askance
from askance.service.messages import Item, Question
from askance.service.prices import Oracles
from busy_task import Change, Person
from service_lives import Running

PROGRAM = "first"
TASK = (
    'name = "busy"\nclasses = ["ham", "spam"]\nalgorithm = "{}"\n'
    '[hashing]\nbits = 10\n[questions]\nchosen = "lease"\n'
    "[oracles]\nbudget = 1e9\npeople = 1\nguesses = {{first = 0.01, second = 0.3}}\nenough = 0.6\n"
)
FIRST_ITEMS = 150


def truth(text: str) -> str:
    """The label of an item."""
    return ("ham", "spam")[int(text) % 2]


class Decider(Person):
    """A person of such a task; the admin also sends items, and is the program."""

    def __init__(self, who: str, token: str, random_state: int) -> None:
        super().__init__(who, token, random_state)
        self.seen: dict[int, str | None] = {}  # the labels that the program decided, as a search showed them

    def _as_sender(self, client: askance.Client) -> Change | None:
        draw, key = self.chance.random(), f"{self.who}-{self.count}"
        if draw < 0.05:  # settings that are the same would not be written down
            oracles = Oracles(
                1e9, 1.0, {"first": 0.01, "second": 0.3}, self.chance.choice([0.6, 0.7]), 0.1 + self.count * 1e-6
            )
            return Change(self.who, "change", {"oracles": oracles})
        if draw < 0.3:
            return self._correction(client, key)
        if draw < 0.8:
            return self.guesses(client, key)
        return Change(self.who, "decide", {"items": self.items(key, 20)})

    def items(self, key: str, count: int) -> list[Item]:
        """New items."""
        return [Item(text=str(self.chance.randrange(10**9)), id=f"{key}-{place}") for place in range(count)]

    def guesses(self, client: askance.Client, key: str) -> Change | None:
        """Guesses about what the service wants; no other is equal to one of them, or it would not be written."""
        wanted = client.wanted_guesses(PROGRAM)[: self.chance.choice([1, 5, 20])]
        guesses = [
            {
                "item": one.item,
                "label": truth(one.text or "") if self.chance.random() < 0.98 else "ham",
                "name": PROGRAM,
                "confidence": self.chance.uniform(0.96, 1.0),
                "key": f"{key}-{place}",
            }
            for place, one in enumerate(wanted)
        ]
        return Change(self.who, "guess", {"guesses": guesses}) if guesses else None

    def _correction(self, client: askance.Client, key: str) -> Change | None:
        found = client.search(state="labelled", labeller=PROGRAM, count=50).items
        self.seen |= {one.item: one.label for one in found if not one.corrections}
        wrong = [one for one in found if one.label != truth(one.text or "")]
        if not wrong:
            return None
        one = self.chance.choice(wrong)
        return Change(self.who, "correct", {"item": one.item, "label": truth(one.text or ""), "key": key})

    def _label_of(self, question: Question) -> str:
        return truth(question.text or "")


def prime(store: str, directory: Any, task: str, people: list[Person]) -> None:
    """Let everybody work without kills until the program decides."""
    admin, labeller = people[0], people[1]
    assert isinstance(admin, Decider)
    running = Running(store, task, directory, token=admin.token)
    url = f"http://127.0.0.1:{running.port}"
    with askance.Client(url, admin.token, "busy") as sender, askance.Client(url, labeller.token, "busy") as other:
        admin.do(sender, Change(admin.who, "decide", {"items": admin.items("first", FIRST_ITEMS)}))
        for count in range(200):
            admin.do(sender, admin.guesses(sender, f"early-{count}"))
            labeller.do(other, labeller.next(other))
            if sender.search(state="labelled", labeller=PROGRAM, count=1).items:
                break
    assert running.stop() == 0
