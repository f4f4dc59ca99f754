"""`askance push`: send the rows of a file, or from a pipe, to the service."""

from typing import Annotated

import typer

from askance.cli import options
from askance.cli.options import flag, option
from askance.cli.targets import require_extra

EXAMPLE = "Example:   askance push tickets.jsonl --task tickets"
MAX_BATCH = 1000

Source = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        show_default=False,
        help="JSON lines, csv or tsv, may be gzipped; - reads JSON lines from stdin.",
    ),
]
Labelled = Annotated[bool, flag("--labelled", "Send the labels too: learn from all rows, and ask about none.")]
Batch = Annotated[int, option("Rows per request.", "N", min=1, max=MAX_BATCH)]
Limit = Annotated[int | None, option("Send at most N rows.", "N", min=1)]
Text = Annotated[str | None, option("The column with the text.", "COLUMN", options.READING, show_default="text")]
Id = Annotated[
    str | None,
    option(
        "The column with the ids of the rows. By default id, or else file name and line number.",
        "COLUMN",
        options.READING,
        "--id",
    ),
]


def push(
    file: Source,
    task: options.Task,
    labelled: Labelled = False,
    batch: Batch = 100,
    limit: Limit = None,
    url: options.Url = None,
    token: options.Token = None,
    json: options.Json = False,
    text: Text = None,
    label: options.Label = None,
    row_id: Id = None,
) -> None:
    """Send the rows of FILE to the service, which predicts each of them and asks about some.

    If you interrupt it and run it again, no row is processed twice. Labels are
    sent only with --labelled.
    """
    require_extra("msgspec", "httpx")
    from askance.cli.commands.push.work import PushRequest, answer

    answer(PushRequest(file, task, url, token, labelled, batch, limit, text, label, row_id), as_json=json)
