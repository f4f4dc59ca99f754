"""What `askance ratings predict` does: tells the ratings of pairs, as a table."""

import csv
import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from askance._util.atomic_write import write_whole
from askance.cli.commands.ratings.command import Columns
from askance.cli.commands.ratings.ids import as_known, unknown
from askance.cli.output.console import print_json, stdout
from askance.cli.targets import draft
from askance.data.rating_files import Pairs, read_pairs
from askance.ratings.files import load
from askance.ratings.model import rmse

Numbers = NDArray[np.float64]


class Told(NamedTuple):
    """Ratings that were told for pairs."""

    pairs: Pairs
    levels: Numbers
    predicted: Numbers
    probabilities: Numbers
    unknown_users: int
    unknown_items: int

    @property
    def expected(self) -> Numbers:
        """The expected rating of each pair."""
        return self.probabilities @ self.levels

    @property
    def errors(self) -> dict[str, float] | None:
        """How far off the ratings are told, if the pairs have any."""
        if self.pairs.ratings is None:
            return None
        return {
            "rmse": rmse(self.predicted, self.pairs.ratings),
            "expected_rmse": rmse(self.expected, self.pairs.ratings),
        }

    def lines(self) -> Iterator[list[Any]]:
        """A header and a line for each pair."""
        has_ratings = self.pairs.ratings is not None
        chances = [f"p({level:g})" for level in self.levels]
        yield ["user", "item", *(["rating"] if has_ratings else []), "predicted", "expected", *chances]
        ids = self.pairs.users.tolist(), self.pairs.items.tolist()
        ratings = [] if self.pairs.ratings is None else [[f"{one:g}" for one in self.pairs.ratings]]
        predicted = [f"{one:g}" for one in self.predicted]
        figures = np.column_stack([self.expected, self.probabilities])
        for *words, numbers in zip(*ids, *ratings, predicted, figures, strict=True):
            yield [*words, *(f"{number:.6g}" for number in numbers)]


def answer(model: Path, file: Path, columns: Columns, out: Path | None, *, as_json: bool) -> None:
    """Predict, write and print; with a table on stdout, what there is to say goes to stderr."""
    if out is None:
        told = tell(model, file, columns)
        if as_json:
            print_json(as_dict(told) | {"predictions": _records(told)})
        else:
            _write(told, sys.stdout)
            show(told, Console(stderr=True, markup=False, highlight=False, emoji=False))
        return
    with draft(out, model, file) as path:
        told = tell(model, file, columns)
        text = io.StringIO(newline="")
        _write(told, text)
        write_whole(path, text.getvalue().encode())
    if as_json:
        print_json(as_dict(told) | {"out": str(out)})
    else:
        show(told, stdout())
        stdout().print(f"wrote {out}", soft_wrap=True)


def tell(model_file: Path, file: Path, columns: Columns) -> Told:
    """The ratings of the pairs of a file."""
    model = load(model_file)
    pairs = read_pairs(file, **columns._asdict())
    users, items = as_known(pairs.users, model.users_), as_known(pairs.items, model.items_)
    return Told(
        pairs,
        model.levels_,
        model.predict(users, items),
        model.predict_proba(users, items),
        len(unknown(users, model.users_)),
        len(unknown(items, model.items_)),
    )


def as_dict(told: Told) -> dict[str, Any]:
    """For programs."""
    return {
        "pairs": len(told.predicted),
        "levels": told.levels,
        "unknown_users": told.unknown_users,
        "unknown_items": told.unknown_items,
        "errors": told.errors,
    }


def show(told: Told, console: Console) -> None:
    """For people."""
    console.print(f"{len(told.predicted):,} pairs")
    if told.errors is not None:
        errors = told.errors
        console.print(f"RMSE {errors['rmse']:.4f}, of expected ratings {errors['expected_rmse']:.4f}")
    if told.unknown_users or told.unknown_items:
        counts = f"users {told.unknown_users:,}, items {told.unknown_items:,}"
        console.print(f"not known to the model, and taken to be average: {counts}")


def _records(told: Told) -> list[dict[str, Any]]:
    users, items, ratings = told.pairs
    columns = {"user": users, "item": items, "predicted": told.predicted, "expected": told.expected}
    columns |= {} if ratings is None else {"rating": ratings}
    columns |= {"probabilities": told.probabilities}
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def _write(told: Told, file: TextIO) -> None:
    csv.writer(file, lineterminator="\n").writerows(told.lines())
