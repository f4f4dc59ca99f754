"""The work of `askance ratings fit`: read ratings, fit, evaluate on those held out, and report."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from askance.cli.commands.ratings.request import FitRequest
from askance.cli.errors import complain
from askance.cli.output.console import print_json, stdout
from askance.cli.output.progress import progress as progress_bar
from askance.cli.targets import draft
from askance.data.rating_columns import Triplets
from askance.data.rating_files import read_ratings
from askance.ratings import MaxMarginFactorization
from askance.ratings.ids import Ids
from askance.ratings.model import rmse
from askance.ratings.rating_matrix import is_last


class Evaluation(NamedTuple):
    """The errors on ratings that were held out."""

    ratings: int
    rmse: float  # of the most likely levels
    expected_rmse: float


class FitResult(NamedTuple):
    """A fitted model and its evaluation."""

    request: FitRequest
    ratings: int
    repeated: int  # pairs of a user and an item with several ratings
    model: MaxMarginFactorization
    evaluation: Evaluation | None


def answer(request: FitRequest, *, as_json: bool) -> None:
    """Fit, write and print."""
    with draft(request.out, request.file) as path:
        result = fit(request)
        result.model.save(path)
    if as_json:
        print_json(as_dict(result))
    else:
        show(result)


def fit(request: FitRequest) -> FitResult:
    """Fit the model; if interrupted, say how to continue."""
    given, repeated = latest(read_ratings(request.file, **request.columns._asdict()))
    learned, held_out = split(given, request.test, request.seed)
    try:
        with progress_bar(request.file.name) as report:
            model = MaxMarginFactorization(**request.parameters, watch=report)
            model.fit(*learned, checkpoint=request.checkpoint)
    except KeyboardInterrupt:
        if request.checkpoint is not None and request.checkpoint.exists():
            complain(f"progress is saved in {request.checkpoint}: run the same command again to continue")
        raise
    evaluation = None if held_out is None else evaluate(model, held_out)
    return FitResult(request, len(learned.ratings), repeated, model, evaluation)


def latest(given: Triplets) -> tuple[Triplets, int]:
    """The last rating of each pair, and the number of pairs that have earlier ones.

    The fit would leave these out, too, but a pair must not be both learned and held out.
    """
    users, items = Ids.of(given.users)[1], Ids.of(given.items)[1]
    last = is_last(users, items)
    return _part(given, last), int(is_last(users[~last], items[~last]).sum())


def split(given: Triplets, test: float | None, seed: int) -> tuple[Triplets, Triplets | None]:
    """Split ratings at random into those to learn from and those to hold out."""
    if test is None:
        return given, None
    total = len(given.ratings)
    count = round(test * total)
    if not 0 < count < total:
        raise ValueError(f"--test {test:g}: would hold out {count} of {total} ratings: give another share")
    chosen = np.zeros(total, bool)
    chosen[np.random.default_rng([seed, total]).permutation(total)[:count]] = True
    return _part(given, ~chosen), _part(given, chosen)


def _part(given: Triplets, chosen: NDArray[np.bool_]) -> Triplets:
    users, items, ratings = given
    return Triplets(users[chosen], items[chosen], ratings[chosen])


def evaluate(model: MaxMarginFactorization, held_out: Triplets) -> Evaluation:
    """The errors on ratings that the model has not seen."""
    users, items, ratings = held_out
    predictions = model.predict(users, items), model.predict_expected(users, items)
    return Evaluation(len(ratings), *(rmse(ones, ratings) for ones in predictions))


def as_dict(result: FitResult) -> dict[str, Any]:
    """The result as JSON can hold it."""
    request, ratings, repeated, model, evaluation = result
    return {
        "file": str(request.file),
        "users": len(model.users_),
        "items": len(model.items_),
        "ratings": ratings,
        "repeated_pairs": repeated,
        "levels": model.levels_,
        "rank": model.rank_,
        "objective": model.objective_,
        "iterations": model.n_iter_,
        "rmse_held_back": model.validation_rmse_,
        "path": [stage._asdict() for stage in model.path_],
        "test": None if evaluation is None else evaluation._asdict(),
        "model": str(request.out),
    }


def show(result: FitResult) -> None:
    """Print the result as text."""
    request, ratings, repeated, model, evaluation = result
    console = stdout()
    levels = ", ".join(f"{level:g}" for level in model.levels_)
    console.print(request.file.name, style="bold")
    console.print(f"{ratings:,} ratings of {len(model.items_):,} items by {len(model.users_):,} users")
    if repeated:
        pairs = "1 pair was" if repeated == 1 else f"{repeated:,} pairs were"
        console.print(f"{pairs} rated more than once: the last rating in the file counts")
    console.print(f"{len(model.levels_)} levels: {levels}\n")
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("rank", "objective", "validation RMSE", "iterations"):
        table.add_column(heading, justify="right", no_wrap=True)
    for stage in model.path_:
        held = "" if stage.rmse != stage.rmse else f"{stage.rmse:.4f}"
        table.add_row(str(stage.rank), f"{stage.objective:,.1f}", held, str(stage.iterations))
    console.print(table)
    console.print(f"\nrank      {model.rank_}, {_origin(model)}")
    if evaluation is not None:
        console.print(f"test      {evaluation.ratings:,} ratings held out")
        console.print(f"          RMSE {evaluation.rmse:.4f}, of expected ratings {evaluation.expected_rmse:.4f}")
    console.print(f"model     {request.out}", soft_wrap=True)


def _origin(model: MaxMarginFactorization) -> str:
    """Where the rank of a model comes from."""
    if model.rank == "auto":
        return "found by the search"
    return "as given" if model.rank_ == model.rank else f"not {model.rank} as given: more factors do not help"
