"""Helpers for Markdown tables of numbers."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from numpy.typing import NDArray

from askance.experiments.statistics import mean, t_interval
from askance.experiments.sweep.results import LEVEL

ABSENT = "–"


def table_lines(heads: Sequence[str], lines: Iterable[Sequence[str]]) -> list[str]:
    """Return a table: the first column aligned left, the others right."""
    rule = "|:--|" + "--:|" * (len(heads) - 1)
    return [f"| {' | '.join(heads)} |", rule, *(f"| {' | '.join(line)} |" for line in lines)]


def number(value: float | None, digits: int = 4) -> str:
    """Format a number, or a dash for None."""
    return ABSENT if value is None else f"{value:.{digits}f}"


def interval(values: NDArray[Any], digits: int = 4) -> str:
    """Format the mean, with ± half of its 95 % interval for two or more values."""
    if not values.size:
        return ABSENT
    low, high = t_interval(values)
    return f"{mean(values):.{digits}f}" + (f" ± {(high - low) / 2:.{digits}f}" if values.size > 1 else "")


def sure(p: float) -> str:
    """Return a star for a significant difference."""
    return " \\*" if p < LEVEL else ""


def format_setting(setting: str) -> str:
    """Format a setting that is stored as JSON."""
    return ", ".join(
        f"{name} {value:.4g}" if isinstance(value, float) else f"{name} {value}"
        for name, value in json.loads(setting).items()
    )


def data_table(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return the sizes of data sets and their shares of positive rows."""
    sets = {row["data"]: row for row in rows}
    lines = [
        [name, f"{row['rows']:,}", f"{row['features']:,}", f"{row['positives']:,}", f"1:{_rest(row):.1f}"]
        for name, row in sets.items()
    ]
    return table_lines(["data", "rows", "features", "positive rows", "positive : negative"], lines)


def _rest(row: dict[str, Any]) -> float:
    return float((row["rows"] - row["positives"]) / row["positives"])
