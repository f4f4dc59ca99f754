"""Timing on a machine that others use too: contenders take turns, and the best of several turns counts."""

import gc
import itertools
import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

FEWEST_TURNS = 3
# Beyond this, a contender's usual turn and its best turn tell two stories, and so do two ways of taking a ratio.
NOISY_TURNS = 0.5
NOISY_RATIO = 0.2


class Contender(NamedTuple):
    """`prepare` makes what `work` is called with; only `work` is timed."""

    name: str
    work: Callable[[Any], Any]
    prepare: Callable[[], Any] = lambda: None


class Timing(NamedTuple):
    """The seconds of each turn."""

    turns: list[float]

    @property
    def best(self) -> float:
        return min(self.turns)

    @property
    def median(self) -> float:
        return statistics.median(self.turns)

    @property
    def noisy(self) -> bool:
        """Whether half of the turns took much longer than the best."""
        return self.median > (1 + NOISY_TURNS) * self.best


Timings = dict[str, Timing]


class Race(NamedTuple):
    """The same turns by two clocks.

    That of the processor stands still while other programs have it, so it is the fair one for those who work on
    one thread. It adds up what threads do side by side: for those who have several, the one on the wall counts.
    """

    wall: Timings
    processor: Timings


class Ratio(NamedTuple):
    """How many times as long one contender takes as another: by best turns, which counts, and by median turns."""

    best: float
    median: float
    noisy: bool


def race(contenders: list[Contender], seconds: float) -> Race:
    """Let every contender work in turn, for about so many seconds, after a turn that is not timed."""
    turns: dict[str, list[tuple[float, float]]] = {contender.name: [] for contender in contenders}
    for contender in contenders:
        one_turn(contender)
    start = time.perf_counter()
    for turn in itertools.count():
        if turn >= FEWEST_TURNS and time.perf_counter() - start > seconds:
            break
        for contender in contenders:
            turns[contender.name].append(one_turn(contender))
    clocks = ({name: Timing([both[clock] for both in each]) for name, each in turns.items()} for clock in (0, 1))
    return Race(*clocks)


def one_turn(contender: Contender) -> tuple[float, float]:
    """The seconds of one turn, by both clocks, with no garbage collection in it."""
    argument = contender.prepare()
    gc.collect()
    gc.disable()
    try:
        wall, processor = time.perf_counter(), time.process_time()
        result = contender.work(argument)
        elapsed = time.perf_counter() - wall, time.process_time() - processor
    finally:
        gc.enable()
    del result  # giving back a big result is no part of the work
    return elapsed


def ratio(timing: Timing, base: Timing) -> Ratio:
    """`timing` over `base`, both of one race."""
    by_best, by_median = timing.best / base.best, timing.median / base.median
    disagree = max(by_best / by_median, by_median / by_best) > 1 + NOISY_RATIO
    return Ratio(by_best, by_median, disagree or timing.noisy or base.noisy)
