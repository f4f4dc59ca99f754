"""What `askance pool` does: reads both views and the labels so far, chooses, and says why."""

import csv
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from rich.table import Table

from askance.cli.commands.pool.command import Wish
from askance.cli.commands.pool.labels import is_answered, labels_of
from askance.cli.commands.pool.reasons import reason
from askance.cli.commands.pool.texts import texts_of
from askance.cli.contest.source import open_file
from askance.cli.options import Reading
from askance.cli.output.console import print_json, stdout
from askance.cli.output.progress import Watched, progress
from askance.cli.targets import draft
from askance.data.stacking import stacked
from askance.data.tables import TableStream
from askance.pool.selection import Selection, Strategy
from askance.pool.selector import PrivilegedSelector

TEXT_WIDTH = 40
PLAIN = Reading(None, None, None, None, None, None, False, None)
COLUMNS = ("row", "label", "text", "score", "uncertainty", "prediction", "correcting", "similarity", "reason")


class Choice(NamedTuple):
    """The rows that were chosen, by their numbers in the file, and what is known of the pool."""

    rows: int
    labels: dict[int, str]
    selection: Selection
    texts: dict[int, str]
    strategy: str
    note: str

    def chosen(self) -> list[dict[str, Any]]:
        """A line for each row chosen, best first."""
        return [self._line(place, int(row)) for place, row in enumerate(self.selection.rows)]

    def _line(self, place: int, row: int) -> dict[str, Any]:
        score = float(self.selection.scores[place])
        parts = {name: float(values[place]) for name, values in self.selection.parts.items()}
        text = {"text": self.texts[row]} if row in self.texts else {}
        return {"row": row} | text | {"score": score} | parts | {"reason": reason(self.strategy, score, parts)}


def answer(wish: Wish, *, as_json: bool) -> None:
    """Choose, write and print."""
    if wish.out is None:
        choice = choose(wish)
    else:
        if wish.out.is_file() and is_answered(wish.out):
            raise ValueError(
                f"--out {wish.out}: holds labels that were filled in: give it as --labels and choose another name"
            )
        with draft(wish.out, wish.features) as path:
            choice = choose(wish)
            write(choice, path)
    if as_json:
        print_json(as_dict(choice))
    else:
        show(wish, choice)


def choose(wish: Wish) -> Choice:
    """The rows to label next."""
    stream = open_file(wish.features, _without_label(wish.reading), "float64", labelled=False)
    X = _loaded(wish.features, stream)
    table = stream if isinstance(stream, TableStream) else None
    labels = labels_of(wish.features, X.shape[0], table, wish.reading.label, wish.labels)
    others = None if wish.privileged is None else _privileged(wish.privileged, wish.features, X.shape[0])
    open_rows = np.setdiff1d(np.arange(X.shape[0]), list(labels))
    if not len(open_rows):
        raise ValueError(f"{wish.features}: every row has a label already: there is nothing to choose")
    used, note = _used(wish.strategy, labels)
    strategy = _strategy(used, wish.seed)
    with progress("choosing"):
        if labels:
            known = list(labels)
            strategy.fit(X[known], list(labels.values()), None if others is None else others[known])
        elif used == "random":
            strategy.fit(X[:1], ["not known"])  # it does no more than count them
        found = strategy.select(X[open_rows], wish.number, None if others is None else others[open_rows])
    found = found._replace(rows=open_rows[found.rows])
    texts = texts_of(stream, wish.reading.text, found.rows.tolist())
    return Choice(X.shape[0], labels, found, texts, used, note)


def _used(strategy: str, labels: dict[int, str]) -> tuple[str, str]:
    """The strategy that these labels are enough for, and what to say if it is not the one that was wished."""
    if strategy in ("random", "diversity"):
        return strategy, ""
    if not labels:
        return "diversity", "No labels yet, so nothing is uncertain: these rows are unlike each other."
    if len(set(labels.values())) > 1:
        return strategy, ""
    only = next(iter(labels.values()))
    note = f"All labels so far are {only!r}, so nothing is uncertain yet: these rows are unlike each other."
    return "diversity", note


def _strategy(name: str, seed: int) -> Strategy:
    if name == "diversity":
        return PrivilegedSelector(use="diversity")
    if name in ("prediction", "correcting") or name.startswith("al-lupi-"):
        return PrivilegedSelector(combine=name.removeprefix("al-lupi-"))
    return _baseline(name, seed)


def _baseline(name: str, seed: int) -> Strategy:
    from askance.pool import CoTesting, EntropySampling, MarginSampling, RandomSampling

    made: dict[str, Callable[[], Strategy]] = {
        "margin": lambda: MarginSampling(random_state=seed),
        "entropy": lambda: EntropySampling(random_state=seed),
        "co-testing": lambda: CoTesting(random_state=seed),
        "co-testing-conservative": lambda: CoTesting("conservative", random_state=seed),
        "random": lambda: RandomSampling(seed),
    }
    return made[name]()


def _privileged(path: Path, features: Path, rows: int) -> Any:
    others = _loaded(path, open_file(path, PLAIN, "float64", labelled=False))
    if others.shape[0] != rows:
        raise ValueError(
            f"{features} has {rows} rows, but {path} has {others.shape[0]}: give one for each, in the same order"
        )
    if not sp.issparse(others):
        others[~others.any(axis=1)] = np.nan
    return others


def _without_label(reading: Reading) -> Reading:
    """Rows alone: a label column that has an unusual name must not become a feature."""
    return reading if reading.label is None else reading._replace(drop=[*(reading.drop or ()), reading.label])


def _loaded(path: Path, stream: Any) -> Any:
    with progress(path.name) as tell:
        return stacked([chunk.X for chunk in Watched(stream, tell)])


def write(choice: Choice, path: Path) -> None:
    """A table to fill in."""
    with path.open("w", newline="", encoding="utf-8") as file:
        columns = [name for name in COLUMNS if choice.texts or name != "text"]
        writer = csv.DictWriter(file, columns, restval="", extrasaction="ignore")
        writer.writeheader()
        for line in choice.chosen():
            writer.writerow({name: "" if value != value else value for name, value in line.items()})


def as_dict(choice: Choice) -> dict[str, Any]:
    """For programs."""
    return {
        "strategy": choice.strategy,
        "rows": choice.rows,
        "labelled": len(choice.labels),
        "classes": Counter(choice.labels.values()),
        "note": choice.note,
        "chosen": choice.chosen(),
    }


def show(wish: Wish, choice: Choice) -> None:
    """For people."""
    console = stdout()
    counts = ", ".join(f"{count:,} {label}" for label, count in sorted(Counter(choice.labels.values()).items()))
    console.print(f"{wish.features.name}", style="bold")
    console.print(f"{choice.rows:,} rows, {len(choice.labels):,} with a label{f': {counts}' if counts else ''}\n")
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
    if wish.out is not None:
        before = "".join(f" --labels {path}" for path in wish.labels)
        console.print(f"\nFill in the column label of {wish.out}, then go on:", soft_wrap=True)
        console.print(f"  askance pool {wish.features}{before} --labels {wish.out} --out …", soft_wrap=True)


def _shown(value: float | None) -> str:
    return "" if value is None or value != value else f"{value:.4g}"
