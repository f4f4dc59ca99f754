"""The ledger of a task's budget. It is part of the fold, so it is committed together with the questions."""

import math

from msgspec import Struct

from askance.service.settings import Budget

DAY = 86_400


class Ledger(Struct):
    """Items seen, labels asked for, and labels that the budget refused; days are in UTC."""

    rows: int = 0
    asked: int = 0
    refused: int = 0
    day: int = 0
    today: int = 0

    def grants(self, budget: Budget, at: float) -> bool:
        """Whether the label of the next item, which comes at that time, may be asked for."""
        return self.left(budget, self.rows + 1) >= 1 and self.left_today(budget, at) >= 1

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

    def today_of(self, at: float) -> int:
        """The number of labels asked for on that day, the last one seen or a later one."""
        return self.today if int(at // DAY) == self.day else 0

    def note(self, at: float, *, asked: bool, refused: bool) -> None:
        """Count an item."""
        day = int(at // DAY)
        if day != self.day:
            self.day, self.today = day, 0
        self.rows += 1
        self.asked += asked
        self.today += asked
        self.refused += refused
