"""`askance ratings`: tell how users would rate items, and recommend the items that they would like best."""

from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from askance.cli import options
from askance.cli.options import option
from askance.cli.targets import check_ending

FIT_EXAMPLE = "Example:   askance ratings fit ratings.csv --out films.safetensors --test 0.2"
PREDICT_EXAMPLE = "Example:   askance ratings predict films.safetensors pairs.csv --out told.csv"
RECOMMEND_EXAMPLE = "Example:   askance ratings recommend films.safetensors 196 22 -n 5"
FORMATS = "csv, tsv, MovieLens' u.data or ratings.dat, also with gzip; parquet or npz"
AUTO = "auto"
THRESHOLDS = ("global", "user")
TABLES = (".csv",)

app = typer.Typer(name="ratings")

RatingFile = Annotated[
    Path, typer.Argument(metavar="FILE", show_default=False, help=f"Who rated what, and how: {FORMATS}.")
]
PairFile = Annotated[
    Path,
    typer.Argument(
        metavar="FILE", show_default=False, help=f"Users and items, perhaps with ratings to compare: {FORMATS}."
    ),
]
Model = Annotated[
    Path, typer.Argument(metavar="MODEL", show_default=False, help="What `askance ratings fit` wrote.")
]
UserIds = Annotated[
    list[str] | None,
    typer.Argument(metavar="USER...", show_default=False, help="Ids of users, as in the ratings."),
]
ModelOut = Annotated[Path, option("Where the model goes.", "MODEL")]
Rank = Annotated[str, option(f"How many factors; {AUTO}, as many as help, unless said.", f"{AUTO}|N")]
MaxRank = Annotated[int, option("The largest rank to try; 100 unless said.", "N", min=1)]
Regularization = Annotated[float, option("Between 0 and 1; 0.02 unless said.", "NUMBER")]
Thresholds = Annotated[
    str, option("The same for all users or each user's own; global unless said.", "global|user")
]
Levels = Annotated[
    str | None, option("All ratings there can be, if not all of them occur, such as 1,2,3,4,5.", "NUMBERS")
]
Test = Annotated[
    float | None, option("Keep this share of the ratings from the model, and say how well it tells them.", "SHARE")
]
Seed = Annotated[int, option("Of the ratings held back and of the search; 0 unless said.", "N", min=0)]
Checkpoint = Annotated[
    Path | None, option("Keep a long fit in this file: interrupted and called again, it goes on.", "FILE")
]
Jobs = Annotated[int, option("Threads at work; one for each processor unless said.", "N")]
CsvOut = Annotated[Path | None, option("Where the predictions go; printed unless said.", "CSV")]
AllOut = Annotated[Path | None, option("With --all: where the recommendations go.", "CSV")]
All = Annotated[bool, typer.Option("--all", help="Recommend to all users of the model.")]
Count = Annotated[int, option("How many items for a user; 10 unless said.", "N", None, "-n", "--count", min=1)]

_WHERE = "The column of {}, or its place from 1 on, unless it is called so or in the usual place."
Users = Annotated[str | None, option(_WHERE.format("users"), "COLUMN", options.READING)]
Items = Annotated[str | None, option(_WHERE.format("items"), "COLUMN", options.READING)]
Ratings = Annotated[str | None, option(_WHERE.format("ratings"), "COLUMN", options.READING)]
Delimiter = Annotated[
    str | None,
    option("What separates cells, unless it is a comma, tab, semicolon or ::.", "TEXT", options.READING),
]


class Columns(NamedTuple):
    """How to read a file: the arguments of the readers of ratings."""

    users: str | None
    items: str | None
    ratings: str | None
    delimiter: str | None


class FitWish(NamedTuple):
    """What the user asked for, in the user's words."""

    file: Path
    columns: Columns
    out: Path
    test: float | None
    seed: int
    checkpoint: Path | None
    parameters: dict[str, Any]

    def check(self) -> None:
        """ValueError for what can be seen before anything slow begins."""
        if self.test is not None and not 0 < self.test < 1:
            raise ValueError(f"--test {self.test:g}: give a share between 0 and 1, such as 0.2")
        if self.checkpoint is not None and self.checkpoint.resolve() == self.out.resolve():
            raise ValueError(f"--checkpoint {self.checkpoint}: is also --out: give another name")
        if self.checkpoint is not None and not self.checkpoint.parent.is_dir():
            raise ValueError(f"--checkpoint {self.checkpoint}: there is no such directory: choose another place")
        if not 0 < self.parameters["regularization"] < 1:
            raise ValueError(
                f"--regularization {self.parameters['regularization']:g}: give a number between 0 and 1"
            )
        if self.parameters["thresholds"] not in THRESHOLDS:
            raise ValueError(f"--thresholds {self.parameters['thresholds']}: there is {' and '.join(THRESHOLDS)}")
        if not self.parameters["n_jobs"]:
            raise ValueError("--jobs 0: give how many threads, or -1 for one a processor")


@app.callback(invoke_without_command=True)
def _ratings(context: typer.Context) -> None:
    """Tell how users would rate items, from the ratings so far."""
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
    seed: Seed = 0,
    checkpoint: Checkpoint = None,
    jobs: Jobs = -1,
    json: options.Json = False,
    users: Users = None,
    items: Items = None,
    ratings: Ratings = None,
    delimiter: Delimiter = None,
) -> None:
    """Learn from the ratings of FILE, and say which rank was found.

    Columns are found by their names; in a file without a header they are users, items and ratings, in this order.
    """
    wish = FitWish(
        file=file,
        columns=Columns(users, items, ratings, delimiter),
        out=out,
        test=test,
        seed=seed,
        checkpoint=checkpoint,
        parameters={
            "rank": _rank(rank),
            "regularization": regularization,
            "thresholds": thresholds,
            "max_rank": max_rank,
            "levels": _levels(levels),
            "random_state": seed,
            "n_jobs": jobs,
        },
    )
    wish.check()
    from askance.cli.commands.ratings import fit

    fit.answer(wish, as_json=json)


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
    """Tell the rating of each pair of FILE: the likely level, the expected rating and each level's probability.

    If FILE has ratings, also how far off they are told. Users and items that MODEL does not know are taken to be
    average.
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
    """List the items that each USER has not rated and would like best, with the ratings expected.

    A user whom MODEL does not know gets what the average user would.
    """
    check_ending(out, "--out", TABLES)
    if everyone and users:
        raise ValueError(f"--all is for every user: give it without {users[0]}")
    if everyone != (out is not None):
        raise ValueError("--all and --out go together: give both, or USER alone")
    if not everyone and not users:
        raise ValueError("give the ids of USERs, or --all with --out")
    from askance.cli.commands.ratings import recommend

    if out is not None:
        recommend.answer_all(model, count, out, as_json=json)
    else:
        recommend.answer(model, users or [], count, as_json=json)


def _rank(text: str) -> int | str:
    if text == AUTO:
        return AUTO
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text) > 0):
        raise ValueError(f"--rank {text}: give {AUTO} or a whole number from 1 on")
    return int(text)


def _levels(text: str | None) -> list[float] | None:
    if text is None:
        return None
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise ValueError(f"--levels {text}: give numbers with commas between them, such as 1,2,3,4,5") from None
