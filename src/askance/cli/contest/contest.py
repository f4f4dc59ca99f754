"""Several learners on one file, side by side, in constant memory."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from askance._util.progress import Progress
from askance.auto.core import AutoCore
from askance.auto.rows import ready_rows
from askance.cli.contest.ahead import Ahead
from askance.cli.contest.source import Classes, FirstRows, Once
from askance.cli.output.progress import Watched
from askance.data.mixed import take_rows
from askance.data.stream import Chunk, Stream
from askance.jit.kernels.mixed import Mixed
from askance.learners.core import LearnerCore
from askance.learners.trace import Trace
from askance.metrics import AskedTally, Curve, CurveRecorder, Estimate
from askance.metrics.positive import default_positive, place_of_class
from askance.rules.registry import MULTICLASS

WARM_UP = 64  # rows that an automatic learner needs to compile all of its parts


def never() -> bool:
    """A run goes on to the end of its stream."""
    return False


Keep = Callable[[Chunk, Sequence[Trace]], None]
"""Called with each chunk and the decisions of all contestants about it."""


@dataclass
class Contestant:
    """A learner and its results so far.

    `stream` is its own reading of the file, if it has one.
    """

    name: str
    learner: LearnerCore | AutoCore
    many: bool
    stream: Stream | None = None
    recorder: CurveRecorder = field(init=False)
    asked: AskedTally = field(init=False)
    refused: int = 0
    seconds: float = 0.0
    classes: Counter[Any] = field(default_factory=Counter)  # rows of each
    costs: dict[str, float] = field(default_factory=dict)  # of a missed positive and of a false alarm

    def __post_init__(self) -> None:
        self.recorder = CurveRecorder(many=self.many)
        self.asked = AskedTally(many=self.many)

    @property
    def positive(self) -> Any:
        """The class that the learner takes for +1; None if nobody named one, so that it is the last."""
        return getattr(self.learner.settings, "positive", None)

    @property
    def update(self) -> Any:
        """The update rule; None of an automatic learner."""
        return None if isinstance(self.learner, AutoCore) else self.learner.rules[0]

    def value(self, metric: str) -> float:
        """A metric over all rows so far."""
        return self.recorder.tally.value(metric, **self._weights(metric))

    def curve(self, metric: str) -> Curve:
        """A metric along the stream."""
        return self.recorder.curve(metric, **self._weights(metric))

    def estimate(self, metric: str) -> Estimate:
        """A metric, estimated from the asked labels."""
        return self.asked.estimate(metric, **self._weights(metric))

    def _weights(self, metric: str) -> dict[str, Any]:
        return self.costs if metric == "cost" else {}

    @property
    def share_asked(self) -> float:
        """Labels requested per row."""
        return self.recorder.tally.value("query_ratio")

    def follow(self, chunk: Chunk) -> Trace:
        """Learn from a chunk and count."""
        begun = time.perf_counter()
        if isinstance(self.learner, AutoCore):
            assert chunk.y is not None
            trace = self.learner.run(_rows(self.learner, chunk.X), chunk.y)
            trace = _of_many(trace) if self.many else trace
        else:
            trace = self.learner.follow(chunk, self.name)
        self.seconds += time.perf_counter() - begun
        self.recorder.add(*trace.signs(), trace.asked, trace.updated, trace.margins)
        self.asked.add(*trace.signs(), trace.asked, trace.ask_probabilities, trace.margins)
        self.refused += trace.refused
        found, rows = np.unique(trace.y, return_counts=True)
        self.classes.update(dict(zip(found.tolist(), rows.tolist(), strict=True)))
        return trace

    def make_other_class_positive(self) -> None:
        """Take the class that the learner takes for -1 for the positive one, in all that was counted."""
        self.recorder, self.asked = self.recorder.flipped(), self.asked.flipped()

    def warm_up(self, chunk: Chunk, classes: Sequence[Any]) -> None:
        """Compile now, with a copy that learns the first rows, so that `seconds` measures learning only."""
        if chunk.y is None:
            return
        if isinstance(self.learner, AutoCore):
            copy = AutoCore(self.learner.settings._replace(limit=None))
            copy.run(_rows(copy, take_rows(chunk.X, slice(0, WARM_UP))), chunk.y[:WARM_UP])
        else:
            LearnerCore(*self.learner.rules, self.learner.settings).run(chunk.X[:1], chunk.y[:1], classes=classes)


def _of_many(trace: Trace) -> Trace:
    """A trace as of more than two classes, though a model that goes on may not have met the others yet."""
    if trace.kind == MULTICLASS:
        return trace
    return replace(
        trace,
        true_codes=(trace.true_codes > 0).astype(np.int32),
        predicted_codes=(trace.predicted_codes > 0).astype(np.int32),
        scores=np.tanh(np.abs(trace.scores) / 2),  # from log-odds to the lead of one probability over the other
        kind=MULTICLASS,
    )


def _rows(core: AutoCore, X: Any) -> Mixed:
    """Rows of a reader as the core takes them."""
    found = ready_rows(X, core.widths)
    if found is None:
        from askance.auto.learner import with_core  # brings scikit-learn, which says what is wrong with them

        found = with_core(core)._validated(X)
    return found


@dataclass
class LineUp:
    """Contestants and their stream. `later` makes one more, which needs the rate that the first has reached."""

    stream: Stream
    classes: Classes
    contestants: list[Contestant]
    later: Callable[[float], Contestant] | None = None
    stopped: bool = False  # before the end of the stream

    def run(self, report: Progress, keep: Sequence[Keep] = (), stop: Callable[[], bool] = never) -> None:
        """Run all contestants; the callbacks in `keep` see those without a stream of their own.

        All end after the chunk at which the first may `stop`.
        """
        apart = [contestant for contestant in self.contestants if contestant.stream is not None]
        together = [contestant for contestant in self.contestants if contestant.stream is None]
        readings = 1 + len(apart) + (self.later is not None)
        # What can be read only once is not read ahead, nor more than what a run needs that may stop.
        main = self.stream if isinstance(self.stream, Once) or stop is not never else Ahead(self.stream)
        self._run(together, Watched(main, report, 0, readings), keep, stop)
        for place, contestant in enumerate(apart, 1):
            assert contestant.stream is not None
            own = Ahead(FirstRows(contestant.stream, self.rows))
            self._run([contestant], Watched(own, report, place, readings))
        reached = self.contestants[0].share_asked
        if self.later is not None and reached:
            late = self.later(reached)
            self.later = None
            self.contestants.insert(1, late)
            self._run([late], Watched(Ahead(self.stream), report, readings - 1, readings))

    def set_positive(self, positive: str | None) -> None:
        """Count the results for the class that is named, or for the rarer one if it is clearly rarer.

        Call it once, after the run: before, nobody knows which class is rarer.
        """
        if self.contestants[0].many:
            return
        *_, last = values = self.classes.values
        numbers = [self.contestants[0].classes[value] for value in values]
        named = positive is not None
        place = place_of_class(positive, values) if named else default_positive(numbers)
        self.classes = self.classes._replace(positive=place)
        for contestant in self.contestants:
            counted = last if contestant.positive is None else contestant.positive
            if counted != values[place]:
                contestant.make_other_class_positive()

    @property
    def rows(self) -> int:
        """The number of rows that the first contestant has seen."""
        return self.contestants[0].classes.total()

    @property
    def is_waiting(self) -> bool:
        """Whether the later contestant never started, because no label was requested."""
        return self.later is not None

    def _run(
        self,
        contestants: Sequence[Contestant],
        stream: Stream,
        keep: Sequence[Keep] = (),
        stop: Callable[[], bool] = never,
    ) -> None:
        warm = False
        for chunk in stream:
            for contestant in contestants if not warm else ():
                contestant.warm_up(chunk, self.classes.values)
            warm = True
            traces = [contestant.follow(chunk) for contestant in contestants]
            for each in keep:
                each(chunk, traces)
            if stop():
                self.stopped = True
                return
