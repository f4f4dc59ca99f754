"""A yard: some models of a fleet, numbered, in memory, with the compiled passes over them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance.engine import packing, passes
from askance.engine.arena import LARGEST, RESERVED, Ground, Models
from askance.engine.passes import Core, Outcome
from askance.jit.interop import COMPILING
from askance.jit.kernels.key_table import Numbers
from askance.rules.rows import SparseRows
from askance.rules.state import Linear, form_for_classes
from askance.rules.update.rule import about, form_of

BLANK = 0  # the model of keys that were never seen; nothing is learned by it
FIRST_SLOTS = 1 << 12
FIRST_MODELS = 1 << 8
MORE = 1.25  # times as much, when there is not enough
IN_USE = 0.8  # of the ground: if less is, there is enough


class Yard:
    """The models that one thread works on. Numbers of models count from 1."""

    def __init__(self, update: Any, query: Any, dtype: np.dtype[Any], at_zero: float, lanes: int) -> None:
        self.dtype, self.lanes = dtype, lanes
        self._one = update.start(lanes, dtype)
        self._field = field_of(self._one)
        has_spread = about(update).has_spread
        form = Linear() if lanes == 1 else form_for_classes(lanes, dtype, has_spread=has_spread)
        memory, past, self.desk = on_a_desk(query.start(), passes.no_past())
        self.core = Core(update, query, form, self._one, memory, past, at_zero)
        counters = [part for path, part in passes.arrays_of(memory).items() if path.endswith("refused")]
        self._refusals = [(part.ctypes.data - self.desk.ctypes.data) // 8 for part in counters]
        self._start(FIRST_SLOTS)
        plots, powers, filled, seeds = np.zeros((4, FIRST_MODELS), np.uint64)
        books = np.zeros((FIRST_MODELS, len(self.desk)), np.uint64)
        books[BLANK] = self.desk
        self.models = Models(plots, powers, filled, seeds, books)
        self.count = 1
        self._idle: list[int] = []

    # ------------------------------------------------------------------ models

    def add(self, seeds: NDArray[np.uint64]) -> Numbers:
        """New blank models with these seeds: their numbers."""
        again = [self._idle.pop() for _ in range(min(len(seeds), len(self._idle)))]
        fresh = len(seeds) - len(again)
        if self.count + fresh > len(self.models.plots):
            self._make_room_for_models(self.count + fresh)
        ids = np.array([*again, *range(self.count, self.count + fresh)], np.int64)
        self.count += fresh
        self.models.books[ids] = self.models.books[BLANK]
        self.models.seeds[ids] = seeds
        return ids

    def drop(self, ids: Numbers) -> None:
        """Forget models; their numbers will be given to others."""
        packing.clear(self.models, self.ground, ids)
        self._idle.extend(ids.tolist())

    def gather(self, ids: Numbers) -> tuple[Any, ...]:
        """Books of models, and what `packing.gather` says of their features."""
        return self.models.books[ids], *packing.gather(self.models, self.ground, ids)

    def seat(self, ids: Numbers, books: NDArray[np.uint64], starts: Numbers, features: Any, content: Any) -> None:
        """Give blank models what was gathered."""
        self.models.books[ids] = books
        done = 0
        while (done := packing.seat(self.models, self.ground, ids, done, starts, features, content)) < len(ids):
            self._make_room(int(starts[done + 1] - starts[done]))

    # ------------------------------------------------------------------ passes

    def run(
        self, rows: SparseRows, ids: Numbers, order: Numbers, labels: Any, coins: Any, outcome: Outcome
    ) -> None:
        """Decide about the rows of `order`, and learn what is asked for."""
        slots, done = slots_for(rows), 0
        while done < len(order):
            before = (self.core, self.desk, self.models, self.ground, rows, slots, ids, order)
            done = self._pass("fleet run", (*before, done, labels, coins, outcome))
            if done < len(order):
                self._make_room(len(slots))

    def ask(self, rows: SparseRows, ids: Numbers, order: Numbers, outcome: Outcome) -> None:
        """Decide about the rows of `order`."""
        before = (self.core, self.desk, self.models, self.ground)
        self._pass("fleet ask", (*before, rows, slots_for(rows), ids, order, outcome))

    def learn(self, rows: SparseRows, ids: Numbers, order: Numbers, labels: Any) -> None:
        """Learn the labels of the rows of `order`."""
        slots, done = slots_for(rows), 0
        while done < len(order):
            core = self.core
            before = (core.update, core.form, core.state, core.past, self.desk, self.models, self.ground)
            done = self._pass("fleet learn", (*before, rows, slots, ids, order, done, labels, core.at_zero))
            if done < len(order):
                self._make_room(len(slots))

    def score(self, rows: SparseRows, ids: Numbers, order: Numbers, scores: NDArray[Any]) -> None:
        """Fill in the scores of the rows of `order`, a column a lane."""
        core = self.core
        given = (core.form, core.state, self.models, self.ground, rows, slots_for(rows), ids, order)
        self._pass("fleet score", (*given, scores, core.at_zero))

    def refused(self, ids: Numbers) -> int:
        """How many labels the budgets of these models have refused so far."""
        if not self._refusals:
            return 0
        return int(self.models.books[np.unique(ids)][:, self._refusals].sum())

    def weights_of(self, content: NDArray[np.uint8]) -> NDArray[Any]:
        """The weights among what is kept of features."""
        one = getattr(self._one, self._field)
        kept = content.view(self.dtype).reshape(-1, *one.shape[1:])
        weights: NDArray[Any] = self._one._replace(**{self._field: kept}).weights
        return weights

    def _pass(self, name: str, arguments: tuple[Any, ...]) -> int:
        bound = passes.bind(name, arguments, exact=self.dtype == np.float64)
        if COMPILING:
            return int(bound(*arguments))
        with np.errstate(over="ignore"):  # 64-bit arithmetic is meant to wrap
            return int(bound(*arguments))

    # ------------------------------------------------------------------ room

    @property
    def nbytes(self) -> int:
        """The memory of all that is in use."""
        slots, models = int(self.ground.top[0]), self.count
        a_slot = self.ground.features.itemsize + self.ground.content.shape[1]
        return slots * a_slot + models * sum(array.nbytes // len(array) for array in self.models)

    def _start(self, slots: int) -> None:
        content = self._content(slots)
        content[: self.lanes] = getattr(self._one, self._field)
        free, top = np.zeros(LARGEST + 1, np.uint64), np.array([RESERVED], np.uint64)
        self._have(Ground(np.empty(slots, np.uint32), _bytes_of(content, slots), free, top), content)

    def _content(self, slots: int) -> NDArray[Any]:
        one = getattr(self._one, self._field)
        return np.empty((slots * self.lanes, *one.shape[1:]), self.dtype)

    def _have(self, ground: Ground, content: NDArray[Any]) -> None:
        self.ground = ground
        self.core = self.core._replace(state=self._one._replace(**{self._field: content}))

    def _make_room(self, features: int) -> None:
        """Close the ranks if much lies free; else more ground, enough for a model with so many new features."""
        before, powers = len(self.ground.features), self.models.powers
        in_use = int((np.uint64(1) << powers[powers > 0]).sum())
        if in_use < IN_USE * (int(self.ground.top[0]) - RESERVED):
            packing.close_ranks(self.models, self.ground)
            return
        # A model with f features moves to a plot of at most 4 (f + new ones); f is at most what the ground holds.
        slots = int(before * MORE) + 4 * (features + int(self.models.filled.max(initial=0))) + 16
        content = self._content(slots)
        content[: before * self.lanes] = getattr(self.core.state, self._field)
        wider = np.empty(slots, np.uint32)
        wider[:before] = self.ground.features
        self._have(Ground(wider, _bytes_of(content, slots), self.ground.free, self.ground.top), content)

    def _make_room_for_models(self, count: int) -> None:
        longer = []
        for array in self.models:
            room = np.zeros((max(count, int(len(array) * MORE)), *array.shape[1:]), array.dtype)
            room[: len(array)] = array
            longer.append(room)
        self.models = Models(*longer)


def field_of(state: Any) -> str:
    """The field of a state that holds what it keeps of each feature; ValueError if there is more to a state."""
    arrays = [name for name, part in state._asdict().items() if isinstance(part, np.ndarray | tuple)]
    if not isinstance(form_of(state), Linear) or len(arrays) != 1:
        raise ValueError("its state is more than some numbers a feature")
    return arrays[0]


def on_a_desk(memory: Any, past: Any) -> tuple[Any, Any, NDArray[np.uint64]]:
    """The same memory and past with all their numbers side by side in one array, which comes last."""
    arrays = [*passes.arrays_of(memory).values(), *passes.arrays_of(past).values()]
    desk = np.zeros(sum(-(-array.nbytes // 8) for array in arrays), np.uint64)
    at = 0

    def laid(value: Any) -> Any:
        nonlocal at
        if not isinstance(value, np.ndarray):
            return type(value)(*map(laid, value)) if isinstance(value, tuple) else value
        room = desk[at : at + -(-value.nbytes // 8)]
        at += len(room)
        window = room.view(np.uint8)[: value.nbytes].view(value.dtype).reshape(value.shape)
        window[...] = value
        return window

    return laid(memory), laid(past), desk


def slots_for(rows: SparseRows) -> NDArray[np.uint64]:
    """Room for the slots of the longest row."""
    return np.empty(int(np.diff(rows.starts).max(initial=0)), np.uint64)


def _bytes_of(content: NDArray[Any], slots: int) -> NDArray[np.uint8]:
    return content.reshape(slots, -1).view(np.uint8)
