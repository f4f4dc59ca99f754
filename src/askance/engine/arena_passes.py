"""The passes of a fleet: the rounds of `passes`, with the model of each row taken up and put down again.

Rows come in an `order` that keeps those of a model together and in their sequence. A pass that learns stops before
a row for which the ground has no room, and says how far it came; with more ground, it goes on from there.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.engine.arena import has_room, power_for, settled, translated
from askance.engine.rounds import decide, look, record_round, take_step
from askance.jit.coins import coin_at
from askance.jit.interop import inlined
from askance.rules.rows import State, add_lanes

NOBODY = -1


class SlotRows(NamedTuple):
    """Sparse rows that are known to be sound; the slots are those of the row in hand, in place of its features."""

    starts: NDArray[np.uint64]
    slots: NDArray[np.uint64]
    values: NDArray[Any]

    def sweep(self, t: int, state: State, width: int) -> tuple[float, float, float, bool]:  # noqa: ARG002
        """Score, spread and squared norm, summed in the order in which `SparseRows` does it."""
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
        """Scores and spreads of all lanes; squared norm."""
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
        """The slot and the value of entry `k` of row `t`."""
        return self.slots[np.uint64(k)], self.values[self.starts[t] + np.uint64(k)]


@inlined
def _take_up(models: Any, desk: Any, m: Any) -> None:
    for place in range(desk.shape[0]):
        desk[place] = models.books[m, place]


@inlined
def _put_down(models: Any, desk: Any, m: Any) -> None:
    for place in range(desk.shape[0]):
        models.books[m, place] = desk[place]


@inlined
def _in_hand(models: Any, desk: Any, current: Any, m: Any) -> Any:
    """Have the books of model `m` on the desk, in place of those of the `current` one."""
    if m != current:
        if current != NOBODY:
            _put_down(models, desk, current)
        _take_up(models, desk, m)
    return m


@inlined
def _lacks_room(models: Any, ground: Any, m: Any, missing: Any) -> bool:
    power = power_for(models.filled[m] + missing)
    return missing > np.uint64(0) and power > models.powers[m] and not has_room(ground, power)


def make_fleet_run(digest: str) -> Callable[..., Any]:
    """Decide about rows, and learn the labels that are asked for."""

    def fleet_run(core, desk, models, ground, rows, slots, ids, order, first, labels, coins, outcome):  # type: ignore[no-untyped-def]
        _ = digest
        update, query, form, state, memory, past, at_zero = core
        here, current = SlotRows(rows.starts, slots, rows.values), NOBODY
        for i in range(first, order.shape[0]):
            t = order[i]
            m = current = _in_hand(models, desk, current, ids[t])
            missing = translated(ground, models.plots[m], models.powers[m], rows, t, slots)
            if _lacks_room(models, ground, m, missing):
                _put_down(models, desk, m)
                return i
            n_labels, n_positives = past.labels[0], past.labels[1]
            seen, _sound = look(form, state, past, here, t, 0, n_labels, n_positives, 1.0, at_zero)
            tossed = coins[t] if coins.shape[0] > 0 else coin_at(models.seeds[m], np.uint64(past.rounds[0]))
            seen, probability, asked = decide(form, query, state, memory, seen, tossed, at_zero)
            binary, side = form.as_binary(seen, labels[t], probability)
            fires, step = update.step(binary, side)
            updated = asked & fires
            if updated:
                if missing > np.uint64(0):
                    settled(models, ground, m, rows, t, slots, missing)
                take_step(form, state, past, here, t, seen, labels[t], step)
            past.rounds[0] += 1
            past.asked[0] += asked
            past.labels[0] += asked
            past.labels[1] += asked & (labels[t] > 0)
            record_round(outcome, t, seen, probability, asked, updated)
        if current != NOBODY:
            _put_down(models, desk, current)
        return order.shape[0]

    return fleet_run


def make_fleet_ask(digest: str) -> Callable[..., Any]:
    """Decide about rows, whose labels may come later."""

    def fleet_ask(core, desk, models, ground, rows, slots, ids, order, outcome):  # type: ignore[no-untyped-def]
        _ = digest
        _update, query, form, state, memory, past, at_zero = core
        here, current = SlotRows(rows.starts, slots, rows.values), NOBODY
        for i in range(order.shape[0]):
            t = order[i]
            m = current = _in_hand(models, desk, current, ids[t])
            translated(ground, models.plots[m], models.powers[m], rows, t, slots)
            n_labels, n_positives = past.labels[0], past.labels[1]
            seen, _sound = look(form, state, past, here, t, 0, n_labels, n_positives, 1.0, at_zero)
            tossed = coin_at(models.seeds[m], np.uint64(past.rounds[0]))
            seen, probability, asked = decide(form, query, state, memory, seen, tossed, at_zero)
            past.rounds[0] += 1
            past.asked[0] += asked
            record_round(outcome, t, seen, probability, asked, False)
        if current != NOBODY:
            _put_down(models, desk, current)
        return order.shape[0]

    return fleet_ask


def make_fleet_learn(digest: str) -> Callable[..., Any]:
    """Learn every label."""

    def fleet_learn(  # type: ignore[no-untyped-def]
        update, form, state, past, desk, models, ground, rows, slots, ids, order, first, labels, at_zero
    ):
        _ = digest
        here, current = SlotRows(rows.starts, slots, rows.values), NOBODY
        for i in range(first, order.shape[0]):
            t = order[i]
            m = current = _in_hand(models, desk, current, ids[t])
            missing = translated(ground, models.plots[m], models.powers[m], rows, t, slots)
            if _lacks_room(models, ground, m, missing):
                _put_down(models, desk, m)
                return i
            n_labels, n_positives = past.labels[0], past.labels[1]
            seen, _sound = look(form, state, past, here, t, 0, n_labels, n_positives, 1.0, at_zero)
            binary, side = form.as_binary(seen, labels[t], 1.0)
            fires, step = update.step(binary, side)
            if fires:
                if missing > np.uint64(0):
                    settled(models, ground, m, rows, t, slots, missing)
                take_step(form, state, past, here, t, seen, labels[t], step)
            past.labels[0] += 1
            past.labels[1] += labels[t] > 0
        if current != NOBODY:
            _put_down(models, desk, current)
        return order.shape[0]

    return fleet_learn


def make_fleet_score(digest: str) -> Callable[..., Any]:
    """The scores of rows."""

    def fleet_score(form, state, models, ground, rows, slots, ids, order, scores, at_zero):  # type: ignore[no-untyped-def]
        _ = digest
        here = SlotRows(rows.starts, slots, rows.values)
        for t in order:
            m = ids[t]
            translated(ground, models.plots[m], models.powers[m], rows, t, slots)
            score, _spread, _squared_norm, _guess, _sound = form.look(state, here, t, 0, at_zero)
            form.write_score(state, score, scores, t)
        return order.shape[0]

    return fleet_score


MAKERS = {
    "fleet run": make_fleet_run,
    "fleet ask": make_fleet_ask,
    "fleet learn": make_fleet_learn,
    "fleet score": make_fleet_score,
}
