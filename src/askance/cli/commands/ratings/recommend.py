"""The work of `askance ratings recommend`: recommend items to some users or to all."""

import csv
import io
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.table import Table

from askance._util.atomic_write import write_whole
from askance.cli.commands.ratings.ids import as_known, unknown
from askance.cli.output.console import print_json, stdout
from askance.cli.output.progress import progress
from askance.cli.targets import draft
from askance.ratings import MaxMarginFactorization, Recommendation


class Recommended(NamedTuple):
    """The recommendations to a user, and whether the model knows the user."""

    user: Any
    is_known: bool
    best: Recommendation


def answer(model_file: Path, users: list[str], count: int, *, as_json: bool) -> None:
    """Recommend to some users."""
    model = MaxMarginFactorization.load(model_file)
    ids = as_known(np.array(users, object), model.users_)
    new_users = unknown(ids, model.users_)
    found = [Recommended(user, user not in new_users, model.recommend(user, count)) for user in ids.tolist()]
    if as_json:
        print_json({"users": [_as_dict(one) for one in found]})
        return
    for place, one in enumerate(found):
        if place:
            stdout().print()
        _show(one)


def answer_all(model_file: Path, count: int, out: Path, *, as_json: bool) -> None:
    """Write recommendations to all users to a file."""
    with draft(out, model_file) as path:
        model = MaxMarginFactorization.load(model_file)
        text = io.StringIO(newline="")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["user", "place", "item", "expected"])
        users = model.users_.tolist()
        with progress("recommending") as report:
            for done, user in enumerate(users, 1):
                for place, (item, rating) in enumerate(_pairs(model.recommend(user, count)), 1):
                    writer.writerow([user, place, item, f"{rating:.6g}"])
                report(done, len(users), str(user))
        write_whole(path, text.getvalue().encode())
    if as_json:
        print_json({"users": len(users), "out": str(out)})
    else:
        stdout().print(f"wrote {out}, up to {count} items for each of {len(users):,} users", soft_wrap=True)


def _pairs(best: Recommendation) -> list[tuple[Any, float]]:
    return list(zip(best.items.tolist(), best.ratings.tolist(), strict=True))


def _as_dict(one: Recommended) -> dict[str, Any]:
    items = [{"item": item, "expected": rating} for item, rating in _pairs(one.best)]
    return {"user": one.user, "known": one.is_known, "recommended": items}


def _show(one: Recommended) -> None:
    console = stdout()
    console.print(f"user {one.user}", style="bold")
    if not one.is_known:
        console.print("is unknown to the model: these are recommendations to the average user")
    if not len(one.best.items):
        console.print("has rated every item")
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("", justify="right")
    table.add_column("item", overflow="fold")
    table.add_column("expected", justify="right")
    for place, (item, rating) in enumerate(_pairs(one.best), 1):
        table.add_row(str(place), str(item), f"{rating:.2f}")
    console.print(table)
