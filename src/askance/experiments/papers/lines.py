"""Lines of Markdown tables of numbers."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from numpy.typing import NDArray

from askance.experiments.statistics import mean, t_interval
from askance.experiments.sweep.results import LEVEL

ABSENT = "–"


def table_lines(heads: Sequence[str], lines: Iterable[Sequence[str]]) -> list[str]:
    """A table: words to the left, everything after the first column to the right."""
    rule = "|:--|" + "--:|" * (len(heads) - 1)
    return [f"| {' | '.join(heads)} |", rule, *(f"| {' | '.join(line)} |" for line in lines)]


def number(value: float | None, digits: int = 4) -> str:
    """A number, or a dash where there is none."""
    return ABSENT if value is None else f"{value:.{digits}f}"


def interval(values: NDArray[Any], digits: int = 4) -> str:
    """The mean, and ± half of its 95 % interval where there are two values or more."""
    if not values.size:
        return ABSENT
    low, high = t_interval(values)
    return f"{mean(values):.{digits}f}" + (f" ± {(high - low) / 2:.{digits}f}" if values.size > 1 else "")


def sure(p: float) -> str:
    """A star where a test tells two apart."""
    return " \\*" if p < LEVEL else ""


def format_setting(setting: str) -> str:
    """A setting that was kept as JSON, in few words."""
    return ", ".join(
        f"{name} {value:.4g}" if isinstance(value, float) else f"{name} {value}"
        for name, value in json.loads(setting).items()
    )


def data_table(rows: Sequence[dict[str, Any]]) -> list[str]:
    """How large the data sets are that were found, and how rare their positive rows."""
    sets = {row["data"]: row for row in rows}
    lines = [
        [name, f"{row['rows']:,}", f"{row['features']:,}", f"{row['positives']:,}", f"1:{_rest(row):.1f}"]
        for name, row in sets.items()
    ]
    return table_lines(["data", "rows", "features", "positive rows", "positive : negative"], lines)


def _rest(row: dict[str, Any]) -> float:
    return float((row["rows"] - row["positives"]) / row["positives"])
