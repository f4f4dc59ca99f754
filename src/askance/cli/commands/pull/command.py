"""`askance pull`: save the labels, decisions or items of a task."""

from pathlib import Path
from typing import Annotated

import typer

from askance.cli import options
from askance.cli.options import option
from askance.cli.targets import require_extra

EXAMPLE = "Example:   askance pull labels.csv --task tickets"

Target = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        show_default=False,
        help="The file to write: .csv, .jsonl, .parquet, or .zip with a folder for Hugging Face. A name without "
        "an ending is that folder.",
    ),
]
What = Annotated[str, option("labels, decisions or items.", "WHAT")]


def pull(
    file: Target,
    task: options.Task,
    what: What = "labels",
    url: options.Url = None,
    token: options.Token = None,
    json: options.Json = False,
) -> None:
    """Save the labels of a task of the service to FILE, with weights and a data card.

    The weight of a label is 1/probability of its question. The data card says how
    to use it.
    """
    require_extra("msgspec", "httpx")
    from askance.cli.commands.pull.work import PullRequest, pull_file

    pull_file(PullRequest(file, task, what, url, token), as_json=json)
