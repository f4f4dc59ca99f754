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
from askance.ratings import MaxMarginFactorization, Progress
from askance.ratings.errors import rmse


class Evaluation(NamedTuple):
    """The errors on ratings that were held out."""

    ratings: int
    rmse: float  # of the most likely levels
    expected_rmse: float


class FitResult(NamedTuple):
    """A fitted model and its evaluation."""

    request: FitRequest
    ratings: int
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
    learned, held_out = split(read_ratings(request.file, **request.columns._asdict()), request.test, request.seed)
    try:
        with progress_bar(request.file.name) as report:

            def watch(progress: Progress) -> None:
                report(progress.iteration, None, line(progress))

            model = MaxMarginFactorization(**request.parameters, watch=watch)
            model.fit(*learned, checkpoint=request.checkpoint)
    except KeyboardInterrupt:
        if request.checkpoint is not None and request.checkpoint.exists():
            complain(f"progress is saved in {request.checkpoint}: run the same command again to continue")
        raise
    return FitResult(request, len(learned.ratings), model, None if held_out is None else evaluate(model, held_out))


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


def line(progress: Progress) -> str:
    """The progress of a fit in one line."""
    what = "all ratings" if progress.phase == "fit" else "search"
    held = "" if progress.rmse != progress.rmse else f", RMSE {progress.rmse:.4f}"
    return (
        f"{what}: rank {progress.rank}, iteration {progress.iteration}, objective {progress.objective:,.1f}{held}"
    )


def as_dict(result: FitResult) -> dict[str, Any]:
    """The result as JSON can hold it."""
    request, ratings, model, evaluation = result
    return {
        "file": str(request.file),
        "users": len(model.users_),
        "items": len(model.items_),
        "ratings": ratings,
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
    request, ratings, model, evaluation = result
    console = stdout()
    levels = ", ".join(f"{level:g}" for level in model.levels_)
    console.print(request.file.name, style="bold")
    console.print(f"{ratings:,} ratings of {len(model.items_):,} items by {len(model.users_):,} users")
    console.print(f"{len(model.levels_)} levels: {levels}\n")
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("rank", "objective", "validation RMSE", "iterations"):
        table.add_column(heading, justify="right", no_wrap=True)
    for stage in model.path_:
        held = "" if stage.rmse != stage.rmse else f"{stage.rmse:.4f}"
        table.add_row(str(stage.rank), f"{stage.objective:,.1f}", held, str(stage.iterations))
    console.print(table)
    found = "found by the search" if request.parameters["rank"] == "auto" else "as given"
    console.print(f"\nrank      {model.rank_}, {found}")
    if evaluation is not None:
        console.print(f"test      {evaluation.ratings:,} ratings held out")
        console.print(f"          RMSE {evaluation.rmse:.4f}, of expected ratings {evaluation.expected_rmse:.4f}")
    console.print(f"model     {request.out}", soft_wrap=True)
