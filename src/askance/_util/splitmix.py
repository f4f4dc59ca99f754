"""The finaliser of SplitMix64 (Steele, Lea and Flood 2014): every output bit depends on every input bit."""

from typing import Any

import numpy as np

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST = np.uint64(0xBF58476D1CE4E5B9)
SECOND = np.uint64(0x94D049BB133111EB)


def scrambled(bits: Any) -> Any:
    """Return 64 mixed bits, for a number or an array of them. Products wrap around."""
    bits = (bits ^ (bits >> np.uint64(30))) * FIRST
    bits = (bits ^ (bits >> np.uint64(27))) * SECOND
    return bits ^ (bits >> np.uint64(31))
