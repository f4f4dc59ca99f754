"""The work of `askance ratings predict`: predict the ratings of pairs."""

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
from askance.cli.commands.ratings.ids import as_known, unknown
from askance.cli.commands.ratings.request import Columns
from askance.cli.output.console import print_json, stdout
from askance.cli.targets import draft
from askance.data.rating_files import Pairs, read_pairs
from askance.ratings import MaxMarginFactorization
from askance.ratings.errors import rmse

Numbers = NDArray[np.float64]


class Predictions(NamedTuple):
    """Predicted ratings of pairs."""

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
        """The errors, if the pairs have ratings."""
        if self.pairs.ratings is None:
            return None
        return {
            "rmse": rmse(self.predicted, self.pairs.ratings),
            "expected_rmse": rmse(self.expected, self.pairs.ratings),
        }

    def lines(self) -> Iterator[list[Any]]:
        """A header, and one line per pair."""
        has_ratings = self.pairs.ratings is not None
        probabilities = [f"p({level:g})" for level in self.levels]
        yield ["user", "item", *(["rating"] if has_ratings else []), "predicted", "expected", *probabilities]
        ids = self.pairs.users.tolist(), self.pairs.items.tolist()
        ratings = [] if self.pairs.ratings is None else [[f"{one:g}" for one in self.pairs.ratings]]
        predicted = [f"{one:g}" for one in self.predicted]
        figures = np.column_stack([self.expected, self.probabilities])
        for *words, numbers in zip(*ids, *ratings, predicted, figures, strict=True):
            yield [*words, *(f"{number:.6g}" for number in numbers)]


def answer(model: Path, file: Path, columns: Columns, out: Path | None, *, as_json: bool) -> None:
    """Predict, write and print; if the table goes to stdout, the summary goes to stderr."""
    if out is None:
        found = predict(model, file, columns)
        if as_json:
            print_json(as_dict(found) | {"predictions": _records(found)})
        else:
            _write(found, sys.stdout)
            show(found, Console(stderr=True, markup=False, highlight=False, emoji=False))
        return
    with draft(out, model, file) as path:
        found = predict(model, file, columns)
        text = io.StringIO(newline="")
        _write(found, text)
        write_whole(path, text.getvalue().encode())
    if as_json:
        print_json(as_dict(found) | {"out": str(out)})
    else:
        show(found, stdout())
        stdout().print(f"wrote {out}", soft_wrap=True)


def predict(model_file: Path, file: Path, columns: Columns) -> Predictions:
    """Predict the ratings of the pairs in a file."""
    model = MaxMarginFactorization.load(model_file)
    pairs = read_pairs(file, **columns._asdict())
    users, items = as_known(pairs.users, model.users_), as_known(pairs.items, model.items_)
    return Predictions(
        pairs,
        model.levels_,
        model.predict(users, items),
        model.predict_proba(users, items),
        len(unknown(users, model.users_)),
        len(unknown(items, model.items_)),
    )


def as_dict(found: Predictions) -> dict[str, Any]:
    """The summary as JSON can hold it."""
    return {
        "pairs": len(found.predicted),
        "levels": found.levels,
        "unknown_users": found.unknown_users,
        "unknown_items": found.unknown_items,
        "errors": found.errors,
    }


def show(found: Predictions, console: Console) -> None:
    """Print the summary."""
    console.print(f"{len(found.predicted):,} pairs")
    if found.errors is not None:
        errors = found.errors
        console.print(f"RMSE {errors['rmse']:.4f}, of expected ratings {errors['expected_rmse']:.4f}")
    if found.unknown_users or found.unknown_items:
        counts = f"users {found.unknown_users:,}, items {found.unknown_items:,}"
        console.print(f"unknown to the model, and treated as average: {counts}")


def _records(found: Predictions) -> list[dict[str, Any]]:
    users, items, ratings = found.pairs
    columns = {"user": users, "item": items, "predicted": found.predicted, "expected": found.expected}
    columns |= {} if ratings is None else {"rating": ratings}
    columns |= {"probabilities": found.probabilities}
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def _write(found: Predictions, file: TextIO) -> None:
    csv.writer(file, lineterminator="\n").writerows(found.lines())
