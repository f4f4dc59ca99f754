"""The history of a task: its estimates over time, its labellers, and its last day minute by minute.

All of it is part of the fold, so it is a pure function of the journal.
"""

from collections.abc import Mapping

from msgspec import Struct, field

from askance.metrics.estimates import Estimate

GROWTH = 1.1  # of rows or labels between two points: about two hundred points for a million rows
MINUTE, DAY_OF_MINUTES = 60, 1440
PAUSE = 120.0  # seconds: a longer gap between two labels is not counted as work


class Point(Struct, frozen=True, array_like=True):
    """The estimates after a number of rows and labels."""

    rows: int
    asked: int
    labelled: int
    version: int
    at: float
    estimates: dict[str, tuple[float | None, float | None, float | None]]


class History(Struct):
    """Points whose distance grows with the number of rows and labels."""

    points: list[Point] = field(default_factory=list)
    next_rows: int = 1
    next_labels: int = 1

    def is_due(self, rows: int, labelled: int) -> bool:
        """Whether the next point is due."""
        return rows >= self.next_rows or labelled >= self.next_labels

    def add(
        self, rows: int, asked: int, labelled: int, version: int, at: float, estimates: Mapping[str, Estimate]
    ) -> None:
        """Add a point."""
        intervals = {metric: (found.value, found.low, found.high) for metric, found in estimates.items()}
        self.points.append(Point(rows, asked, labelled, version, at, intervals))
        self.next_rows, self.next_labels = _after(rows), _after(labelled)


class Labeller(Struct):
    """The labels and skips of a labeller, and how many pairs with the labels of others are equal."""

    labels: int = 0
    skips: int = 0
    compared: int = 0
    agreed: int = 0
    seconds: float = 0.0  # total time between two labels, and the number of gaps
    timed: int = 0
    last: float = 0.0

    def gave_label(self, at: float) -> None:
        """Count a label."""
        self.labels += 1
        if 0 < at - self.last < PAUSE:
            self.seconds += at - self.last
            self.timed += 1
        self.last = at


class Minute(Struct, array_like=True):
    """Items, questions and labels of one minute."""

    items: int = 0
    asked: int = 0
    labels: int = 0


class LastDay(Struct):
    """The minutes in which something happened, for at most one day."""

    minutes: dict[int, Minute] = field(default_factory=dict)

    def at(self, at: float) -> Minute:
        """The counts of the minute of that time."""
        minute = int(at // MINUTE)
        found = self.minutes.get(minute)
        if found is None:
            found = self.minutes[minute] = Minute()
            for old in [other for other in self.minutes if other <= minute - DAY_OF_MINUTES]:
                del self.minutes[old]
        return found


def _after(count: int) -> int:
    return max(count + 1, int(count * GROWTH))
