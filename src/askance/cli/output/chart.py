"""Charts of a few lines of text."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from askance.cli.output.console import has_symbols

WIDTH = 40
STEPS, PLAIN_STEPS = "▁▂▃▄▅▆▇█", "_.-=+*%#"


def lines(console: Console, values: Mapping[str, NDArray[np.float64]], low: float, high: float) -> Table:
    """One line of steps per name, from `low` to `high`, with the last value."""
    steps = STEPS if has_symbols(console) else PLAIN_STEPS
    return _table([(name, _steps(along, low, high, steps), f"{along[-1]:.3f}") for name, along in values.items()])


def bars(console: Console, counts: Mapping[str, int]) -> Table:
    """One bar per name, as long as its count."""
    block = STEPS[-1] if has_symbols(console) else PLAIN_STEPS[-1]
    longest = max(counts.values())
    return _table(
        [(name, block * max(1, round(WIDTH * count / longest)), f"{count:,}") for name, count in counts.items()]
    )


def _steps(values: NDArray[np.float64], low: float, high: float, steps: str) -> str:
    picked = values[np.linspace(0, len(values) - 1, WIDTH).round().astype(int)]
    heights = np.clip((picked - low) / (high - low), 0, 1) * (len(steps) - 1)
    return "".join(steps[height] for height in heights.round().astype(int))


def _table(rows: Sequence[tuple[str, str, str]]) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True, min_width=WIDTH)
    table.add_column(justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    return table
