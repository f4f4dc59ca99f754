"""Which remembered rows have a new row as their nearest neighbour.

A row is the features that are not 0, in increasing order, and their values. Distances are squared, in double
precision and strict arithmetic: whether one is less than another must not depend on how a pass was compiled.
"""

import sys
from typing import Any

from askance.jit.interop import separate

# A row that has no neighbour yet has this squared distance to it: model files hold no infinity.
FAR = sys.float_info.max


@separate
def count_nearest(
    indices: Any,
    values: Any,
    sizes: Any,
    nearest: Any,
    arrivals: Any,
    recalled: Any,
    recalls: Any,
    slot: Any,
    round_: Any,
) -> int:
    """Return for how many other rows the one in `slot` is nearer than all that they have met; take note there.

    Slots without a row have the arrival 0.
    """
    found, least, size = 0, FAR, sizes[slot]
    for other in range(sizes.shape[0]):
        if other != slot and arrivals[other] > 0:
            enough = max(nearest[other], least)  # a sum this large changes nothing
            total, i, j = 0.0, 0, 0
            while i < size and j < sizes[other] and total < enough:
                ours, theirs = indices[slot, i], indices[other, j]
                # Without branches: they would depend on the data, and be guessed wrongly.
                difference = values[slot, i] * (ours <= theirs) - values[other, j] * (theirs <= ours)
                total += difference * difference
                i += ours <= theirs
                j += theirs <= ours
            while i < size and total < enough:
                total += values[slot, i] * values[slot, i]
                i += 1
            while j < sizes[other] and total < enough:
                total += values[other, j] * values[other, j]
                j += 1
            distance = min(total, FAR)
            if distance < nearest[other]:
                nearest[other], recalled[other] = distance, round_
                recalls[other] += 1
                found += 1
            least = min(least, distance)
    nearest[slot] = least
    return found
