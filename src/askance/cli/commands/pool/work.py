"""The work of `askance pool`: read the features and the labels so far, choose rows and give reasons."""

import csv
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from rich.table import Table

from askance.cli.commands.pool.labels import is_answered, labels_of
from askance.cli.commands.pool.reasons import reason
from askance.cli.commands.pool.request import WITHOUT_LABELS, PoolRequest
from askance.cli.commands.pool.texts import table_cells, texts_of
from askance.cli.contest.source import one_text, open_file, open_typed
from askance.cli.options import Reading
from askance.cli.output.console import print_json, stdout
from askance.cli.output.progress import Watched, progress
from askance.cli.targets import draft
from askance.data.files import is_pipe
from askance.data.kinds import TEXT
from askance.data.stacking import stacked
from askance.data.tables import TableStream
from askance.data.typed import TypedTable, is_table, scaled_matrix
from askance.pool.selection import Selection, Strategy
from askance.pool.selector import PrivilegedSelector

TEXT_WIDTH = 40
PLAIN = Reading(None, None, None, None, None, None, False, None)
COLUMNS = ("row", "label", "text", "score", "uncertainty", "prediction", "correcting", "similarity", "reason")


class Choice(NamedTuple):
    """The chosen rows, by their numbers in the file, and facts about the pool."""

    rows: int
    labels: dict[int, str]
    selection: Selection
    texts: dict[int, str]
    strategy: str
    note: str
    columns: str  # what those of a table were taken for
    cells: dict[int, dict[str, Any]]  # of the chosen rows, if they are those of a table

    def chosen(self) -> list[dict[str, Any]]:
        """One line per chosen row, best first."""
        return [self._line(place, int(row)) for place, row in enumerate(self.selection.rows)]

    def _line(self, place: int, row: int) -> dict[str, Any]:
        score = float(self.selection.scores[place])
        parts = {name: float(values[place]) for name, values in self.selection.parts.items()}
        text = {"text": self.texts[row]} if row in self.texts else {}
        return {"row": row} | text | {"score": score} | parts | {"reason": reason(self.strategy, score, parts)}


def answer(request: PoolRequest, *, as_json: bool) -> None:
    """Choose, write and print."""
    if request.out is None:
        choice = choose(request)
    else:
        if request.out.is_file() and is_answered(request.out):
            raise ValueError(
                f"--out {request.out}: contains labels: pass it as --labels, and choose another name for --out"
            )
        with draft(request.out, request.features) as path:
            choice = choose(request)
            write(choice, path)
    if as_json:
        print_json(as_dict(choice))
    else:
        show(request, choice)


def choose(request: PoolRequest) -> Choice:
    """The rows to label next."""
    if is_pipe(request.features):
        raise ValueError("a pool is read more than once, but a pipe can be read only once: save it to a file")
    reading = _without_label(request.reading)
    kinds: Any = None
    if is_table(request.features, reading.format):
        kinds = open_typed(request.features, reading, labelled=False)
        assert isinstance(kinds, TypedTable)
        columns = kinds.described()
        with progress(request.features.name):
            X = scaled_matrix(kinds)
        reading = reading._replace(text=_shown_text(reading, kinds))
    else:
        X, columns = _loaded(request.features, open_file(request.features, reading, "float64", labelled=False)), ""
    stream = open_file(request.features, reading, "float64", labelled=False)
    table = stream if isinstance(stream, TableStream) else None
    labels = labels_of(request.features, X.shape[0], table, request.reading.label, request.labels)
    others = None if request.privileged is None else _privileged(request.privileged, request.features, X.shape[0])
    open_rows = np.setdiff1d(np.arange(X.shape[0]), list(labels))
    if not len(open_rows):
        raise ValueError(f"{request.features}: all rows are labelled: there is nothing to choose")
    used, note = _used(request.strategy, labels)
    strategy = _strategy(used, request.seed)
    with progress("choosing"):
        if labels:
            known = list(labels)
            strategy.fit(X[known], list(labels.values()), None if others is None else others[known])
        elif used == "random":
            strategy.fit(X[:1], ["unknown"])  # it ignores labels
        found = strategy.select(X[open_rows], request.number, None if others is None else others[open_rows])
    found = found._replace(rows=open_rows[found.rows])
    texts = texts_of(stream, one_text(reading), found.rows.tolist())
    cells = {} if kinds is None else table_cells(kinds, request.reading.label, found.rows.tolist())
    return Choice(X.shape[0], labels, found, texts, used, note, columns, cells)


def _shown_text(reading: Reading, table: TypedTable) -> list[str] | None:
    """The column of text to show beside chosen rows, if there is one."""
    texts = [column.name for column in table.columns if column.kind == TEXT]
    return (reading.text or texts)[:1] or None


def _used(strategy: str, labels: dict[int, str]) -> tuple[str, str]:
    """The strategy to use with these labels, and a note if it is not the requested one."""
    if strategy in WITHOUT_LABELS:
        return strategy, ""
    if not labels:
        return (
            "diversity",
            "There are no labels yet to judge uncertainty by: these rows differ most from each other.",
        )
    if len(set(labels.values())) > 1:
        return strategy, ""
    only = next(iter(labels.values()))
    note = f"All labels so far are {only!r}, so uncertainty is unknown: these rows differ most from each other."
    return "diversity", note


def _strategy(name: str, seed: int) -> Strategy:
    if name == "diversity":
        return PrivilegedSelector(use="diversity")
    if name in ("prediction", "correcting") or name.startswith("al-lupi-"):
        return PrivilegedSelector(combine=name.removeprefix("al-lupi-"))
    return _baseline(name, seed)


def _baseline(name: str, seed: int) -> Strategy:
    from askance import pool

    made: dict[str, Callable[..., Strategy]] = {
        "margin": pool.MarginSampling,
        "entropy": pool.EntropySampling,
        "co-testing": pool.CoTesting,
        "co-testing-conservative": partial(pool.CoTesting, "conservative"),
        "badge": pool.BADGE,
        "information-density": pool.InformationDensity,
        "expected-error": pool.ExpectedErrorReduction,
        "core-set": pool.CoreSet,
        "typiclust": pool.TypiClust,
        "probcover": pool.ProbCover,
        "random": pool.RandomSampling,
    }
    return made[name](random_state=seed)


def _privileged(path: Path, features: Path, rows: int) -> Any:
    others = _loaded(path, open_file(path, PLAIN, "float64", labelled=False))
    if others.shape[0] != rows:
        raise ValueError(
            f"{features} has {rows} rows, but {path} has {others.shape[0]}: give the same rows in the same order"
        )
    if not sp.issparse(others):
        others[~others.any(axis=1)] = np.nan
    return others


def _without_label(reading: Reading) -> Reading:
    """Drop the label column, so that it does not become a feature."""
    return reading if reading.label is None else reading._replace(drop=[*(reading.drop or ()), reading.label])


def _loaded(path: Path, stream: Any) -> Any:
    with progress(path.name) as report:
        return stacked([chunk.X for chunk in Watched(stream, report)])


def write(choice: Choice, path: Path) -> None:
    """Write a table to fill in: the row, its label, what the row says, and why it was chosen."""
    own = [name for name in COLUMNS if choice.texts or name != "text"]
    said = dict.fromkeys(name for cells in choice.cells.values() for name in cells if name not in COLUMNS)
    split = own.index("score")
    with path.open("w", newline="", encoding="utf-8") as file:
        columns = [*own[:split], *said, *own[split:]]
        writer = csv.DictWriter(file, columns, restval="", extrasaction="ignore")
        writer.writeheader()
        for line in choice.chosen():
            line = {**choice.cells.get(line["row"], {}), **line, "label": ""}
            writer.writerow({name: "" if value != value else value for name, value in line.items()})


def as_dict(choice: Choice) -> dict[str, Any]:
    """The choice as JSON can hold it."""
    return {
        "strategy": choice.strategy,
        "rows": choice.rows,
        "columns": choice.columns or None,
        "labelled": len(choice.labels),
        "classes": Counter(choice.labels.values()),
        "note": choice.note,
        "chosen": choice.chosen(),
    }


def show(request: PoolRequest, choice: Choice) -> None:
    """Print the choice as a table."""
    console = stdout()
    counts = ", ".join(f"{count:,} {label}" for label, count in sorted(Counter(choice.labels.values()).items()))
    console.print(f"{request.features.name}", style="bold")
    console.print(f"{choice.rows:,} rows, {len(choice.labels):,} labelled{f': {counts}' if counts else ''}")
    console.print(f"Columns: {choice.columns}.\n" if choice.columns else "")
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("row", "score", "uncertainty", "similarity"):
        table.add_column(heading, justify="right", no_wrap=True)
    if choice.texts:
        table.add_column("text", no_wrap=True, overflow="ellipsis", max_width=TEXT_WIDTH)
    table.add_column("reason")
    for line in choice.chosen():
        figures = (_shown(line.get(name)) for name in ("score", "uncertainty", "similarity"))
        text = [" ".join(line.get("text", "").split())] if choice.texts else []
        table.add_row(str(line["row"]), *figures, *text, line["reason"])
    console.print(table)
    if choice.note:
        console.print(f"\n{choice.note}")
    if request.out is not None:
        console.print(f"\nFill in the label column of {request.out}, then continue with:", soft_wrap=True)
        console.print(f"  {request.following} --out …", soft_wrap=True)


def _shown(value: float | None) -> str:
    return "" if value is None or value != value else f"{value:.4g}"
