"""`askance push`: send the rows of a file, or of a pipe, to a live service."""

from typing import Annotated, NamedTuple

import typer

from askance.cli import options
from askance.cli.options import option

EXAMPLE = "Example:   askance push tickets.jsonl --task tickets"
MOST_IN_A_BATCH = 1000

Source = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        show_default=False,
        help="JSON lines, csv or tsv, also with gzip; - is JSON lines from a pipe.",
    ),
]
Learn = Annotated[bool, typer.Option("--learn", help="The labels are known: learn from them, ask about nothing.")]
Batch = Annotated[int, option("How many rows to send at once; 100 unless said.", "N", min=1, max=MOST_IN_A_BATCH)]
Limit = Annotated[int | None, option("Send no more than so many rows.", "N", min=1)]
Text = Annotated[
    str | None, option("The column that holds the text, unless that is text.", "COLUMN", options.READING)
]
Id = Annotated[
    str | None, option("The column that names the rows, unless that is id.", "COLUMN", options.READING, "--id")
]


class PushWish(NamedTuple):
    """What the user asked for, in the user's words."""

    file: str
    task: str
    url: str | None
    token: str | None
    learn: bool
    batch: int
    limit: int | None
    text: str | None
    label: str | None
    id: str | None


def push(
    file: Source,
    task: options.Task,
    learn: Learn = False,
    batch: Batch = 100,
    limit: Limit = None,
    url: options.Url = None,
    token: options.Token = None,
    json: options.Json = False,
    text: Text = None,
    label: options.Label = None,
    row_id: Id = None,
) -> None:
    """Send the rows of FILE to a live service, which decides about each and asks about some.

    Interrupted and called again, it decides about no row twice. A label column is sent only with --learn.
    """
    from askance.cli.commands.push import work

    wish = PushWish(file, task, url, token, learn, batch, limit, text, label, row_id)
    work.answer(wish, as_json=json)
