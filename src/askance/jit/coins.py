"""Coins: uniform numbers in [0, 1) that are a pure function of seed and round.

Round t of seed s always gets the same coin: however the stream is cut into chunks, in any process, resumed or
replayed. The numbers are those of SplitMix64, started at a scrambled seed.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance._util.splitmix import GOLDEN, scrambled
from askance.jit.interop import COMPILING, inlined, persistent

scrambled_bits = inlined(scrambled)


@inlined
def coin_at(seed: Any, round_: Any) -> Any:
    """The coin of one round; in plain Python also the coins of an array of rounds."""
    start = scrambled_bits(seed) + (round_ + np.uint64(1)) * GOLDEN
    return (scrambled_bits(start) >> np.uint64(11)) * 2.0**-53


def _toss(seed: Any, first_round: Any, coins: NDArray[np.float64]) -> None:
    for t in range(coins.shape[0]):
        coins[t] = coin_at(seed, first_round + np.uint64(t))


_tossed = persistent(_toss, exact=True)


def coins(seed: int, first_round: int, count: int) -> NDArray[np.float64]:
    """The coins of rounds `first_round`, `first_round + 1`, …"""
    with np.errstate(over="ignore"):  # 64-bit arithmetic is meant to wrap
        if not COMPILING:
            found: NDArray[np.float64] = coin_at(
                np.uint64(seed), np.uint64(first_round) + np.arange(count, dtype=np.uint64)
            )
            return found
        tossed = np.empty(count)
        _tossed(np.uint64(seed), np.uint64(first_round), tossed)
    return tossed
