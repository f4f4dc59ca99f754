"""The pass of a bank: sixteen learners of one kind process the same rows side by side."""

from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload

from askance.jit.interop import INLINE, inlined
from askance.jit.select import maximum, sign, where
from askance.jit.simd.arithmetic import any_of
from askance.jit.simd.lane_tuples import laned
from askance.jit.simd.vector import LANES, at, changing, first_lanes, held, prefetch_entries, sixteen
from askance.rules.rows import Seen, sums

WIDE = np.uint64(LANES)


def coin_of(coins: Any, t: int, zero: Any) -> Any:
    """Return the coins of round `t`: one for all lanes, or one per lane."""
    raise NotImplementedError


@overload(coin_of, jit_options=INLINE)
def _compiled_coin_of(coins, t, zero):  # type: ignore[no-untyped-def]  # noqa: ARG001
    if isinstance(coins, types.Array) and coins.ndim == 1:
        return lambda coins, t, zero: zero + coins[t]
    return lambda coins, t, zero: coins[at(np.uint64(t) * WIDE, zero)]


@inlined
def squared_norm_of(rows: Any, t: int, size: Any) -> Any:
    """Return x·x."""
    total = rows.values.dtype.type(0)
    for k in range(size):
        _, x = rows.entry(t, k)
        total += x * x
    return total


@inlined
def prefetch_lanes(zero: Any, rows: Any, t: int, size: Any, state: Any) -> None:
    """Prefetch the entries of the state that row `t` will visit."""
    for k in range(size):
        j, _ = rows.entry(t, k)
        prefetch_entries(state, at(np.uint64(j) * WIDE, zero))


@inlined
def shift_lanes(zero: Any, rows: Any, t: int, size: Any, state: Any, step: Any, moved: Any) -> None:
    """Move the lanes in `moved` by their steps along row `t`."""
    for k in range(size):
        j, x = rows.entry(t, k)
        state.move(changing(at(np.uint64(j) * WIDE, zero), moved), x, step)


def bank(given_update, given_query, memory, given_state, tally, rows, labels, coins, at_zero, is_large):  # type: ignore[no-untyped-def]
    """Let all lanes run through rows that are sound, and add to their counts.

    `is_large` says that the state does not fit into the fastest cache.
    """
    update, query, state = laned(given_update), laned(given_query), laned(given_state)
    zero = sixteen(rows.values.dtype.type(0))
    every, every_lane = at(np.uint64(0), zero), first_lanes(WIDE, zero)
    asked, updated = tally.asked[every], tally.updated[every]
    missed, alarms = tally.missed[every], tally.alarms[every]
    mistakes, max_squared_norm = tally.mistakes[every], tally.max_squared_norm[every]
    n_labels, n_positives = tally.n_labels[every], tally.n_positives[every]
    for t in range(labels.shape[0]):
        label, size = labels[t], np.uint64(rows.size(t))
        after = min(t + 1, labels.shape[0] - 1)
        prefetch_lanes(zero, rows, after, np.uint64(rows.size(after) * is_large), state)
        total, spread = sums(zero, every_lane, np.uint64(0), WIDE, rows, t, size, state)
        score = state.margin(total, spread)
        prediction = sign(score, at_zero)
        squared_norm = squared_norm_of(rows, t, size)
        seen = Seen(
            score, spread, squared_norm, prediction, mistakes, max_squared_norm, n_labels, n_positives, 1.0
        )
        coin = coin_of(coins, t, zero)
        is_asked = coin < query.ask(memory, seen, coin)
        fires, step = update.step(seen, label)
        moved = is_asked & fires
        if any_of(moved):
            shift_lanes(zero, rows, t, size, state, held(step), held(moved))
        wrong = prediction != label
        positive = where(label > 0, 1.0, 0.0)
        asked += where(is_asked, 1.0, 0.0)
        updated += where(moved, 1.0, 0.0)
        missed += where(wrong, positive, 0.0)
        alarms += where(wrong, 1.0 - positive, 0.0)
        mistakes += where(moved & wrong, 1.0, 0.0)
        max_squared_norm = where(moved & wrong, maximum(max_squared_norm, seen.squared_norm), max_squared_norm)
        n_labels += where(is_asked, 1.0, 0.0)
        n_positives += where(is_asked, positive, 0.0)
    tally.asked[every], tally.updated[every] = asked, updated
    tally.missed[every], tally.alarms[every] = missed, alarms
    tally.mistakes[every], tally.max_squared_norm[every] = mistakes, max_squared_norm
    tally.n_labels[every], tally.n_positives[every] = n_labels, n_positives
