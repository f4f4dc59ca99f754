"""Options that several commands share."""

from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

READING = "Reading the file"
SERVICE = "The service"
USUAL_URL = "http://127.0.0.1:8383"
FORMATS = "svmlight, csv, tsv, jsonl, parquet, xlsx, ris, nbib or npz"
TEXTS = "Text formats may be gzipped, and come from a pipe (-)."


def option(text: str, value: str, panel: str | None = None, *names: str, **more: Any) -> Any:
    """An option with a value, in a panel of the help."""
    return typer.Option(*names, help=text, metavar=value, rich_help_panel=panel, **more)


def flag(name: str, text: str, panel: str | None = None) -> Any:
    """An option without a value."""
    return typer.Option(name, help=text, metavar="", rich_help_panel=panel, show_default=False)


def parse_share(text: str) -> float:
    """A share such as 0.1; raises BadParameter with a hint for 10%."""
    try:
        return float(text)
    except ValueError:
        share = text.strip().removesuffix("%").strip()
        hint = ": give a number such as 0.1"
        if text.strip().endswith("%") and share.replace(".", "", 1).isdigit():
            hint = f": for {share} percent, write {float(share) / 100:g}"
        raise typer.BadParameter(f"{text!r} is not a share{hint}") from None


File = Annotated[
    Path,
    typer.Argument(metavar="FILE", show_default=False, help=f"Labelled rows: {FORMATS}. {TEXTS}"),
]
Label = Annotated[
    str | None,
    option("The column with the labels. Columns named label, y, class or target are found.", "COLUMN", READING),
]
Text = Annotated[
    str | None, option("Learn from the text in this column, and ignore all other columns.", "COLUMN", READING)
]
Drop = Annotated[
    list[str] | None, option("A column to ignore, such as an id. Can be repeated.", "COLUMN", READING)
]
Category = Annotated[
    list[str] | None,
    option("A numeric column to treat as categorical, such as a postcode. Can be repeated.", "COLUMN", READING),
]
Number = Annotated[
    list[str] | None,
    option("A column of numbers. Anything else in it counts as missing. Can be repeated.", "COLUMN", READING),
]
Date = Annotated[
    list[str] | None,
    option("A column of dates. Anything else in it counts as missing. Can be repeated.", "COLUMN", READING),
]
Pairs = Annotated[bool, flag("--pairs", "Learn from pairs of neighbouring words too.", READING)]
Positive = Annotated[
    str | None,
    option(
        "The class that F, precision and recall are about. By default, of two classes the rarer one if it has "
        "less than a third of the rows, otherwise the last.",
        "CLASS",
    ),
]
Format = Annotated[
    str | None,
    option(
        f"The format of the file: {FORMATS}. By default, the file extension or the first bytes.", "FORMAT", READING
    ),
]
Delimiter = Annotated[str | None, option("The character between the cells of a csv.", "CHARACTER", READING)]
ZeroBased = Annotated[bool, flag("--zero-based", "Feature indices of a svmlight file start at 0.", READING)]
Shuffle = Annotated[
    int | None, option("Load the file into memory and shuffle its rows with this seed.", "SEED", READING)
]
Labels = Annotated[
    Path | None,
    option(
        "Take the labels from this table instead, which has a column row (from 0) or the column of --id.",
        "TABLE",
        READING,
    ),
]
Id = Annotated[
    str | None,
    option("The column that identifies rows, in FILE, --labels and --labels-out.", "COLUMN", READING),
]
Seed = Annotated[int, option("The seed of all random decisions.", "N", min=0)]
NJobs = Annotated[int, option("The number of workers; -1 starts one per processor.", "N")]
Plot = Annotated[Path | None, option("Draw the curves to a .png, .svg or .pdf file.", "PICTURE")]
Task = Annotated[str, option("The name of the task.", "TASK", SERVICE)]
Url = Annotated[
    str | None,
    option(
        "The address of the service.",
        "URL",
        SERVICE,
        envvar="ASKANCE_URL",
        show_default=USUAL_URL,
    ),
]
Token = Annotated[
    str | None,
    option(
        "Your token. Prefer the environment variable: other users of this machine can see command lines.",
        "TOKEN",
        SERVICE,
        envvar="ASKANCE_TOKEN",
    ),
]
Json = Annotated[bool, flag("--json", "Print the result as one JSON object.")]


class Reading(NamedTuple):
    """How to read a file."""

    label: str | None
    text: list[str] | None
    drop: list[str] | None
    category: list[str] | None
    format: str | None
    delimiter: str | None
    zero_based: bool
    shuffle: int | None
    number: list[str] | None = None
    date: list[str] | None = None
    pairs: bool = False
    labels: Path | None = None
    id: str | None = None

    @property
    def is_apart(self) -> bool:
        """Whether labels are in another table, or a column identifies rows."""
        return self.labels is not None or self.id is not None
