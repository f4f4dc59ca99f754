"""A made-up table with columns of every kind: numbers, categories, dates, missing values, an id and text."""

from typing import Any

import numpy as np

ROWS = 20_000
COLUMNS = ("customer", "signed_up", "age", "income", "plan", "city", "visits", "last_call", "comment", "class")
PLANS = ("basic", "plus", "family", "business")
CITIES = 60  # more than are one feature each
PLEASED = ("great", "fine", "happy", "pleased", "quick", "friendly", "thanks", "solved")
ANGRY = ("refund", "angry", "broken", "late", "waiting", "awful", "cancel", "again")
OTHERS = ("the", "order", "was", "my", "for", "with", "about", "please", "week", "card", "line", "bill", "new")


def customers(rows: int = ROWS, random_state: int = 0) -> list[dict[str, Any]]:
    """Customers, some of whom leave.

    Numbers matter as they do in practice, not in straight lines: the logarithm of the income, the young and the
    old, few visits on the cheapest plan. A tenth of the ages, incomes, cities and comments is missing, and one
    comment in ten sounds like the opposite.
    """
    rng = np.random.default_rng(random_state)
    age, income = rng.integers(18, 90, rows), rng.lognormal(10, 0.7, rows)
    plan, visits = rng.choice(len(PLANS), rows, p=[0.45, 0.3, 0.15, 0.1]), rng.poisson(5, rows)
    shares = 1 / np.arange(2, CITIES + 2)
    city = rng.choice(CITIES, rows, p=shares / shares.sum())
    year = rng.integers(2018, 2025, rows)
    is_angry = rng.random(rows) < 0.45
    score = (
        -0.9 * (np.log(income) - 10) / 0.7
        + 1.2 * ((age - 50) / 20) ** 2
        + 1.5 * ((plan == 0) & (visits < 5))
        + 0.25 * (year - 2021)
        + rng.normal(0, 0.6, CITIES)[city]
        + np.where(is_angry, 1.2, -1.2)
    )
    leaves = rng.random(rows) < 1 / (1 + np.exp(-1.5 * (score - np.median(score))))
    seems_angry = is_angry ^ (rng.random(rows) < 0.1)
    missing = rng.random((rows, 4)) < 0.1
    records = []
    for row in range(rows):
        words = [*rng.choice(ANGRY if seems_angry[row] else PLEASED, 2), *rng.choice(OTHERS, rng.integers(3, 9))]
        rng.shuffle(words)
        values = (
            f"C{100_000 + row}",
            f"{year[row]}-{_day(rng)}",
            "" if missing[row, 0] else age[row],
            "NA" if missing[row, 1] else f"{income[row]:.2f}",
            PLANS[plan[row]],
            "?" if missing[row, 2] else f"city {city[row]}",
            visits[row],
            f"2025-{_day(rng)} {rng.integers(8, 20):02}:{rng.integers(60):02}",
            "" if missing[row, 3] else " ".join(words),
            "leaves" if leaves[row] else "stays",
        )
        records.append(dict(zip(COLUMNS, values, strict=True)))
    return records


def _day(rng: np.random.Generator) -> str:
    return f"{rng.integers(1, 13):02}-{rng.integers(1, 29):02}"
