"""Items that wait to be asked about, if questions are chosen when somebody leases one."""

from collections.abc import Iterable

from msgspec import Struct, field

MOST = 20_000  # items that wait; with many more, ranking them would take long
SURPLUS = 2000  # beyond this, the least useful are dropped
AT_RANDOM = 0.5  # the share of those kept that are a random sample, so that a class nobody expects can be found


class Candidate(Struct, frozen=True, array_like=True):
    """What was decided about an item on its arrival."""

    coin: float
    prediction: str
    score: float
    at: float
    automatic: bool = False  # then nobody is asked because of doubt


class Candidates(Struct):
    """A bounded number of items, by number, in the order of their arrival."""

    waiting: dict[int, Candidate] = field(default_factory=dict)

    def add(self, item: int, candidate: Candidate) -> None:
        """Add an item. If there are too many, drop some of which the model was certain when they came."""
        self.waiting[item] = candidate
        if len(self.waiting) >= MOST + SURPLUS:
            self._drop()

    def take(self, item: int) -> Candidate | None:
        """Remove an item and return it; None if it does not wait."""
        return self.waiting.pop(item, None)

    def _drop(self) -> None:
        by_coin = sorted(self.waiting, key=lambda item: self.waiting[item].coin)
        at_random = int(AT_RANDOM * MOST)
        # Of items that are equally doubtful, the newest stay.
        doubtful = sorted(by_coin[at_random:], key=lambda item: (abs(self.waiting[item].score), -item))
        self._keep({*by_coin[:at_random], *doubtful[: MOST - at_random]})

    def _keep(self, items: Iterable[int]) -> None:
        kept = set(items)
        self.waiting = {item: candidate for item, candidate in self.waiting.items() if item in kept}
