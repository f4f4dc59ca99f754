"""Small tables in HTML, for the displays of notebooks."""

from collections.abc import Iterable, Sequence
from html import escape


def html_table(title: str, rows: Iterable[Sequence[object]], head: Sequence[str] = ()) -> str:
    """A table with a title. All text is escaped; the colours are those of the page."""
    parts = ["<table>", f"<caption style='text-align: left; font-weight: bold'>{escape(title)}</caption>"]
    if head:
        parts.append(
            "<tr>" + "".join(f"<th style='text-align: left'>{escape(word)}</th>" for word in head) + "</tr>"
        )
    parts += ["<tr>" + "".join(map(_cell, row)) + "</tr>" for row in rows]
    return "".join([*parts, "</table>"])


def _cell(value: object) -> str:
    return f"<td style='text-align: left'>{escape(str(value))}</td>"


def html_line(values: Sequence[float], low: float, high: float, size: tuple[int, int] = (320, 60)) -> str:
    """A line through the values from left to right, as a small picture in the colour of the text."""
    width, height = size
    step = width / max(1, len(values) - 1)
    span = (high - low) or 1.0
    points = " ".join(
        f"{number * step:.1f},{height - height * (value - low) / span:.1f}" for number, value in enumerate(values)
    )
    return (
        f"<svg width='{width}' height='{height + 4}' viewBox='0 -2 {width} {height + 4}' role='img'>"
        f"<polyline fill='none' stroke='currentColor' points='{points}'/></svg>"
    )
