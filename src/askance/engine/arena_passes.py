"""The passes of a fleet: the rounds of `passes`, switching to the model of each row.

Rows come in an `order` that keeps the rows of a model together and in sequence. A pass that learns stops before a
row for which the arena has no room, and returns the position of that row; call it again from there with a larger
arena.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.engine.arena import has_room, insert_missing, log2_size_for, lookup_slots
from askance.engine.rounds import decide, look, record_round, take_step
from askance.jit.coins import coin_at
from askance.jit.interop import inlined
from askance.jit.processor import avoid_slow_gathers
from askance.rules.rows import State, add_lanes

NO_MODEL = -1


class SlotRows(NamedTuple):
    """Sparse rows that were checked before. `slots` replaces the features of the current row."""

    starts: NDArray[np.uint64]
    slots: NDArray[np.uint64]
    values: NDArray[Any]

    def sweep(self, t: int, state: State, width: int) -> tuple[float, float, float, bool]:  # noqa: ARG002
        """Return score, spread and squared norm, summed in the same order as in `SparseRows`."""
        score = spread = squared_norm = self.values.dtype.type(0)
        start = self.starts[t]
        for k in range(start, self.starts[t + 1]):
            x = self.values[k]
            score_term, spread_term = state.terms(self.slots[np.uint64(k) - start], x)
            score += score_term
            spread += spread_term
            squared_norm += x * x
        return score, spread, squared_norm, True

    def sweep_lanes(self, t: int, state: State, width: int, scores: Any, spreads: Any) -> tuple[float, bool]:  # noqa: ARG002
        """Write scores and spreads of all lanes; return the squared norm."""
        squared_norm = self.values.dtype.type(0)
        for k in range(self.starts[t], self.starts[t + 1]):
            squared_norm += self.values[k] * self.values[k]
        add_lanes(self, t, self.starts[t + 1] - self.starts[t], state, scores, spreads)
        return squared_norm, True

    def shift(self, t: int, state: State, step: Any) -> None:
        """Move the state by `step` along row `t`."""
        for k in range(self.starts[t], self.starts[t + 1]):
            state.move(self.slots[np.uint64(k) - self.starts[t]], self.values[k], step)

    def shift_lane(self, t: int, state: State, step: Any, side: float, lane: int, lanes: int) -> None:
        """Move one lane by `step` along row `t`, or against it if `side` is -1."""
        for k in range(self.starts[t], self.starts[t + 1]):
            j = self.slots[np.uint64(k) - self.starts[t]] * np.uint64(lanes) + np.uint64(lane)
            state.move(j, self.values.dtype.type(side) * self.values[k], step)

    def entry(self, t: int, k: int) -> tuple[int, float]:
        """Return the slot and the value of entry `k` of row `t`."""
        return self.slots[np.uint64(k)], self.values[self.starts[t] + np.uint64(k)]


@inlined
def _load_counters(models: Any, scratch: Any, m: Any) -> None:
    for place in range(scratch.shape[0]):
        scratch[place] = models.counters[m, place]


@inlined
def _store_counters(models: Any, scratch: Any, m: Any) -> None:
    for place in range(scratch.shape[0]):
        models.counters[m, place] = scratch[place]


@inlined
def _switch_model(models: Any, scratch: Any, current: Any, m: Any) -> Any:
    """Store the counters of the `current` model and load those of model `m`."""
    if m != current:
        if current != NO_MODEL:
            _store_counters(models, scratch, current)
        _load_counters(models, scratch, m)
    return m


@inlined
def _lacks_room(models: Any, arena: Any, m: Any, missing: Any) -> bool:
    log2_size = log2_size_for(models.filled[m] + missing)
    return missing > np.uint64(0) and log2_size > models.log2_sizes[m] and not has_room(arena, log2_size)


@inlined
def _look(form: Any, state: Any, past: Any, rows: Any, t: Any, at_zero: Any) -> Any:
    """Return what the current model sees of row `t`, which was checked before."""
    seen, _sound = look(form, state, past, rows, t, 0, past.labels[0], past.labels[1], 1.0, at_zero)
    return seen


def fleet_run(core, scratch, models, arena, rows, slots, ids, order, first, labels, coins, outcome):  # type: ignore[no-untyped-def]
    """Decide about rows and learn the labels that are asked for."""
    avoid_slow_gathers()
    update, query, form, state, memory, past, at_zero = core
    here, current = SlotRows(rows.starts, slots, rows.values), NO_MODEL
    for i in range(first, order.shape[0]):
        t = order[i]
        m = current = _switch_model(models, scratch, current, ids[t])
        missing = lookup_slots(arena, models.tables[m], models.log2_sizes[m], rows, t, slots)
        if _lacks_room(models, arena, m, missing):
            _store_counters(models, scratch, m)
            return i
        seen = _look(form, state, past, here, t, at_zero)
        rounds = np.uint64(past.rounds[0])
        tossed = coins[t] if coins.shape[0] > 0 else coin_at(models.random_states[m], rounds)
        seen, probability, asked = decide(form, query, state, memory, seen, tossed, at_zero)
        binary, side = form.as_binary(seen, labels[t], probability)
        fires, step = update.step(binary, side)
        updated = asked & fires
        if updated:
            if missing > np.uint64(0):
                insert_missing(models, arena, m, rows, t, slots, missing)
            take_step(form, state, past, here, t, seen, labels[t], step)
        past.rounds[0] += 1
        past.asked[0] += asked
        past.labels[0] += asked
        past.labels[1] += asked & (labels[t] > 0)
        record_round(outcome, t, seen, probability, asked, updated)
    if current != NO_MODEL:
        _store_counters(models, scratch, current)
    return order.shape[0]


def fleet_ask(core, scratch, models, arena, rows, slots, ids, order, outcome):  # type: ignore[no-untyped-def]
    """Decide about rows whose labels may come later."""
    avoid_slow_gathers()
    _update, query, form, state, memory, past, at_zero = core
    here, current = SlotRows(rows.starts, slots, rows.values), NO_MODEL
    for i in range(order.shape[0]):
        t = order[i]
        m = current = _switch_model(models, scratch, current, ids[t])
        lookup_slots(arena, models.tables[m], models.log2_sizes[m], rows, t, slots)
        seen = _look(form, state, past, here, t, at_zero)
        tossed = coin_at(models.random_states[m], np.uint64(past.rounds[0]))
        seen, probability, asked = decide(form, query, state, memory, seen, tossed, at_zero)
        past.rounds[0] += 1
        past.asked[0] += asked
        record_round(outcome, t, seen, probability, asked, False)
    if current != NO_MODEL:
        _store_counters(models, scratch, current)
    return order.shape[0]


def fleet_learn(  # type: ignore[no-untyped-def]
    update, form, state, past, scratch, models, arena, rows, slots, ids, order, first, labels, at_zero
):
    """Learn every label."""
    avoid_slow_gathers()
    here, current = SlotRows(rows.starts, slots, rows.values), NO_MODEL
    for i in range(first, order.shape[0]):
        t = order[i]
        m = current = _switch_model(models, scratch, current, ids[t])
        missing = lookup_slots(arena, models.tables[m], models.log2_sizes[m], rows, t, slots)
        if _lacks_room(models, arena, m, missing):
            _store_counters(models, scratch, m)
            return i
        seen = _look(form, state, past, here, t, at_zero)
        binary, side = form.as_binary(seen, labels[t], 1.0)
        fires, step = update.step(binary, side)
        if fires:
            if missing > np.uint64(0):
                insert_missing(models, arena, m, rows, t, slots, missing)
            take_step(form, state, past, here, t, seen, labels[t], step)
        past.labels[0] += 1
        past.labels[1] += labels[t] > 0
    if current != NO_MODEL:
        _store_counters(models, scratch, current)
    return order.shape[0]


def fleet_score(form, state, models, arena, rows, slots, ids, order, scores, at_zero):  # type: ignore[no-untyped-def]
    """Compute the scores of rows."""
    avoid_slow_gathers()
    here = SlotRows(rows.starts, slots, rows.values)
    for t in order:
        m = ids[t]
        lookup_slots(arena, models.tables[m], models.log2_sizes[m], rows, t, slots)
        score, _spread, _squared_norm, _guess, _sound = form.look(state, here, t, 0, at_zero)
        form.write_score(state, score, scores, t)
    return order.shape[0]


PASSES: dict[str, Callable[..., Any]] = {
    "fleet run": fleet_run,
    "fleet ask": fleet_ask,
    "fleet learn": fleet_learn,
    "fleet score": fleet_score,
}
