"""`askance pool`: which rows of a file to label next."""

from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from askance.cli import options
from askance.cli.options import option
from askance.cli.targets import check_ending

EXAMPLE = "Example:   askance pool mails.csv --labels answers.csv -n 20 --out next.csv"
DEFAULT_STRATEGY = "al-lupi-max"
STRATEGIES = (
    "al-lupi-max",
    "al-lupi-sum",
    "al-lupi-min",
    "al-lupi-product",
    "al-lupi-distance",
    "prediction",
    "correcting",
    "diversity",
    "margin",
    "entropy",
    "co-testing",
    "co-testing-conservative",
    "random",
)
OUTPUTS = (".csv",)

Features = Annotated[
    Path,
    typer.Argument(
        metavar="FEATURES",
        show_default=False,
        help=f"The rows to choose from, labelled or not: {options.FORMATS}. Row numbers count from 0.",
    ),
]
Labels = Annotated[
    list[Path] | None,
    option(
        "The labels so far: a csv with the columns row and label, empty where not yet known; may be repeated. A "
        "csv of features may hold labels itself, in a label column that is empty or ? elsewhere.",
        "CSV",
    ),
]
Privileged = Annotated[
    Path | None,
    option(
        "Features that help to label but are not there when predicting, for each row of FEATURES; a row that is "
        "all empty or 0 has none.",
        "FILE",
    ),
]
Count = Annotated[int, option("How many rows to choose; 10 unless said.", "N", None, "-n", "--count", min=1)]
StrategyName = Annotated[str, option(f"{', '.join(STRATEGIES)}; {DEFAULT_STRATEGY} unless said.", "NAME")]
Seed = Annotated[int, option("Of the strategies that draw rows; 0 unless said.", "N", min=0)]
Out = Annotated[
    Path | None,
    option("Write the rows to a file with an empty column label: fill it in and give it as --labels.", "CSV"),
]


class Wish(NamedTuple):
    """What the user asked for, in the user's words."""

    features: Path
    reading: options.Reading
    labels: list[Path]
    privileged: Path | None
    number: int
    strategy: str
    seed: int
    out: Path | None

    def check(self) -> None:
        """ValueError for what can be seen before anything slow begins."""
        if self.strategy not in STRATEGIES:
            raise ValueError(f"--strategy {self.strategy}: there is {', '.join(STRATEGIES)}")
        needs = self.strategy == "correcting" or self.strategy.startswith("co-testing")
        if needs and self.privileged is None:
            raise ValueError(f"--strategy {self.strategy} is about privileged features: give --privileged")
        check_ending(self.out, "--out", OUTPUTS)
        for path in self.labels:
            if self.out is not None and path.exists() and self.out.exists() and self.out.samefile(path):
                raise ValueError(f"--out {self.out}: would overwrite labels: choose another name")


def pool(
    features: Features,
    labels: Labels = None,
    privileged: Privileged = None,
    count: Count = 10,
    strategy: StrategyName = DEFAULT_STRATEGY,
    seed: Seed = 0,
    out: Out = None,
    json: options.Json = False,
    label: options.Label = None,
    text: options.Text = None,
    drop: options.Drop = None,
    category: options.Category = None,
    format: options.Format = None,  # noqa: A002 - the word that users expect
    delimiter: options.Delimiter = None,
    zero_based: options.ZeroBased = False,
) -> None:
    """Choose the rows of FEATURES to label next: those that are uncertain and unlike each other.

    Begin without labels; fill in what --out wrote and give it as --labels, together with those from before.
    """
    wish = Wish(
        features=features,
        reading=options.Reading(label, text, drop, category, format, delimiter, zero_based, None),
        labels=labels or [],
        privileged=privileged,
        number=count,
        strategy=strategy,
        seed=seed,
        out=out,
    )
    wish.check()
    from askance.cli.commands.pool import work

    work.answer(wish, as_json=json)
