"""Reports in Markdown on a terminal: tables that are too wide become several, which repeat the first column."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

PADDING = 2  # characters beside the text of a cell
EDGES = 2  # characters beside a table
_BETWEEN_CELLS = re.compile(r"(?<!\\)\|")


def print_markdown(console: "Console", text: str) -> None:
    """Print a report so that no cell of its tables is cut."""
    from rich.markdown import Markdown

    console.print(Markdown(narrowed(text, console.width)))


def narrowed(text: str, width: int) -> str:
    """The text with tables that fit into a line of `width` characters, if each of their columns does."""
    blocks = []
    for is_table, group in groupby(text.split("\n"), lambda line: line.startswith("|")):
        lines = list(group)
        blocks.append("\n\n".join(_parts(lines, width)) if is_table else "\n".join(lines))
    return "\n".join(blocks)


def _parts(lines: Sequence[str], width: int) -> Iterator[str]:
    rows = [[cell.strip() for cell in _BETWEEN_CELLS.split(line)[1:-1]] for line in lines]
    widths = [
        PADDING + max(len(cell) for cell in column if not _is_rule(cell)) for column in zip(*rows, strict=True)
    ]
    room = width - EDGES - widths[0]
    start = 1
    while start < len(widths) or start == 1:
        end, used = start + 1, sum(widths[start : start + 1])
        while end < len(widths) and used + widths[end] <= room:
            used += widths[end]
            end += 1
        yield "\n".join(f"| {' | '.join([row[0], *row[start:end]])} |" for row in rows)
        start = end


def _is_rule(cell: str) -> bool:
    """Whether it is of the line below the head of a table."""
    return set(cell) <= set(":-") and "--" in cell
