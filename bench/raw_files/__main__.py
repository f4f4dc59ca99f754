"""`python -m bench.raw_files`: what `askance run` reaches on raw files, as a table of the documentation."""

import argparse
import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track

from bench.league.tables import Sheet
from bench.raw_files.outcomes import outcome
from bench.raw_files.tables import BUNDLED, MIXED, STORED, raw_file
from bench.setting import ROOT

SPLITS = 5
PAGE = ROOT / "docs" / "reference" / "raw-files.csv"
# The accuracy to reach; the others have to be a point ahead of logistic regression.
GOALS = {
    "breast cancer": 0.95,
    "wine": 0.93,
    "iris": 0.90,
    "digits": 0.90,
    "magic04": 0.82,
    "spambase": 0.91,
}
AHEAD = 0.01
HEADER = ("file", "rows", "labels", "auto", "lowest", "highest", "logistic regression", "goal", "reached")


def main(arguments: list[str] | None = None, page: Path = PAGE) -> Sheet:
    """Run all splits of all tables, print the results and write them for the documentation."""
    parser = argparse.ArgumentParser(prog="python -m bench.raw_files", description=__doc__)
    parser.add_argument("--files", nargs="+", choices=[*BUNDLED, *STORED, MIXED], metavar="NAME")
    parser.add_argument("--splits", type=int, default=SPLITS, metavar="N")
    options = parser.parse_args(arguments)
    rows = []
    for name in options.files or [*BUNDLED, *STORED, MIXED]:
        raw = raw_file(name)
        found = [
            outcome(raw, split)
            for split in track(range(options.splits), name, console=Console(stderr=True), transient=True)
        ]
        rows.append(line(name, found))
    sheet = Sheet("Accuracy on a held-out fifth", HEADER, rows)
    Console(width=None if Console().is_terminal else 120).print(sheet.shown())
    if options.files is None and options.splits == SPLITS:
        with page.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([sheet.header, *sheet.rows])
    return sheet


def line(name: str, found: Sequence[dict[str, Any]]) -> list[str]:
    """The results of a table."""
    ours, others = ([one[method] for one in found] for method in ("auto", "regression"))
    goal = GOALS.get(name, np.mean(others) + AHEAD)
    labels = np.mean([one["labels"] for one in found])
    figures = [np.mean(ours), min(ours), max(ours), np.mean(others), goal]
    reached = "yes" if np.mean(ours) >= goal else "no"
    return [name, f"{found[0]['rows']:,}", f"{labels:,.0f}", *(f"{figure:.3f}" for figure in figures), reached]


if __name__ == "__main__":
    main()
