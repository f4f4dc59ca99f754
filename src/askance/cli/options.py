"""Options that several commands share."""

from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

READING = "Reading the file"
SERVICE = "The service"
FORMATS = "svmlight, csv, tsv, jsonl, parquet or npz"


def option(text: str, value: str, panel: str | None = None, *names: str, **more: Any) -> Any:
    """An option with a value, in a panel of the help; `text` says what holds unless it is given."""
    return typer.Option(*names, help=text, metavar=value, rich_help_panel=panel, show_default=False, **more)


File = Annotated[
    Path,
    typer.Argument(metavar="FILE", show_default=False, help=f"Labelled rows: {FORMATS}; text also with gzip."),
]
Label = Annotated[
    str | None, option("Where the label is, unless that is label, y, class or target.", "COLUMN", READING)
]
Text = Annotated[str | None, option("The column to learn from as text; no other is then used.", "COLUMN", READING)]
Drop = Annotated[
    list[str] | None, option("A column to leave out, such as a row number; may be repeated.", "COLUMN", READING)
]
Category = Annotated[
    list[str] | None,
    option("A column of numbers that are names, such as a postcode; may be repeated.", "COLUMN", READING),
]
Format = Annotated[str | None, option(f"{FORMATS}, if the ending does not say it.", "FORMAT", READING)]
Delimiter = Annotated[str | None, option("What separates the cells of a csv.", "CHARACTER", READING)]
ZeroBased = Annotated[
    bool,
    typer.Option("--zero-based", rich_help_panel=READING, help="The features of a svmlight file count from 0."),
]
Shuffle = Annotated[
    int | None, option("Load the file into memory and take its rows in a random order.", "SEED", READING)
]
Plot = Annotated[Path | None, option("Draw the curves, as .png, .svg or .pdf.", "PICTURE")]
Task = Annotated[str, option("The task, by its name.", "TASK", SERVICE)]
Url = Annotated[
    str | None, option("The service; ASKANCE_URL, or http://127.0.0.1:8383, unless said.", "URL", SERVICE)
]
Token = Annotated[
    str | None, option("Who you are; better in ASKANCE_TOKEN, which others cannot see.", "TOKEN", SERVICE)
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object, for programs.")]


class Reading(NamedTuple):
    """How to read a file."""

    label: str | None
    text: str | None
    drop: list[str] | None
    category: list[str] | None
    format: str | None
    delimiter: str | None
    zero_based: bool
    shuffle: int | None
