"""What a task has been: its figures along the way, its labellers, and its last day minute by minute.

All of it is part of the fold, and so a pure function of the journal.
"""

from collections.abc import Mapping

from msgspec import Struct, field

from askance.metrics.estimates import Estimate

GROWTH = 1.1  # rows or labels from one point to the next: some two hundred points for a million rows
MINUTE, DAY_OF_MINUTES = 60, 1440
PAUSE = 120.0  # seconds: whoever takes longer has been away


class Point(Struct, frozen=True, array_like=True):
    """The figures when so many rows had come and so many labels had been learned."""

    rows: int
    asked: int
    labelled: int
    version: int
    at: float
    estimates: dict[str, tuple[float | None, float | None, float | None]]


class History(Struct):
    """Points that lie the further apart the more has been."""

    points: list[Point] = field(default_factory=list)
    next_rows: int = 1
    next_labels: int = 1

    def is_due(self, rows: int, labelled: int) -> bool:
        """Whether it is time for the next point."""
        return rows >= self.next_rows or labelled >= self.next_labels

    def add(
        self, rows: int, asked: int, labelled: int, version: int, at: float, estimates: Mapping[str, Estimate]
    ) -> None:
        """Keep a point."""
        intervals = {metric: (found.value, found.low, found.high) for metric, found in estimates.items()}
        self.points.append(Point(rows, asked, labelled, version, at, intervals))
        self.next_rows, self.next_labels = _after(rows), _after(labelled)


class Labeller(Struct):
    """What somebody has done: labels, skips, and of labels that others gave too, how many were the settled one."""

    labels: int = 0
    skips: int = 0
    compared: int = 0
    agreed: int = 0
    seconds: float = 0.0  # between two labels, and how often that was taken
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
    """The minutes in which something happened, a day of them at most."""

    minutes: dict[int, Minute] = field(default_factory=dict)

    def at(self, at: float) -> Minute:
        """The minute of that time, to be counted in."""
        minute = int(at // MINUTE)
        found = self.minutes.get(minute)
        if found is None:
            found = self.minutes[minute] = Minute()
            for old in [other for other in self.minutes if other <= minute - DAY_OF_MINUTES]:
                del self.minutes[old]
        return found


def _after(count: int) -> int:
    return max(count + 1, int(count * GROWTH))
