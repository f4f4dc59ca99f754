"""Do the intervals of a task contain the truth if questions stay unanswered? `python question_study.py 50`."""

import random
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import product
from operator import eq
from typing import NamedTuple

from askance.metrics.estimates import Estimate
from askance.service import messages
from askance.service.errors import RequestError
from askance.service.settings import Asking
from askance.service.state.audits import FEWEST, Sample
from askance.service.state.figures import sample_estimates
from askance.service.task import Task
from askance.service.views.task import WEEK
from service_task import TaskRunner, settings

ARRIVALS = ("at once", "steadily", "in bursts", "with drift")
LABELLERS = ("prompt", "slow", "newest first", "skip the hard", "leave the hard", "stop half-way", "wrong in 5 %")
WORLDS = {
    "two classes": (2, 0.5),
    "5 % positive": (2, 0.05),
    "1 % positive": (2, 0.01),
    "twenty classes": (20, 0.05),
}
WRONG = 0.05
FRESH = 10_000  # new items that tell the truth about the current model


class Item(NamedTuple):
    """A message, what the labeller says of it, and whether people find it hard."""

    text: str
    label: str
    hard: bool


class Met(NamedTuple):
    """An interval and the truth."""

    low: float
    high: float
    truth: float

    @property
    def holds(self) -> bool:
        return self.low <= self.truth <= self.high


def world(chance: random.Random, count: int, classes: int, share: float, *, drift: bool) -> Iterator[Item]:
    """Messages with words of their class; hard ones have few of them. With drift, words change their class."""
    for number in range(count):
        place = int(chance.random() < share) if classes == 2 else chance.randrange(classes)
        hard = chance.random() < 0.2
        moved = (place + (drift and number > count // 2)) % classes
        own = [f"class{moved}word{chance.randrange(6)}" for _ in range(1 if hard else 4)]
        others = [f"word{chance.randrange(80)}" for _ in range(6 if hard else 3)]
        other = [f"class{chance.randrange(classes)}word{chance.randrange(6)}"] if hard else []
        yield Item(" ".join([*own, *other, *others]), f"c{place:02d}", hard)


class Study:
    """One stream with its labeller."""

    def __init__(self, random_state: int, arrival: str, labeller: str, kind: str, items: int, labels: int) -> None:
        self.chance = random.Random(random_state)
        classes, share = WORLDS[kind]
        names = tuple(f"c{place:02d}" for place in range(classes))
        everything = list(world(self.chance, items, classes, share, drift=arrival == "with drift"))
        fresh = list(world(self.chance, FRESH, classes, share, drift=arrival == "with drift"))
        if labeller == "wrong in 5 %":  # nobody else knows the classes, so the truth is what this labeller says
            everything, fresh = (self.mistaken(each, names) for each in (everything, fresh))
        self.items, self.fresh = everything, fresh
        made = settings(
            classes=names,
            bits=12,
            budget={"total": labels},
            questions=Asking("lease", audit=0.4, test=0.5),
            random_state=random_state,
        )
        self.arrival, self.labeller, self.labels = arrival, labeller, labels
        self.runner = TaskRunner(f"{tempfile.mkdtemp()}/study.db", made)
        self.sent: dict[int, Item] = {}
        self.predicted: dict[int, str] = {}
        self.pending: list[messages.Question] = []

    def mistaken(self, items: list[Item], names: Sequence[str]) -> list[Item]:
        """Items of which some have another label."""
        return [
            item._replace(label=self.chance.choice([name for name in names if name != item.label]))
            if self.chance.random() < WRONG
            else item
            for item in items
        ]

    def run(self) -> None:
        """Send all items, and let the labeller work in between."""
        chunk = {"at once": len(self.items), "in bursts": len(self.items) // 4}.get(self.arrival, 20)
        parts = [self.items[start : start + chunk] for start in range(0, len(self.items), chunk)]
        each = max(1, self.labels // len(parts))
        for part in parts:
            self.runner.clock.now += 60.0 * len(part)
            for item, decision in zip(part, self.runner.decide(*(one.text for one in part)), strict=True):
                self.sent[decision.item], self.predicted[decision.item] = item, decision.prediction
            self.work(each)

    def work(self, count: int) -> None:
        for _ in range(0, count, 5):
            self.pending += self.runner.lease("ann", count=min(5, count), seconds=3600.0).questions
            if self.labeller == "stop half-way" and self.given >= self.labels // 2:
                return
            if self.labeller == "newest first":
                self.pending.sort(key=lambda question: -question.item)
            take = len(self.pending) // 2 if self.labeller in ("slow", "newest first") else len(self.pending)
            for question in self.pending[:take]:
                self.answer(question)
            self.pending = self.pending[take:]

    @property
    def given(self) -> int:
        return self.runner.task.fold.counts.labelled

    def answer(self, question: messages.Question) -> None:
        item = self.sent[question.item]
        try:
            if item.hard and self.labeller == "skip the hard" and self.chance.random() < 0.5:
                self.runner.skip(question.item, "ann")
                self.runner.skip(question.item, "bob")  # given up
            elif not (item.hard and self.labeller == "leave the hard" and self.chance.random() < 0.5):
                self.runner.label(question.item, item.label, "ann")
        except RequestError:
            return  # its lease ran out, and it waits again

    def met(self) -> Iterator[tuple[str, Met]]:
        """The intervals of all figures, with the truth about the items that each is about."""
        task = self.runner.task
        yield from self.of("all predictions", task, 0.0)
        yield from self.of("last week", task, self.runner.clock.now - WEEK)
        yield from self.of_current(task)

    def of(self, name: str, task: Task, since: float) -> Iterator[tuple[str, Met]]:
        """The metrics of all predictions since a time."""
        sample = task.fold.audits.sample(task.fold.ledger.rows, since=since)
        for metric, found in sample_estimates(sample, task.settings).items():
            about = list(self.predicted)[sample.first : _end(sample, found.note)]
            said = [self.predicted[item] for item in about]
            yield from _met(name, metric, found, said, [self.sent[item].label for item in about])

    def of_current(self, task: Task) -> Iterator[tuple[str, Met]]:
        """The metrics of the current model on new items like those that the sample is from."""
        sample = task.fold.audits.sample(task.fold.ledger.rows, test=True)
        said = self.predictions(task, [self.sent[item] for item, _ in sample.audits])
        predictions = dict(zip((item for item, _ in sample.audits), said, strict=True))
        everywhere = self.predictions(task, self.fresh)
        for metric, found in sample_estimates(sample, task.settings, predictions).items():
            count = int(_end(sample, found.note) / sample.end * len(self.fresh))
            truth = [item.label for item in self.fresh[:count]]
            yield from _met("current model", metric, found, everywhere[:count], truth)

    def predictions(self, task: Task, items: list[Item]) -> list[str]:
        if not items:
            return []
        return [
            one.prediction for one in task.predict([messages.Item(text=item.text) for item in items]).predictions
        ]


def _met(name: str, metric: str, found: Estimate, said: list[str], truth: list[str]) -> Iterator[tuple[str, Met]]:
    """The interval of a metric with its true value, if it has both. The last of two classes is positive."""
    if found.low is None or found.high is None:
        return
    pairs = Counter(zip(said, truth, strict=True))
    tp, fp, fn, tn = (pairs[pair] for pair in product(("c01", "c00"), repeat=2))
    shares = {
        "accuracy": [(sum(map(eq, said, truth)), len(truth))],
        "f": [(2 * tp, 2 * tp + fp + fn)],
        "precision": [(tp, tp + fp)],
        "recall": [(tp, tp + fn)],
        "balanced_accuracy": [(tp, tp + fn), (tn, tn + fp)],
        "cost": [(fp + fn, 1)],
    }[metric]
    if all(of for _, of in shares):
        yield f"{metric}, {name}", Met(found.low, found.high, sum(part / of for part, of in shares) / len(shares))


def _end(sample: Sample, note: str) -> int:
    return sample.before_new().end if "newer items are left out" in note else sample.end


Found = dict[tuple[str, ...], list[Met]]


def study(runs: int, first: int = 0, items: int = 500, labels: int = 200) -> Found:
    """All intervals by labeller, arrival, world and figure."""
    found: Found = defaultdict(list)
    for number in range(first, first + runs):
        for place, labeller in enumerate(LABELLERS):
            # All pairs of an arrival and a world take their turns.
            arrival, kind = ARRIVALS[number % 4], list(WORLDS)[(number + number // 4) % 4]
            one = Study(len(LABELLERS) * number + place, arrival, labeller, kind, items, labels)
            try:
                one.run()
                for figure, met in one.met():
                    found[labeller, arrival, kind, figure].append(met)
            finally:
                one.runner.close()
    return found


def coverage(found: Found, place: int) -> dict[tuple[str, str], tuple[int, float, float]]:
    """The number of intervals, the share that holds, and the mean width, by a condition and by figure."""
    groups: dict[tuple[str, str], list[Met]] = defaultdict(list)
    for key, met in found.items():
        groups[key[place], key[3]] += met
    return {
        key: (
            len(met),
            sum(one.holds for one in met) / len(met),
            sum(one.high - one.low for one in met) / len(met),
        )
        for key, met in sorted(groups.items())
    }


if __name__ == "__main__":
    everything = study(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    print(f"intervals of at least {FEWEST} labels: number, coverage, mean width")
    for condition in range(3):
        for (name, figure), (count, holds, width) in coverage(everything, condition).items():
            print(f"{name:16} {figure:36} {count:5} {holds:.3f} {width:.2f}")
