"""Tables of results as in papers, in Markdown and HTML."""

import dataclasses
import math
import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import NamedTuple

from askance.experiments.sweep.results import ALL_LABELS, Cell, Results, Standing

ABSENT = "–"
TIE = "•"
SET = "Each method was set to the share of its column."

# The page uses the colours of the browser, light or dark, and adds only shades of them.
STYLE = """\
:root { color-scheme: light dark; }
body { margin: 2rem; font: 15px/1.45 system-ui, sans-serif; background: Canvas; color: CanvasText; }
figure { margin: 0 0 2.5rem; overflow-x: auto; }
figcaption { margin-bottom: .6rem; font-weight: 600; }
p { margin: .6rem 0 0; font-size: 13px; opacity: .8; max-width: 56rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; white-space: nowrap; }
th, td { padding: .3rem .7rem; text-align: right; font-weight: 400; }
thead th { text-align: center; border-bottom: 1px solid rgb(128 128 128 / 60%); }
thead tr:last-child th { border-bottom-width: 2px; }
thead tr:last-child th:first-child { text-align: left; }
tbody th { text-align: left; position: sticky; left: 0; background: Canvas; }
tbody tr + tr > * { border-top: 1px solid rgb(128 128 128 / 25%); }
tbody tr.apart > * { border-top: 2px solid rgb(128 128 128 / 60%); }
.first { border-left: 1px solid rgb(128 128 128 / 40%); }
.best { font-weight: 700; background: rgb(128 128 128 / 18%); }
td { padding-right: 1.5rem; }
.tie { padding-right: .7rem; }
"""


class TableCell(NamedTuple):
    """The text of a cell, and how it is marked."""

    text: str
    is_best: bool = False
    ties: bool = False
    note: str = ""


class TableRow(NamedTuple):
    """A row with its head and cells; `apart` separates it from the row above."""

    head: str
    entries: Sequence[TableCell]
    apart: bool = False


class ResultTable(NamedTuple):
    """A formatted table. A column has two heads, of which the upper one is shared by neighbours."""

    title: str
    corner: str
    heads: Sequence[tuple[str, str]]
    lines: Sequence[TableRow]
    note: str

    def to_markdown(self) -> str:
        """Return the table in Markdown, aligned to be readable as text."""
        heads = [_in_markdown(", ".join(filter(None, pair))) for pair in self.heads]
        rows = [[_in_markdown(line.head), *map(_markdown_entry, line.entries)] for line in self.lines]
        grid = [[_in_markdown(self.corner), *heads], *rows]
        widths = [max(3, *(len(row[column]) for row in grid)) for column in range(len(grid[0]))]
        padded = [_markdown_row(row, widths) for row in grid]
        rule = (
            "|" + "|".join([f":{'-' * (widths[0] + 1)}", *(f"{'-' * (width + 1)}:" for width in widths[1:])]) + "|"
        )
        return "\n".join(
            [f"**{_in_markdown(self.title)}**", "", padded[0], rule, *padded[1:], "", _in_markdown(self.note), ""]
        )

    def to_html(self) -> str:
        """Return a complete HTML page with the table."""
        return page([self], self.title)


def page(tables: Iterable[ResultTable], title: str) -> str:
    """Return a self-contained HTML page of some tables."""
    figures = "\n".join(map(_figure, tables))
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{STYLE}</style>\n{figures}\n</html>\n"
    )


def result_table(results: Results, metric: str | None = None, digits: int | None = None) -> ResultTable:
    """Return mean ± standard deviation of each algorithm (row) on each data set at each rate (columns).

    Shares are in per cent, with `digits` decimal places. In the table of labels asked, no method is marked as the
    best if all were set to the rates. The table of accuracy has a row for always predicting the most frequent
    class.
    """
    metric = results.main if metric is None else metric
    quantity = results.quantity(metric)
    cells = results.summary(metric)
    marked = not (metric == "asked" and results.is_tuned)
    if not marked:
        cells = [dataclasses.replace(cell, is_best=False, ties=False) for cell in cells]
    factor = 100 if quantity.is_share else 1
    if digits is None:
        digits = 1 if quantity.is_share else _digits(cell.mean for cell in cells)
    places = list(dict.fromkeys((cell.data, cell.rate) for cell in cells))
    entries = {(cell.algorithm, cell.data, cell.rate): _entry(cell, factor, digits) for cell in cells}
    lines = [
        TableRow(name, [entries.get((name, *place), TableCell(ABSENT)) for place in places])
        for name in results.algorithms
    ]
    if metric == "accuracy" and results.most_frequent:
        lines.append(_most_frequent(results, [data for data, _ in places], digits))
    title = f"{quantity.title} in %" if quantity.is_share else quantity.title
    heads = [(data, _labels(rate)) for data, rate in places]
    return ResultTable(_capitalised(title), "algorithm", heads, lines, _result_note(cells, marked=marked))


def _most_frequent(results: Results, data_sets: Sequence[str], digits: int) -> TableRow:
    """Return the accuracy of a method that always predicts the most frequent class."""
    shares = [results.most_frequent.get(name, math.nan) for name in data_sets]
    return TableRow(
        "most frequent class", [TableCell(_number(100 * share, digits)) for share in shares], apart=True
    )


def rank_table(results: Results, metric: str | None = None) -> ResultTable:
    """Return average ranks of algorithms over data sets, one column per rate, with tests of their differences."""
    title = f"Average ranks by {results.quantity(metric).title}"
    standings = results.standings(metric)
    columns = [_rank_entries(standing) for standing in standings]
    lines = [
        TableRow(name, [column.get(name, TableCell(ABSENT)) for column in columns]) for name in results.algorithms
    ]
    rankings = [standing.ranking for standing in standings]
    lines += [
        TableRow("data sets", [TableCell(str(one.data_sets)) for one in rankings], apart=True),
        TableRow("Friedman's test, p", [TableCell(_probability(one.test.p)) for one in rankings]),
        TableRow("critical difference", [TableCell(_number(one.difference, 2)) for one in rankings]),
    ]
    note = (
        f"Rank 1 is the best. Bold: the lowest of its column. {TIE}: less than the critical difference above it "
        "(Nemenyi's test, 5 %). A data set counts if every algorithm of the column was run on it."
    )
    return ResultTable(title, "algorithm", [("", _labels(standing.rate)) for standing in standings], lines, note)


def _entry(cell: Cell, factor: int, digits: int) -> TableCell:
    if math.isnan(cell.mean):
        return TableCell(ABSENT, note=f"{cell.count} runs, without a value")
    text, note = _number(factor * cell.mean, digits), f"{cell.count} run"
    if cell.count > 1:
        text += f" ± {_number(factor * cell.deviation, digits)}"
        low, high = (_number(factor * end, digits + 1) for end in (cell.low, cell.high))
        note += f"s, 95 % interval of the mean {low} to {high}"
    return TableCell(text, cell.is_best, cell.ties, f"{note}, {100 * cell.asked:.3g} % of the labels asked")


def _rank_entries(standing: Standing) -> dict[str, TableCell]:
    average, difference = standing.ranking.average, standing.ranking.difference
    if not standing.data:
        return {}
    lowest = average.min()
    return {
        name: TableCell(_number(rank, 2), is_best=rank == lowest, ties=lowest < rank < lowest + difference)
        for name, rank in zip(standing.algorithms, average.tolist(), strict=True)
    }


def _result_note(cells: Sequence[Cell], *, marked: bool) -> str:
    counts = [cell.count for cell in cells]
    least, most = min(counts, default=0), max(counts, default=0)
    if most < 2:
        return f"One permutation. {'Bold: the best of its column.' if marked else SET}"
    over = str(most) if least == most else f"{least} to {most}"
    marks = f"Bold: the best mean of its column. {TIE}: not significantly worse (paired t-test, 5 %)."
    return f"Mean ± standard deviation over {over} permutations. {marks if marked else SET}"


def _digits(means: Iterable[float]) -> int:
    """Return the number of decimal places that shows two significant digits of the smallest mean."""
    sizes = [abs(mean) for mean in means if math.isfinite(mean) and mean]
    return min(6, max(0, 1 - math.floor(math.log10(min(sizes))))) if sizes else 1


def _number(value: float, digits: int) -> str:
    return ABSENT if math.isnan(value) else f"{value:,.{digits}f}"


def _probability(p: float) -> str:
    return ABSENT if math.isnan(p) else "< 0.001" if p < 0.001 else f"{p:.3f}"


def _labels(rate: float) -> str:
    return "all labels" if rate == ALL_LABELS else f"{100 * rate:.6g} %"


def _capitalised(title: str) -> str:
    return title[:1].upper() + title[1:]


def _markdown_entry(entry: TableCell) -> str:
    return f"**{entry.text}**" if entry.is_best else f"{entry.text} {TIE}" if entry.ties else entry.text


def _markdown_row(row: Sequence[str], widths: Sequence[int]) -> str:
    aligned = [
        row[0].ljust(widths[0]),
        *(text.rjust(width) for text, width in zip(row[1:], widths[1:], strict=True)),
    ]
    return f"| {' | '.join(aligned)} |"


def _in_markdown(text: str) -> str:
    """Escape every character that is special in Markdown, and join lines."""
    return re.sub(r"([\\`*_\[\]<>|#~$&])", r"\\\1", " ".join(text.split()))


def _figure(table: ResultTable) -> str:
    firsts = [column == 0 or upper != table.heads[column - 1][0] for column, (upper, _) in enumerate(table.heads)]
    rows = "\n".join(_html_line(line, firsts) for line in table.lines)
    return (
        f"<figure>\n<figcaption>{escape(table.title)}</figcaption>\n"
        f"<table>\n<thead>\n{_html_heads(table, firsts)}\n</thead>\n"
        f"<tbody>\n{rows}\n</tbody>\n</table>\n<p>{escape(table.note)}</p>\n</figure>"
    )


def _html_heads(table: ResultTable, firsts: Sequence[bool]) -> str:
    """Return one row of heads, or two if there are upper ones."""
    lower = "".join(
        f'<th scope="col"{_classes(first=first)}>{escape(head)}</th>'
        for (_, head), first in zip(table.heads, firsts, strict=True)
    )
    corner = f'<th scope="col">{escape(table.corner)}</th>'
    if not any(upper for upper, _ in table.heads):
        return f"<tr>{corner}{lower}</tr>"
    starts = [column for column, first in enumerate(firsts) if first]
    spans = [end - start for start, end in zip(starts, [*starts[1:], len(firsts)], strict=True)]
    uppers = "".join(
        f'<th scope="colgroup" colspan="{span}" class="first">{escape(table.heads[start][0])}</th>'
        for start, span in zip(starts, spans, strict=True)
    )
    return f"<tr><td></td>{uppers}</tr>\n<tr>{corner}{lower}</tr>"


def _html_line(line: TableRow, firsts: Sequence[bool]) -> str:
    entries = "".join(
        f"<td{_classes(first=first, best=entry.is_best, tie=entry.ties)}"
        f"{_title(entry.note)}>{escape(entry.text)}{f' {TIE}' if entry.ties else ''}</td>"
        for entry, first in zip(line.entries, firsts, strict=True)
    )
    return f'<tr{_classes(apart=line.apart)}><th scope="row">{escape(line.head)}</th>{entries}</tr>'


def _classes(**classes: bool) -> str:
    names = " ".join(name for name, is_on in classes.items() if is_on)
    return f' class="{names}"' if names else ""


def _title(note: str) -> str:
    return f' title="{escape(note)}"' if note else ""
