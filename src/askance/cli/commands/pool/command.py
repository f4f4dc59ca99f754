"""`askance pool`: choose which rows of a file to label next."""

from pathlib import Path
from typing import Annotated

import typer

from askance.cli import completion, options
from askance.cli.commands.pool.request import DEFAULT_COUNT, DEFAULT_STRATEGY, STRATEGIES, PoolRequest
from askance.cli.options import option

EXAMPLE = "Example:   askance pool mails.csv --labels answers.csv -n 20 --out next.csv"

Features = Annotated[
    Path,
    typer.Argument(
        metavar="FEATURES",
        show_default=False,
        help=f"The rows to choose from, labelled or not: {options.FORMATS}. Row numbers start at 0.",
    ),
]
Labels = Annotated[
    list[Path] | None,
    option(
        "The labels so far: a csv with the columns row and label; unknown labels are empty. Can be repeated. "
        "A csv of features may also have a label column itself, empty or ? where the label is not known.",
        "CSV",
    ),
]
Privileged = Annotated[
    Path | None,
    option(
        "Privileged features: known when labelling but not when predicting. One row per row of FEATURES; leave a "
        "row empty or 0 if it has none.",
        "FILE",
    ),
]
Count = Annotated[int, option("The number of rows to choose.", "N", None, "-n", "--count", min=1)]
StrategyName = Annotated[
    str,
    option(f"How to choose: {', '.join(STRATEGIES)}.", "NAME", autocompletion=completion.pool_strategies),
]
Out = Annotated[
    Path | None,
    option("Write the rows to a file with an empty label column. Fill it in and pass it as --labels.", "CSV"),
]
Text = Annotated[list[str] | None, option("A column with text. Can be repeated.", "COLUMN", options.READING)]


def pool(
    features: Features,
    labels: Labels = None,
    privileged: Privileged = None,
    count: Count = DEFAULT_COUNT,
    strategy: StrategyName = DEFAULT_STRATEGY,
    seed: options.Seed = 0,
    out: Out = None,
    json: options.Json = False,
    label: options.Label = None,
    text: Text = None,
    drop: options.Drop = None,
    category: options.Category = None,
    number: options.Number = None,
    date: options.Date = None,
    format: options.Format = None,  # noqa: A002 - the word that users expect
    delimiter: options.Delimiter = None,
    zero_based: options.ZeroBased = False,
) -> None:
    """Choose the rows of FEATURES to label next: uncertain ones that differ from each other.

    Tables are read by the kinds of their columns, as `askance run` reads them.
    Start without labels. Then fill in the file that --out wrote, and pass it as
    --labels along with earlier ones.
    """
    request = PoolRequest(
        features=features,
        reading=options.Reading(label, text, drop, category, format, delimiter, zero_based, None, number, date),
        labels=labels or [],
        privileged=privileged,
        number=count,
        strategy=strategy,
        seed=seed,
        out=out,
    )
    request.check()
    from askance.cli.commands.pool import work

    work.answer(request, as_json=json)
