"""A plain twin of the probabilities of a learner, from the formula."""

import math
from typing import Any

from scipy.optimize import minimize_scalar


def median(values: Any) -> float:
    ordered = sorted(values)
    middle = len(ordered) // 2
    return float(ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2)


def temperature(scores: Any, places: Any, chances: Any) -> float:
    """The temperature for rows of scores, one per class, the places of the labels, and how likely each was."""
    weights = [1 / chance for chance in chances]
    weights = [min(weight / median(weights), 10) for weight in weights]
    effective = sum(weights) ** 2 / sum(weight**2 for weight in weights)
    weights = [weight / sum(weights) * effective for weight in weights]
    leads = [sorted(row)[-1] - sorted(row)[-2] for row in scores]
    mean_lead = sum(weight * lead for weight, lead in zip(weights, leads, strict=True)) / sum(weights)
    if mean_lead == 0:
        return 1.0

    def cost(log_a: float) -> float:
        a = math.exp(log_a)
        total = a * mean_lead - log_a
        for row, place, weight in zip(scores, places, weights, strict=True):
            highest = max(row)
            spread = sum(math.exp(a * (score - highest)) for score in row)
            total += weight * (a * highest + math.log(spread) - a * row[place])
        return total

    start = -math.log(mean_lead)
    found = minimize_scalar(cost, bounds=(start - 12, start + 12), method="bounded", options={"xatol": 1e-10})
    return math.exp(found.x)


def probabilities(row: Any, a: float) -> list[float]:
    powers = [math.exp(a * (score - max(row))) for score in row]
    return [power / sum(powers) for power in powers]
