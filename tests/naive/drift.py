"""The e-detector, from all that has been seen, by loops over starting times, windows, groups and chances."""

import math

from askance.metrics.rising import LOG_ODDS, STEP

CHANCES = [1 / (1 + math.exp(-x)) for x in LOG_ODDS.tolist()]
Seen = tuple[int, int, int, int]  # group, trials, events, rows since the one before


def likelihood(chance: float, trials: int, events: int) -> float:
    return math.exp(events * math.log(chance) + (trials - events) * math.log(1 - chance))


def lower(point: int, trials: int, events: int) -> float:
    """L: half for the chance itself, half for all up to it."""
    ratios = [likelihood(chance, trials, events) for chance in CHANCES[: point + 1]]
    return 0.5 + 0.5 * sum(ratios) / len(ratios) / likelihood(CHANCES[point], trials, events)


def upper(point: int, trials: int, events: int) -> float:
    """R: the mean over all chances from this one on."""
    ratios = [likelihood(chance, trials, events) for chance in CHANCES[point:]]
    return sum(ratios) / len(ratios) / likelihood(CHANCES[point], trials, events)


def least(before: tuple[int, int], since: tuple[int, int], margin: float) -> float:
    """The smallest product of L and R over the cells of the grid, and the two beyond it."""
    skipped = next(cells for cells in range(10**6) if cells * STEP >= math.log(margin) - 1e-9)
    products = []
    for cell in range(-1, len(CHANCES)):
        above = cell + 1 + skipped
        left = lower(cell, *before) if cell >= 0 else 1.0
        products.append(left * (upper(above, *since) if above < len(CHANCES) else 1.0))
    return min(products)


def counts(seen: list[Seen], group: int) -> tuple[int, int]:
    return sum(one[1] for one in seen if one[0] == group), sum(one[2] for one in seen if one[0] == group)


def evidence(seen: list[Seen], groups: int, margin: float, windows: tuple[int, ...], first: int) -> float:
    """The sum over the starting times that are kept."""
    total = 0.0
    for start in range(first, len(seen)):
        if not all(_is_kept(start, now) for now in range(start + 1, len(seen))):
            continue
        begins = [0, *(max(0, start - window) for window in windows)]
        for begin in begins:
            pairs = [(counts(seen[begin:start], g), counts(seen[start:], g)) for g in range(groups)]
            found = math.prod(least(before, since, margin) for before, since in pairs)
            total += seen[start][3] * found / len(begins)
    return total


def _is_kept(start: int, additions: int) -> bool:
    """At every 16th addition: all of the last 32, every second of the last 64, every fourth of the last 128..."""
    if additions % 16:
        return True
    apart = 1
    while (additions - start) // 16 >= 2 * apart:
        apart *= 2
    return start % apart == 0
