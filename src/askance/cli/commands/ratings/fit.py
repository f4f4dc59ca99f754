"""What `askance ratings fit` does: reads ratings, fits, judges by those kept apart, and reports."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from askance.cli.commands.ratings.command import FitWish
from askance.cli.errors import complain
from askance.cli.output.console import print_json, stdout
from askance.cli.output.progress import figures
from askance.cli.targets import draft
from askance.data.rating_columns import Triplets
from askance.data.rating_files import read_ratings
from askance.ratings import MaxMarginFactorization
from askance.ratings.model import rmse


class Judged(NamedTuple):
    """How ratings that were not learned from were told."""

    ratings: int
    rmse: float  # of the ordinal ratings
    expected_rmse: float


class Outcome(NamedTuple):
    """A fit and what came of it."""

    wish: FitWish
    ratings: int
    model: MaxMarginFactorization
    judged: Judged | None


def answer(wish: FitWish, *, as_json: bool) -> None:
    """Fit, write and print."""
    with draft(wish.out, wish.file) as path:
        outcome = fit(wish)
        outcome.model.save(path)
    if as_json:
        print_json(as_dict(outcome))
    else:
        show(outcome)


def fit(wish: FitWish) -> Outcome:
    """The model that the user asked for; interrupted, it says how to go on."""
    learned, apart = parted(read_ratings(wish.file, **wish.columns._asdict()), wish.test, wish.seed)
    try:
        with figures(wish.file.name) as tell:
            model = MaxMarginFactorization(**wish.parameters, watch=lambda _done, _total, what: tell(what))
            model.fit(*learned, checkpoint=wish.checkpoint)
    except KeyboardInterrupt:
        if wish.checkpoint is not None and wish.checkpoint.exists():
            complain(f"the fit is kept in {wish.checkpoint}: call the same again and it goes on from there")
        raise
    return Outcome(wish, len(learned.ratings), model, None if apart is None else judged(model, apart))


def parted(given: Triplets, test: float | None, seed: int) -> tuple[Triplets, Triplets | None]:
    """Ratings to learn from and, drawn at random, those to judge by."""
    if test is None:
        return given, None
    total = len(given.ratings)
    count = round(test * total)
    if not 0 < count < total:
        raise ValueError(
            f"--test {test:g}: would keep {count} of {total} ratings from the model: give another share"
        )
    chosen = np.zeros(total, bool)
    chosen[np.random.default_rng([seed, total]).permutation(total)[:count]] = True
    return _part(given, ~chosen), _part(given, chosen)


def _part(given: Triplets, chosen: NDArray[np.bool_]) -> Triplets:
    users, items, ratings = given
    return Triplets(users[chosen], items[chosen], ratings[chosen])


def judged(model: MaxMarginFactorization, apart: Triplets) -> Judged:
    """The errors on ratings that the model has not seen."""
    users, items, ratings = apart
    told = model.predict(users, items), model.predict_expected(users, items)
    return Judged(len(ratings), *(rmse(ones, ratings) for ones in told))


def as_dict(outcome: Outcome) -> dict[str, Any]:
    """For programs."""
    wish, ratings, model, judged = outcome
    return {
        "file": str(wish.file),
        "users": len(model.users_),
        "items": len(model.items_),
        "ratings": ratings,
        "levels": model.levels_,
        "rank": model.rank_,
        "objective": model.objective_,
        "iterations": model.n_iter_,
        "rmse_held_back": model.validation_rmse_,
        "path": [stage._asdict() for stage in model.path_],
        "test": None if judged is None else judged._asdict(),
        "model": str(wish.out),
    }


def show(outcome: Outcome) -> None:
    """For people."""
    wish, ratings, model, judged = outcome
    console = stdout()
    levels = ", ".join(f"{level:g}" for level in model.levels_)
    console.print(wish.file.name, style="bold")
    console.print(f"{ratings:,} ratings of {len(model.items_):,} items by {len(model.users_):,} users")
    console.print(f"{len(model.levels_)} levels: {levels}\n")
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("rank", "objective", "RMSE held back", "iterations"):
        table.add_column(heading, justify="right", no_wrap=True)
    for stage in model.path_:
        held = "" if stage.rmse != stage.rmse else f"{stage.rmse:.4f}"
        table.add_row(str(stage.rank), f"{stage.objective:,.1f}", held, str(stage.iterations))
    console.print(table)
    found = "found" if wish.parameters["rank"] == "auto" else "as asked"
    console.print(f"\nrank      {model.rank_}, {found}")
    if judged is not None:
        console.print(f"test      {judged.ratings:,} ratings that it did not learn from")
        console.print(f"          RMSE {judged.rmse:.4f}, of expected ratings {judged.expected_rmse:.4f}")
    console.print(f"model     {wish.out}", soft_wrap=True)
