"""A table as people have them: numbers of very different sizes, categories, gaps, dates, an id and free text."""

import csv
import pathlib
from typing import Any

import numpy as np

COLUMNS = ("customer", "income", "age", "ratio", "city", "signup", "comment", "region", "label")
PLEASED = ("great", "fine", "happy", "pleased", "quick", "friendly")
ANGRY = ("refund", "angry", "broken", "late", "waiting", "awful")
OTHERS = ("the", "order", "was", "my", "for", "with", "about", "please", "week", "card")


def customers(rows: int = 2000, random_state: int = 0) -> list[dict[str, Any]]:
    """Customers, one in five or so of whom leaves. Numbers, city and comment each tell something of it."""
    rng = np.random.default_rng(random_state)
    income, age, ratio = rng.lognormal(10, 0.6, rows), rng.integers(18, 90, rows), rng.normal(size=rows) / 1000
    city = rng.choice(["Oslo", "Rome", "Lima", "Bern"], rows, p=[0.5, 0.3, 0.15, 0.05])
    score = 1.5 * (np.log(income) - 10) / 0.6 - (age - 54) / 21 + 1500 * ratio + 2 * (city == "Lima")
    leaves = rng.random(rows) < 1 / (1 + np.exp(4 - 1.5 * score))
    records = []
    for row in range(rows):
        angry = bool(leaves[row]) != (rng.random() < 0.2)
        words = [*rng.choice(ANGRY if angry else PLEASED, 2), *rng.choice(OTHERS, 5)]
        day = f"20{rng.integers(10, 24)}-{rng.integers(1, 13):02}-{rng.integers(1, 28):02}"
        records.append(
            {
                "customer": f"C{100_000 + row}",
                "income": "NA" if rng.random() < 0.05 else f"{income[row]:.2f}",
                "age": "" if rng.random() < 0.08 else int(age[row]),
                "ratio": f"{ratio[row]:.6f}",
                "city": city[row],
                "signup": day,
                "comment": " ".join(words),
                "region": "EU",
                "label": "leaves" if leaves[row] else "stays",
            }
        )
    return records


def write_customers(path: pathlib.Path, rows: int = 2000, random_state: int = 0) -> pathlib.Path:
    """The same as a CSV file."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(customers(rows, random_state))
    return path
