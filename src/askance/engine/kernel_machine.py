"""The machine of kernel rules: like `engine.machine.Machine`, with a support set instead of weights."""

import contextlib
import math
import operator
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance.engine import passes
from askance.engine.machine import copied
from askance.engine.own_rules import check_probabilities, own_query
from askance.engine.passes import Core, Outcome
from askance.engine.support_files import room_for
from askance.jit.bounded import bounded
from askance.jit.select import sign
from askance.rules.kernel.kernelized import Evaluation
from askance.rules.kernel.support_set import Point, point_of
from askance.rules.query.rule import sees_rows, with_room
from askance.rules.rows import SOUND, AnyRows, Seen
from askance.rules.state.recorded import Recent, remember_label

Numbers = NDArray[np.float64]
LARGEST_COLUMN = np.iinfo(np.int32).max


class KernelMachine:
    """Two rules, what they have learned, and the loops over rows. If a call fails, nothing changes.

    The loop over rounds is plain Python, which costs little compared with the sums over a support set. A state is
    immutable: the new state replaces the old one after all rows were processed. There is one lane. With `recent`,
    the scores before each label are recorded there; it takes the place of a form.
    """

    lanes = 1
    draws = 0

    def __init__(
        self, update: Any, query: Any, dtype: np.dtype[Any], at_zero: float, recent: Recent | None = None
    ) -> None:
        self.dtype = dtype
        self.width: int | None = None
        self.core = Core(update, query, recent, update.start(0, dtype), query.start(), passes.no_past(), at_zero)
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
        """Do one round per row. Return an error code, the number of the bad row, and the outcome.

        If a row is bad, nothing changes.
        """
        outcome = passes.blank_outcome(len(signs), self.dtype)
        error, row = passes.check_rows(rows, len(signs), width)
        if error != SOUND:
            return error, row, outcome
        core = self._copy_for(width)
        with self._scratch(width) as scratch:
            for t, (label, coin) in enumerate(zip(signs.astype(np.float64), coins, strict=True)):
                point = point_of(rows, t)
                evaluation, seen = self._look(core, point, t, scratch)
                self._watch(core, rows, t)
                probability = bounded(core.query, core.query.ask(core.memory, seen, coin))
                asked = bool(coin < probability)
                updated = False
                if asked:
                    core, updated = self._learned(core, point, evaluation, seen, label, probability)
                outcome.predictions[t], outcome.scores[t] = seen.prediction, seen.score
                outcome.ask_probabilities[t] = probability
                outcome.asked[t], outcome.updated[t] = asked, updated
                core.past.asked[0] += asked
        check_probabilities(own_query(core.query), outcome.ask_probabilities)
        core.past.rounds[0] += len(signs)
        self.core, self.width = core, width
        return SOUND, 0, outcome

    def ask(
        self, rows: AnyRows, width: int, coin: float, eligible: float = 1.0
    ) -> tuple[int, float, float, float, bool]:
        """Return an error code, and prediction, score, probability of asking and decision for one row.

        `eligible` is 0 if the label cannot be asked for.
        """
        error, _ = passes.check_rows(rows, 1, width)
        if error != SOUND:
            return error, 0.0, 0.0, 0.0, False
        core = self._copy_for(width)
        with self._scratch(width) as scratch:
            _, seen = self._look(core, point_of(rows, 0), 0, scratch)
            seen = seen._replace(eligible=eligible)
            self._watch(core, rows, 0)
            probability = float(bounded(core.query, core.query.ask(core.memory, seen, np.float64(coin))))
        check_probabilities(own_query(core.query), probability)
        asked = coin < probability
        core.past.rounds[0] += 1
        core.past.asked[0] += asked and eligible > 0
        self.core, self.width = core, width
        return SOUND, float(seen.prediction), float(seen.score), probability, asked

    def learn(
        self,
        rows: AnyRows,
        width: int,
        signs: NDArray[Any],
        lanes: int = 1,  # noqa: ARG002
        draws: Numbers | None = None,  # noqa: ARG002
        probability: float = 1.0,
    ) -> tuple[int, int]:
        """Learn every label. Return an error code and the number of the bad row, if any; then nothing changes."""
        error, row = passes.check_rows(rows, len(signs), width)
        if error != SOUND:
            return error, row
        core = self._copy_for(width)
        with self._scratch(width) as scratch:
            for t, label in enumerate(signs.astype(np.float64)):
                point = point_of(rows, t)
                evaluation, seen = self._look(core, point, t, scratch)
                core, _ = self._learned(core, point, evaluation, seen, label, probability)
        self.core, self.width = core, width
        return SOUND, 0

    @property
    def recent(self) -> Recent:
        """What was recorded of recent labels."""
        record: Recent = self.core.form
        return record

    def set_query_rule(self, query: Any) -> None:
        """Go on with another query rule."""
        memory = with_room(query, query.start(), self.width or 0)
        self.core = self.core._replace(query=query, memory=memory)

    def score(self, rows: AnyRows, count: int, width: int) -> tuple[int, int, NDArray[Any]]:
        """Return an error code, the number of the bad row, and the scores."""
        scores = np.empty((count, 1), self.dtype)
        error, row = passes.check_rows(rows, count, width)
        if error == SOUND:
            core = self._with_room(width)
            with self._scratch(width) as scratch:
                for t in range(count):
                    scores[t, 0] = self._look(core, point_of(rows, t), t, scratch)[1].score
        return error, row, scores

    def make_room(self, width: int, lanes: int | None = None) -> None:  # noqa: ARG002
        """Make room for `width` features."""
        width = operator.index(width)
        self.core, self.width = self._with_room(width), width

    def weights(self) -> NDArray[Any]:
        """Return the weights as one row; AttributeError if the kernel has none."""
        return np.asarray(self.core.state.weights)[np.newaxis, :]

    def most_features(self, size: int) -> int:  # noqa: ARG002
        """Return the largest number of features that a model file can have: support sets are sparse."""
        return LARGEST_COLUMN

    def expect(self, found: Mapping[str, NDArray[Any]]) -> None:
        """Allocate arrays as long as those of a model file; ValueError if they cannot be a support set."""
        self.core = self.core._replace(state=room_for(found, self.core.state, self.core.update.budget))

    def _watch(self, core: Core, rows: AnyRows, t: int) -> None:
        if sees_rows(core.query):
            arguments = (core.query, core.memory, rows, t)
            passes.bind("watch", arguments, exact=True)(*arguments)

    def _look(self, core: Core, point: Point, t: int, scratch: Numbers) -> tuple[Evaluation, Seen]:
        evaluation = core.state.look(point, scratch)
        norm = evaluation.similarity.norm
        score = np.float64(self.dtype.type(evaluation.score))
        if not (math.isfinite(score) and math.isfinite(norm)):
            raise ValueError(
                f"row {t} of X is too long for this kernel: scale the rows, or choose a smaller degree"
            )
        past = core.past
        prediction = sign(score, core.at_zero)
        shown = int(past.mistakes[0]), float(past.max_squared_norm[0]), int(past.labels[0]), int(past.labels[1])
        return evaluation, Seen(score, evaluation.spread, norm, prediction, *shown)

    def _learned(
        self,
        core: Core,
        point: Point,
        evaluation: Evaluation,
        seen: Seen,
        label: np.float64,
        probability: float,
    ) -> tuple[Core, bool]:
        """Return the core after learning the label of the current row, and whether the rule fired."""
        if core.form is not None:
            remember_label(core.form, np.array([[seen.score]]), label, probability)
        fires, wanted = core.update.step(seen, label)
        core.past.labels[0] += 1
        core.past.labels[1] += label > 0
        if not fires:
            return core, False
        step = self.dtype.type(wanted)
        # A vector that adds nothing to any score is not stored: k(x, x) = 0 means that φ(x) = 0.
        if step != 0 and seen.squared_norm > 0:
            budget = math.inf if core.update.budget is None else core.update.budget
            core = core._replace(state=core.state.learned(point, evaluation, step, budget))
        if seen.prediction != label:
            core.past.mistakes[0] += 1
            core.past.max_squared_norm[0] = max(core.past.max_squared_norm[0], seen.squared_norm)
        return core, True

    def _copy_for(self, width: int) -> Core:
        """Return the core with copies of counters, memory and record, which may be changed."""
        core = self._with_room(width)
        return core._replace(memory=copied(core.memory), past=copied(core.past), form=copied(core.form))

    def _with_room(self, width: int) -> Core:
        if width == self.width:
            return self.core
        memory = with_room(self.core.query, self.core.memory, width)
        return self.core._replace(state=self.core.state._replace(width=width), memory=memory)

    @contextlib.contextmanager
    def _scratch(self, width: int) -> Iterator[Numbers]:
        """Lend an array with a zero per feature. Warnings are off, because infinities are detected afterwards."""
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
