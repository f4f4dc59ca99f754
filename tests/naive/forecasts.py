"""Forecasts from learning curves, by loops and sums over every curve of the grid."""

import math

from askance.metrics.forecast import DEPARTURE, EXPONENTS, FLAT, FLOORS, ODDS, SPREAD, USUAL


def odds(curve: tuple[float, float, float], labels: float) -> float:
    o, r, c = curve
    return float(o * (r + (1 - r) * (labels / 100) ** -c))


def group(labels: int) -> int:
    """The largest k with 1.25^k labels or fewer."""
    k = 0
    while 1.25 ** (k + 1) <= labels * (1 + 1e-12):
        k += 1
    return k


def posterior(
    labels: list[int], wrong: list[bool], weights: list[float]
) -> list[tuple[tuple[float, float, float], float]]:
    """All curves with their probabilities."""
    rows = [row for row in zip(labels, wrong, weights, strict=True) if row[0] >= 10]
    groups: dict[int, list[tuple[int, bool, float]]] = {}
    for row in rows:
        groups.setdefault(group(row[0]), []).append(row)
    found = []
    for o in ODDS.tolist():
        for r in FLOORS.tolist():
            for c in EXPONENTS.tolist():
                log = math.log(1 - r + (FLAT if r == 1 else 0)) - (math.log(c / USUAL) / SPREAD) ** 2 / 2
                for some in groups.values():
                    total = sum(weight for _, _, weight in some)
                    mean = sum(n * weight for n, _, weight in some) / total
                    error = odds((o, r, c), mean) / (1 + odds((o, r, c), mean))
                    log += sum(weight * math.log(error if bad else 1 - error) for _, bad, weight in some)
                found.append(((o, r, c), log))
    most = max(log for _, log in found)
    total = sum(math.exp(log - most) for _, log in found)
    return [(curve, math.exp(log - most) / total) for curve, log in found]


def chance_of_at_most(
    found: list[tuple[tuple[float, float, float], float]], error: float, known: int, more: int
) -> float:
    """The probability that the error is at most this after more labels."""
    spread = DEPARTURE * (1 + math.log((known + more) / known))
    wanted = math.log(error / (1 - error))
    return sum(weight * normal((wanted - math.log(odds(curve, known + more))) / spread) for curve, weight in found)


def chance_of_gain_at_most(
    found: list[tuple[tuple[float, float, float], float]], gain: float, known: int, more: int
) -> float:
    """The probability that the accuracy grows by at most this."""
    spread, chance = DEPARTURE * (1 + math.log((known + more) / known)), 0.0
    for curve, weight in found:
        now = odds(curve, known) / (1 + odds(curve, known))
        left = now - gain
        if left <= 0:
            chance += weight
        elif left < 1:
            distance = math.log(odds(curve, known + more)) - math.log(left / (1 - left))
            chance += weight * normal(distance / spread)
    return chance


def normal(z: float) -> float:
    return math.erfc(-z / math.sqrt(2)) / 2
