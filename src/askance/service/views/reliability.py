"""How reliable labellers are, and how far all of them agree, from the newest labels of the journal.

The class of an item is never taken for known, unless a lead has decided it. It follows from all labels of the
item, each weighed by what is known of who gave it (`askance.annotators`). That assumes that people err
independently of each other and that items are equally hard: where several make the same errors, it is too high.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from askance.annotators import Crowd
from askance.metrics.intervals import Range
from askance.service import messages

FEWEST = 30  # labels that can be judged before there is a figure
FEWEST_TOLD = 0.2  # the weight below which somebody's answers hardly depend on the items
ONE_OTHER = (
    "Cannot tell which of two labellers errs: add gold items, or let a third person label some of the same items."
)


class Given(NamedTuple):
    """A label that stands. A final one is the decision of a lead."""

    item: int
    who: str
    label: str
    at: float
    final: bool


class Judged(NamedTuple):
    """A labeller's accuracy, and whether the answers tell next to nothing about the items."""

    accuracy: messages.Figure
    tells_little: bool


class Reliabilities:
    """What the labels of several people tell about each of them."""

    def __init__(self, classes: Iterable[str], given: Sequence[Given], decided: Mapping[int, str]) -> None:
        self._crowd = Crowd(classes)
        votes = {(one.item, one.who): one.label for one in given if not one.final}
        for (item, who), label in votes.items():
            self._crowd.tell(item, who, label)
        decisions = {one.item: one.label for one in given if one.final} | dict(decided)
        for item, label in decisions.items():
            if self._crowd.votes(item):
                self._crowd.settle(item, label)
        per_item = Counter(item for item, _ in votes)
        self._several = sum(count > 1 for count in per_item.values())
        self._judged = Counter(who for item, who in votes if per_item[item] > 1 or item in decisions)

    def of(self, who: str) -> Judged:
        """How reliable somebody is."""
        judged = self._judged[who]
        if judged < FEWEST:
            note = f"Cannot tell yet: {judged} of {FEWEST} labels of items with other labels or a decision."
            return Judged(messages.Figure(None, None, None, judged, note), tells_little=False)
        found = self._crowd.reliability(who)
        blind = found.weight < FEWEST_TOLD
        if found.accuracy is None:
            return Judged(messages.Figure(None, None, None, judged, ONE_OTHER), blind)
        return Judged(_figure(found.accuracy, judged), blind)

    def agreement(self) -> messages.Figure:
        """Krippendorff's alpha over all items with several labels."""
        if self._several < FEWEST:
            note = f"Cannot tell yet: {self._several} of {FEWEST} items with several labels."
            return messages.Figure(None, None, None, self._several, note)
        found = self._crowd.agreement()
        if found is None:
            return messages.Figure(None, None, None, self._several, "Cannot tell: all labels are the same.")
        return _figure(found, self._several)


def _figure(found: Range, labels: int) -> messages.Figure:
    return messages.Figure(found.value, found.low, found.high, labels, "")
