"""Write the stored results of reproduced papers as CSV files and figures: `make papers`.

`askance reproduce PAPER --out DIRECTORY` leaves one report per table in DIRECTORY. This script turns the tables
of these reports into CSV files under `docs/reference/papers/results/PAPER` and copies the figures beside the
pages. The pages themselves are written by hand: they say what agrees with the paper and what does not, and
include or link the files. The script names files that no page mentions.
"""

import csv
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

PAGES = Path(__file__).parents[1] / "docs" / "reference" / "papers"
KINDS = {"claimed": "claims", "against": "claims", "The chosen settings": "settings"}
TAILS = {"what is claimed": "claims", "what else is compared": "comparisons"}


class Table(NamedTuple):
    """A table of a report, with the bold heading above it."""

    heading: str
    rows: list[list[str]]


def tables(report: str) -> Iterator[Table]:
    """The tables of a report in Markdown, in their order."""
    heading, rows = "", list[list[str]]()
    for line in [*report.splitlines(), ""]:
        if line.startswith("|"):
            rows.append([_plain(cell) for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))])
            continue
        if rows:
            yield Table(heading, [rows[0], *rows[2:]])
            heading, rows = "", []
        if bold := re.match(r"\*\*(.+?)\*\*", line):
            heading = bold[1]


def files(report: str, name: str) -> dict[str, list[list[str]]]:
    """The rows of each CSV file, by its name without the ending.

    Tables of one kind become one file; a first column `part` then says which table a row comes from.
    """
    gathered: dict[str, list[Table]] = {}
    for table in tables(report):
        gathered.setdefault(_file_name(table, name), []).append(table)
    return {stem: _joined(some) for stem, some in gathered.items()}


def _file_name(table: Table, name: str) -> str:
    if numbered := re.match(r"Table ([\d.]+): ", table.heading):
        return numbered[1]
    if ": " in table.heading:
        where, _, what = table.heading.partition(": ")
        return f"{name}-{_slug(where)}-{TAILS.get(what, _slug(what))}"
    group, _, part = table.heading.partition(", ")
    for start, kind in KINDS.items():
        if table.heading == start or table.rows[0][0] == start:
            return f"{name}-{kind}"
    if table.rows[0][:2] == ["data", "rows"] or table.rows[0][:2] == ["data", "users"]:
        return f"{name}-data"
    return f"{name}-{_slug(group)}" if part and group.startswith(("On ", "During ")) else name


def _joined(some: list[Table]) -> list[list[str]]:
    if len(some) == 1:
        return some[0].rows
    columns = list(dict.fromkeys(column for table in some for column in table.rows[0]))
    joined = [["part", *columns]]
    for table in some:
        part = re.sub(r"^(On the test part|During the pass), ", "", table.heading)
        for row in table.rows[1:]:
            cells = dict(zip(table.rows[0], row, strict=True))
            joined.append([part, *(cells.get(column, "") for column in columns)])
    return joined


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "-", text.lower().replace("₊", "")).strip("-")


def _plain(cell: str) -> str:
    """A cell without Markdown; an en dash stands for no figure."""
    text = cell.strip().replace("**", "").replace("\\*", "*").replace("\\|", "|")
    return "" if text == "–" else text


def write(report: str, paper: str, table: str) -> list[Path]:
    """Write the CSV files of one report, and return them."""
    folder = PAGES / "results" / paper
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for stem, rows in files(report, table).items():
        path = folder / f"{stem}.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)
        written.append(path)
    return written


def main() -> None:
    """Write whatever is stored."""
    from askance.experiments.papers import PAPERS

    stored = Path(sys.argv[1])
    for paper, parts in PAPERS.items():
        page = (PAGES / f"{paper}.md").read_text(encoding="utf-8")
        for table in parts:
            source = stored / paper / table.name
            if not (source / "report.md").exists():
                continue
            written = write((source / "report.md").read_text(encoding="utf-8"), paper, table.name)
            if table.picture is not None and (source / table.picture).exists():
                written.append(PAGES / f"{paper}-{table.name}.png")
                shutil.copyfile(source / table.picture, written[-1])
            for path in written:
                if path.name not in page:
                    sys.stdout.write(f"{paper}.md does not mention {path.relative_to(PAGES)}\n")


if __name__ == "__main__":
    main()
