"""`askance ratings`: predict how users would rate items, and recommend items to them."""

from pathlib import Path
from typing import Annotated

import typer

from askance.cli import options
from askance.cli.commands.ratings.request import AUTO, Columns, FitRequest, parse_levels, parse_rank
from askance.cli.options import flag, option
from askance.cli.targets import check_ending

FIT_EXAMPLE = "Example:   askance ratings fit ratings.csv --out films.safetensors --test 0.2"
PREDICT_EXAMPLE = "Example:   askance ratings predict films.safetensors pairs.csv --out predictions.csv"
RECOMMEND_EXAMPLE = "Example:   askance ratings recommend films.safetensors 196 22 -n 5"
FORMATS = "csv, tsv, u.data or ratings.dat of MovieLens (may be gzipped), parquet or npz"
TABLES = (".csv",)

app = typer.Typer(name="ratings")

RatingFile = Annotated[
    Path, typer.Argument(metavar="FILE", show_default=False, help=f"Users, items and ratings: {FORMATS}.")
]
PairFile = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        show_default=False,
        help=f"Users and items, optionally with ratings to compare with: {FORMATS}.",
    ),
]
Model = Annotated[
    Path, typer.Argument(metavar="MODEL", show_default=False, help="A model of `askance ratings fit`.")
]
UserIds = Annotated[
    list[str] | None,
    typer.Argument(metavar="USER...", show_default=False, help="Ids of users."),
]
ModelOut = Annotated[Path, option("Write the model to this file.", "MODEL")]
Rank = Annotated[str, option(f"The number of factors; {AUTO} finds it.", f"{AUTO}|N")]
MaxRank = Annotated[int, option("The largest rank to try.", "N", min=1)]
Regularization = Annotated[float, option("The regularization, between 0 and 1.", "NUMBER")]
Thresholds = Annotated[str, option("Thresholds between the levels: global, or one set per user.", "global|user")]
Levels = Annotated[
    str | None, option("All possible ratings, such as 1,2,3,4,5, if some do not occur in the file.", "NUMBERS")
]
Test = Annotated[
    float | None,
    option(
        "Hold out this share of the ratings and report the errors on them.", "SHARE", parser=options.parse_share
    ),
]
Checkpoint = Annotated[
    Path | None, option("Save progress to this file; run the same command again to continue.", "FILE")
]
CsvOut = Annotated[Path | None, option("Write the predictions to this file instead of stdout.", "CSV")]
AllOut = Annotated[Path | None, option("With --all: write the recommendations to this file.", "CSV")]
All = Annotated[bool, flag("--all", "Recommend items to all users of the model.")]
Count = Annotated[int, option("The number of items per user.", "N", None, "-n", "--count", min=1)]

_WHERE = "The name of the column of {}, or its number, starting at 1."
Users = Annotated[str | None, option(_WHERE.format("users"), "COLUMN", options.READING)]
Items = Annotated[str | None, option(_WHERE.format("items"), "COLUMN", options.READING)]
Ratings = Annotated[str | None, option(_WHERE.format("ratings"), "COLUMN", options.READING)]
Delimiter = Annotated[
    str | None,
    option("The text between cells. Comma, tab, semicolon and :: are found.", "TEXT", options.READING),
]


@app.callback(invoke_without_command=True)
def _ratings(context: typer.Context) -> None:
    """Predict how users would rate items, and recommend items."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), nl=False)


@app.command(epilog=FIT_EXAMPLE)
def fit(
    file: RatingFile,
    out: ModelOut,
    rank: Rank = AUTO,
    regularization: Regularization = 0.02,
    thresholds: Thresholds = "global",
    max_rank: MaxRank = 100,
    levels: Levels = None,
    test: Test = None,
    seed: options.Seed = 0,
    checkpoint: Checkpoint = None,
    n_jobs: options.NJobs = -1,
    json: options.Json = False,
    users: Users = None,
    items: Items = None,
    ratings: Ratings = None,
    delimiter: Delimiter = None,
) -> None:
    """Fit a model to the ratings of FILE.

    Columns are found by their names. Without a header, they must be users,
    items and ratings, in this order.
    """
    request = FitRequest(
        file=file,
        columns=Columns(users, items, ratings, delimiter),
        out=out,
        test=test,
        seed=seed,
        checkpoint=checkpoint,
        parameters={
            "rank": parse_rank(rank),
            "regularization": regularization,
            "thresholds": thresholds,
            "max_rank": max_rank,
            "levels": parse_levels(levels),
            "random_state": seed,
            "n_jobs": n_jobs,
        },
    )
    request.check()
    from askance.cli.commands.ratings import fit

    fit.answer(request, as_json=json)


@app.command(epilog=PREDICT_EXAMPLE)
def predict(
    model: Model,
    file: PairFile,
    out: CsvOut = None,
    json: options.Json = False,
    users: Users = None,
    items: Items = None,
    ratings: Ratings = None,
    delimiter: Delimiter = None,
) -> None:
    """Predict the rating of each pair in FILE: the most likely level, the expected rating and all probabilities.

    If FILE has ratings, the errors are reported too. Users and items that MODEL
    does not know count as average.
    """
    check_ending(out, "--out", TABLES)
    from askance.cli.commands.ratings import predict

    predict.answer(model, file, Columns(users, items, ratings, delimiter), out, as_json=json)


@app.command(epilog=RECOMMEND_EXAMPLE)
def recommend(
    model: Model,
    users: UserIds = None,
    count: Count = 10,
    everyone: All = False,
    out: AllOut = None,
    json: options.Json = False,
) -> None:
    """Recommend items that each USER has not rated yet, with the expected ratings.

    A user that MODEL does not know gets the recommendations for the average
    user.
    """
    check_ending(out, "--out", TABLES)
    if everyone and users:
        raise ValueError(f"--all recommends to all users: remove {users[0]}")
    if everyone != (out is not None):
        raise ValueError("--all and --out go together: give both, or user ids only")
    if not everyone and not users:
        raise ValueError("give ids of users, or --all with --out")
    from askance.cli.commands.ratings import recommend

    if out is not None:
        recommend.answer_all(model, count, out, as_json=json)
    else:
        recommend.answer(model, users or [], count, as_json=json)
