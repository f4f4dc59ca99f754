"""A shard: the models of a fleet that one thread works on, with the compiled passes over them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance.engine import packing, passes
from askance.engine.arena import LARGEST, RESERVED, Arena, Models
from askance.engine.passes import Core, Outcome
from askance.jit.interop import COMPILING
from askance.jit.kernels.key_table import Numbers
from askance.rules.rows import SparseRows
from askance.rules.state import Linear, form_for_classes
from askance.rules.update.rule import about, form_of

BLANK = 0  # the model of new keys; it never learns
FIRST_SLOTS = 1 << 12
FIRST_MODELS = 1 << 8
GROWTH = 1.25
IN_USE = 0.8  # below this share, compacting makes enough room


class Shard:
    """Models that one thread works on, numbered from 1."""

    def __init__(self, update: Any, query: Any, dtype: np.dtype[Any], at_zero: float, lanes: int) -> None:
        self.dtype, self.lanes = dtype, lanes
        self._initial = update.start(lanes, dtype)
        self._field = field_of(self._initial)
        has_spread = about(update).has_spread
        form = Linear() if lanes == 1 else form_for_classes(lanes, dtype, has_spread=has_spread)
        memory, past, self.scratch = flatten_into(query.start(), passes.no_past())
        self.core = Core(update, query, form, self._initial, memory, past, at_zero)
        refusals = [part for path, part in passes.arrays_of(memory).items() if path.endswith("refused")]
        self._refusals = [self._offset(part) for part in refusals]
        self._rounds = self._offset(past.rounds)
        self._start(FIRST_SLOTS)
        tables, log2_sizes, filled, random_states = np.zeros((4, FIRST_MODELS), np.uint64)
        counters = np.zeros((FIRST_MODELS, len(self.scratch)), np.uint64)
        counters[BLANK] = self.scratch
        self.models = Models(tables, log2_sizes, filled, random_states, counters)
        self.count = 1
        self._free_ids: list[int] = []

    # ------------------------------------------------------------------ models

    def add(self, random_states: NDArray[np.uint64]) -> Numbers:
        """Add blank models with these random states and return their numbers."""
        reused = [self._free_ids.pop() for _ in range(min(len(random_states), len(self._free_ids)))]
        fresh = len(random_states) - len(reused)
        if self.count + fresh > len(self.models.tables):
            self._make_room_for_models(self.count + fresh)
        ids = np.array([*reused, *range(self.count, self.count + fresh)], np.int64)
        self.count += fresh
        self.models.counters[ids] = self.models.counters[BLANK]
        self.models.random_states[ids] = random_states
        return ids

    def drop(self, ids: Numbers) -> None:
        """Delete models; their numbers will be reused."""
        packing.clear(self.models, self.arena, ids)
        self._free_ids.extend(ids.tolist())

    def gather(self, ids: Numbers) -> tuple[Any, ...]:
        """Return the counters of models, then starts, features and content as `packing.gather` returns them."""
        return self.models.counters[ids], *packing.gather(self.models, self.arena, ids)

    def load(
        self, ids: Numbers, counters: NDArray[np.uint64], starts: Numbers, features: Any, content: Any
    ) -> None:
        """Fill blank models with what `gather` returned."""
        self.models.counters[ids] = counters
        done = 0
        while (done := packing.load(self.models, self.arena, ids, done, starts, features, content)) < len(ids):
            self._make_room(int(starts[done + 1] - starts[done]))

    # ------------------------------------------------------------------ passes

    def run(
        self, rows: SparseRows, ids: Numbers, order: Numbers, labels: Any, coins: Any, outcome: Outcome
    ) -> None:
        """Decide about the rows of `order` and learn the labels that are asked for."""
        slots, done = slots_for(rows), 0
        while done < len(order):
            before = (self.core, self.scratch, self.models, self.arena, rows, slots, ids, order)
            done = self._pass("fleet run", (*before, done, labels, coins, outcome))
            if done < len(order):
                self._make_room(len(slots))

    def ask(self, rows: SparseRows, ids: Numbers, order: Numbers, outcome: Outcome) -> None:
        """Decide about the rows of `order`."""
        before = (self.core, self.scratch, self.models, self.arena)
        self._pass("fleet ask", (*before, rows, slots_for(rows), ids, order, outcome))

    def learn(self, rows: SparseRows, ids: Numbers, order: Numbers, labels: Any) -> None:
        """Learn the labels of the rows of `order`."""
        slots, done = slots_for(rows), 0
        while done < len(order):
            core = self.core
            before = (core.update, core.form, core.state, core.past, self.scratch, self.models, self.arena)
            done = self._pass("fleet learn", (*before, rows, slots, ids, order, done, labels, core.at_zero))
            if done < len(order):
                self._make_room(len(slots))

    def score(self, rows: SparseRows, ids: Numbers, order: Numbers, scores: NDArray[Any]) -> None:
        """Write the scores of the rows of `order`, one column per lane."""
        core = self.core
        given = (core.form, core.state, self.models, self.arena, rows, slots_for(rows), ids, order)
        self._pass("fleet score", (*given, scores, core.at_zero))

    def refused(self, ids: Numbers) -> int:
        """Return how many labels the budgets of these models have refused so far."""
        if not self._refusals:
            return 0
        return int(self.models.counters[np.unique(ids)][:, self._refusals].sum())

    def rounds(self, model: int) -> int:
        """Return how many rows a model has decided about."""
        return int(self.models.counters[model, self._rounds])

    def weights_of(self, content: NDArray[np.uint8]) -> NDArray[Any]:
        """Return the weights in the content of slots."""
        initial = getattr(self._initial, self._field)
        state = content.view(self.dtype).reshape(-1, *initial.shape[1:])
        weights: NDArray[Any] = self._initial._replace(**{self._field: state}).weights
        return weights

    def _offset(self, part: NDArray[Any]) -> int:
        """Return the position in the counters of the array `part`, a view of the scratch buffer."""
        return (part.ctypes.data - self.scratch.ctypes.data) // 8

    def _pass(self, name: str, arguments: tuple[Any, ...]) -> int:
        bound = passes.bind(name, arguments, exact=self.dtype == np.float64)
        if COMPILING:
            return int(bound(*arguments))
        with np.errstate(over="ignore"):  # 64-bit arithmetic is meant to wrap
            return int(bound(*arguments))

    # ------------------------------------------------------------------ room

    @property
    def nbytes(self) -> int:
        """The bytes in use."""
        slots, models = int(self.arena.top[0]), self.count
        slot_bytes = self.arena.features.itemsize + self.arena.content.shape[1]
        return slots * slot_bytes + models * sum(array.nbytes // len(array) for array in self.models)

    def _start(self, slots: int) -> None:
        content = self._content(slots)
        content[: self.lanes] = getattr(self._initial, self._field)
        free, top = np.zeros(LARGEST + 1, np.uint64), np.array([RESERVED], np.uint64)
        self._use(Arena(np.empty(slots, np.uint32), _bytes_of(content, slots), free, top), content)

    def _content(self, slots: int) -> NDArray[Any]:
        initial = getattr(self._initial, self._field)
        return np.empty((slots * self.lanes, *initial.shape[1:]), self.dtype)

    def _use(self, arena: Arena, content: NDArray[Any]) -> None:
        self.arena = arena
        self.core = self.core._replace(state=self._initial._replace(**{self._field: content}))

    def _make_room(self, features: int) -> None:
        """Compact the arena if much of it is free; otherwise make room for a model with `features` new ones."""
        before, log2_sizes = len(self.arena.features), self.models.log2_sizes
        in_use = int((np.uint64(1) << log2_sizes[log2_sizes > 0]).sum())
        if in_use < IN_USE * (int(self.arena.top[0]) - RESERVED):
            packing.compact(self.models, self.arena)
            return
        # A model with f features and n new ones moves to a table of at most 4 (f + n) slots.
        slots = int(before * GROWTH) + 4 * (features + int(self.models.filled.max(initial=0))) + 16
        content = self._content(slots)
        content[: before * self.lanes] = getattr(self.core.state, self._field)
        wider = np.empty(slots, np.uint32)
        wider[:before] = self.arena.features
        self._use(Arena(wider, _bytes_of(content, slots), self.arena.free_lists, self.arena.top), content)

    def _make_room_for_models(self, count: int) -> None:
        longer = []
        for array in self.models:
            room = np.zeros((max(count, int(len(array) * GROWTH)), *array.shape[1:]), array.dtype)
            room[: len(array)] = array
            longer.append(room)
        self.models = Models(*longer)


def field_of(state: Any) -> str:
    """Return the field that holds the numbers per feature; ValueError if a state has more than that."""
    arrays = [name for name, part in state._asdict().items() if isinstance(part, np.ndarray | tuple)]
    if not isinstance(form_of(state), Linear) or len(arrays) != 1:
        raise ValueError("its state is more than some numbers per feature")
    return arrays[0]


def flatten_into(memory: Any, past: Any) -> tuple[Any, Any, NDArray[np.uint64]]:
    """Return memory and past as views of one flat array, and that array."""
    arrays = [*passes.arrays_of(memory).values(), *passes.arrays_of(past).values()]
    scratch = np.zeros(sum(-(-array.nbytes // 8) for array in arrays), np.uint64)
    at = 0

    def placed(value: Any) -> Any:
        nonlocal at
        if not isinstance(value, np.ndarray):
            return type(value)(*map(placed, value)) if isinstance(value, tuple) else value
        room = scratch[at : at + -(-value.nbytes // 8)]
        at += len(room)
        window = room.view(np.uint8)[: value.nbytes].view(value.dtype).reshape(value.shape)
        window[...] = value
        return window

    return placed(memory), placed(past), scratch


def slots_for(rows: SparseRows) -> NDArray[np.uint64]:
    """Return a buffer for the slots of the longest row."""
    return np.empty(int(np.diff(rows.starts).max(initial=0)), np.uint64)


def _bytes_of(content: NDArray[Any], slots: int) -> NDArray[np.uint8]:
    return content.reshape(slots, -1).view(np.uint8)
