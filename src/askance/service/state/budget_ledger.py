"""The ledger of a task's budget. It is part of the fold, so it is committed together with the questions."""

import math

from msgspec import Struct, field

from askance.service.settings import Budget

DAY = 86_400
REMEMBERED = 8  # days: if the clock is set back, a day continues with what was asked for on it


class Ledger(Struct):
    """Items seen, labels asked for, and labels that the budget refused; days are in UTC."""

    rows: int = 0
    asked: int = 0
    refused: int = 0
    day: int = 0
    today: int = 0
    earlier: dict[int, int] = field(default_factory=dict)  # day: labels asked for

    def left(self, budget: Budget, rows: int | None = None) -> float:
        """The number of labels left after this many items, ignoring the limit per day."""
        rate, total = math.inf, math.inf
        if budget.rate is not None:
            rate = budget.burst + budget.rate * (self.rows if rows is None else rows) - self.asked
        if budget.total is not None:
            total = budget.total - self.asked
        return min(rate, total)

    def left_today(self, budget: Budget, at: float) -> float:
        """The number of labels left on that day."""
        if budget.per_day is None:
            return math.inf
        return budget.per_day - self.today_of(at)

    def left_now(self, budget: Budget, at: float, rows: int | None = None) -> float:
        """The number of labels left within all limits, after this many items."""
        return min(self.left(budget, rows), self.left_today(budget, at))

    def today_of(self, at: float) -> int:
        """The number of labels asked for on that day."""
        day = int(at // DAY)
        return self.today if day == self.day else self.earlier.get(day, 0)

    def note(self, at: float, *, asked: int, refused: bool) -> None:
        """Count an item, and the labels that were asked for on its arrival."""
        self.rows += 1
        self.refused += refused
        self.spend(at, asked)

    def spend(self, at: float, labels: int) -> None:
        """Count labels that are asked for; a negative number gives them back."""
        day = int(at // DAY)
        if day != self.day:
            self.earlier[self.day] = self.today
            self.day, self.today = day, self.earlier.pop(day, 0)
            for old in list(self.earlier)[:-REMEMBERED]:
                del self.earlier[old]
        self.asked += labels
        self.today = max(0, self.today + labels)  # what is given back may have been asked for on another day
