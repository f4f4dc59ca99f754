"""A machine for rules in dual form: what `engine.machine.Machine` does, by a support set instead of weights."""

import contextlib
import math
import operator
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance.engine import passes
from askance.engine.machine import copied
from askance.engine.passes import Core, Outcome
from askance.engine.support_files import room_for
from askance.jit.select import sign
from askance.rules.kernel.kernelized import Glance
from askance.rules.kernel.support_set import Point, point_of
from askance.rules.rows import SOUND, AnyRows, Seen

Numbers = NDArray[np.float64]
LARGEST_COLUMN = np.iinfo(np.int32).max


class DualMachine:
    """Two rules, what they have learned, and the loops over it. A call does all that it should, or nothing.

    The loop over rounds is plain Python, which costs little beside the sums over a support set. A state is a
    value: what a call has learned takes the place of the old state when all rows were good. There is one lane.
    """

    lanes = 1
    draws = 0

    def __init__(self, update: Any, query: Any, dtype: np.dtype[Any], at_zero: float) -> None:
        self.dtype = dtype
        self.width: int | None = None
        self.core = Core(update, query, None, update.start(0, dtype), query.start(), passes.no_past(), at_zero)
        self._idle: list[Numbers] = []

    def run(
        self,
        rows: AnyRows,
        width: int,
        signs: NDArray[Any],
        coins: NDArray[np.float64],
        lanes: int = 1,  # noqa: ARG002
        draws: Numbers | None = None,  # noqa: ARG002
    ) -> tuple[int, int, Outcome]:
        """One round a row, which need not have been checked: if one is bad, which and why, and nothing changes."""
        outcome = passes.blank_outcome(len(signs), self.dtype)
        kind, bad = self._check(rows, len(signs), width)
        if kind != SOUND:
            return kind, bad, outcome
        core = self._apart(width)
        with self._at_work(width) as scratch:
            for t, (label, coin) in enumerate(zip(signs.astype(np.float64), coins, strict=True)):
                point = point_of(rows, t)
                glance, seen = self._look(core, point, t, scratch)
                probability = core.query.ask(core.memory, seen, coin)
                asked = bool(coin < probability)
                updated = False
                if asked:
                    core, updated = self._learned(core, point, glance, seen, label)
                outcome.predictions[t], outcome.scores[t] = seen.guess, seen.score
                outcome.ask_probabilities[t] = probability
                outcome.asked[t], outcome.updated[t] = asked, updated
                core.past.asked[0] += asked
        core.past.rounds[0] += len(signs)
        self.core, self.width = core, width
        return SOUND, 0, outcome

    def ask(
        self, rows: AnyRows, width: int, coin: float, counts: float = 1.0
    ) -> tuple[int, float, float, float, bool]:
        """What is wrong with one row, or its guess, score, probability of asking, and whether to ask.

        `counts` is 0 where the label cannot be had.
        """
        kind, _ = self._check(rows, 1, width)
        if kind != SOUND:
            return kind, 0.0, 0.0, 0.0, False
        core = self._apart(width)
        with self._at_work(width) as scratch:
            _, seen = self._look(core, point_of(rows, 0), 0, scratch)
            seen = seen._replace(counts=counts)
            probability = float(core.query.ask(core.memory, seen, np.float64(coin)))
        asked = coin < probability
        core.past.rounds[0] += 1
        core.past.asked[0] += asked and counts > 0
        self.core, self.width = core, width
        return SOUND, float(seen.guess), float(seen.score), probability, asked

    def learn(
        self,
        rows: AnyRows,
        width: int,
        signs: NDArray[Any],
        lanes: int = 1,  # noqa: ARG002
        draws: Numbers | None = None,  # noqa: ARG002
        probability: float = 1.0,  # noqa: ARG002
    ) -> tuple[int, int]:
        """Learn every label; if a row is bad, what is wrong with it and which it is, and nothing changes."""
        kind, bad = self._check(rows, len(signs), width)
        if kind != SOUND:
            return kind, bad
        core = self._apart(width)
        with self._at_work(width) as scratch:
            for t, label in enumerate(signs.astype(np.float64)):
                point = point_of(rows, t)
                glance, seen = self._look(core, point, t, scratch)
                core, _ = self._learned(core, point, glance, seen, label)
        self.core, self.width = core, width
        return SOUND, 0

    def set_query_rule(self, query: Any) -> None:
        """Go on with another query rule."""
        self.core = self.core._replace(query=query, memory=query.start())

    def score(self, rows: AnyRows, count: int, width: int) -> tuple[int, int, NDArray[Any]]:
        """What is wrong with a bad row and which it is, and the scores."""
        scores = np.empty((count, 1), self.dtype)
        kind, bad = self._check(rows, count, width)
        if kind == SOUND:
            core = self._with_room(width)
            with self._at_work(width) as scratch:
                for t in range(count):
                    scores[t, 0] = self._look(core, point_of(rows, t), t, scratch)[1].score
        return kind, bad, scores

    def make_room(self, width: int, lanes: int | None = None) -> None:  # noqa: ARG002
        """Have room for `width` features."""
        width = operator.index(width)
        self.core, self.width = self._with_room(width), width

    def weights(self) -> NDArray[Any]:
        """The weights in one row; AttributeError if the kernel has none."""
        return np.asarray(self.core.state.weights)[np.newaxis, :]

    def most_features(self, size: int) -> int:  # noqa: ARG002
        """How many features a model file of so many bytes can be about: any, as it keeps those of its rows."""
        return LARGEST_COLUMN

    def expect(self, found: Mapping[str, NDArray[Any]]) -> None:
        """Have arrays as long as those of a model file; ValueError if no support set can be like these."""
        self.core = self.core._replace(state=room_for(found, self.core.state, self.core.update.budget))

    def _look(self, core: Core, point: Point, t: int, scratch: Numbers) -> tuple[Glance, Seen]:
        glance = core.state.look(point, scratch)
        norm = glance.likeness.norm
        score = np.float64(self.dtype.type(glance.score))
        if not (math.isfinite(score) and math.isfinite(norm)):
            raise ValueError(
                f"row {t} of X is too long for this kernel: scale the rows, or choose a smaller degree"
            )
        past = core.past
        guess = sign(score, core.at_zero)
        shown = int(past.mistakes[0]), float(past.longest[0]), int(past.told[0]), int(past.told[1])
        return glance, Seen(score, glance.spread, norm, guess, *shown)

    def _learned(
        self, core: Core, point: Point, glance: Glance, seen: Seen, label: np.float64
    ) -> tuple[Core, bool]:
        """After the label of the row just looked at, and whether the rule fired."""
        fires, wanted = core.update.step(seen, label)
        core.past.told[0] += 1
        core.past.told[1] += label > 0
        if not fires:
            return core, False
        step = self.dtype.type(wanted)
        # What would add nothing to any score is no support vector: by a kernel, k(x, x) = 0 makes φ(x) = 0.
        if step != 0 and seen.squared_norm > 0:
            budget = math.inf if core.update.budget is None else core.update.budget
            core = core._replace(state=core.state.learned(point, glance, step, budget))
        if seen.guess != label:
            core.past.mistakes[0] += 1
            core.past.longest[0] = max(core.past.longest[0], seen.squared_norm)
        return core, True

    def _apart(self, width: int) -> Core:
        """The core with counters and memory of their own, to be changed."""
        core = self._with_room(width)
        return core._replace(memory=copied(core.memory), past=copied(core.past))

    def _with_room(self, width: int) -> Core:
        return (
            self.core if width == self.width else self.core._replace(state=self.core.state._replace(width=width))
        )

    def _check(self, rows: AnyRows, count: int, width: int) -> tuple[int, int]:
        arguments = (rows, count, width)
        with np.errstate(over="ignore", invalid="ignore"):
            found: tuple[int, int] = passes.bind("check", arguments, exact=self.dtype == np.float64)(*arguments)
        return found

    @contextlib.contextmanager
    def _at_work(self, width: int) -> Iterator[Numbers]:
        """A zero for every feature, for nobody else to use; infinities are found afterwards."""
        try:
            scratch = self._idle.pop()
        except IndexError:
            scratch = np.zeros(0)
        if len(scratch) != width:
            scratch = np.zeros(width)
        with np.errstate(all="ignore"):
            yield scratch
        self._idle.append(scratch)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_idle": []}
