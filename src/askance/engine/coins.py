"""Coins: uniform numbers in [0, 1) that are a pure function of seed and round.

Round t of seed s gets the same coin whatever chunks the stream comes in, in whatever process, resumed or
replayed. The numbers are those of SplitMix64 (Steele, Lea and Flood 2014) started at a scrambled seed.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance.engine.seam import compiled

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST = np.uint64(0xBF58476D1CE4E5B9)
SECOND = np.uint64(0x94D049BB133111EB)


def _toss(seed: NDArray[np.uint64], rounds: NDArray[np.int64]) -> Any:
    # Arrays throughout: their arithmetic wraps silently with the compiler on and off.
    bits = _scrambled(_scrambled(seed) + (rounds.astype(np.uint64) + np.uint64(1)) * GOLDEN)
    return (bits >> np.uint64(11)) * 2.0**-53


def _scramble(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    bits = (bits ^ (bits >> np.uint64(30))) * FIRST
    bits = (bits ^ (bits >> np.uint64(27))) * SECOND
    return bits ^ (bits >> np.uint64(31))


_scrambled = compiled(_scramble, exact=True)
_tossed = compiled(_toss, exact=True)


def coins(seed: int, first_round: int, count: int) -> NDArray[np.float64]:
    """The coins of rounds `first_round`, `first_round + 1`, …"""
    return _tossed(np.array([seed], np.uint64), np.arange(first_round, first_round + count))
