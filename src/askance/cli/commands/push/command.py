"""`askance push`: send the rows of a file, or from a pipe, to the service."""

from typing import Annotated

import typer

from askance.cli import options
from askance.cli.options import flag, option
from askance.cli.targets import require_extra

EXAMPLE = "Example:   askance push tickets.jsonl --task tickets"
MAX_BATCH = 1000
JOURNAL = ".journal"

Source = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        show_default=False,
        help="JSON lines, csv, tsv, ris or nbib, may be gzipped; Parquet, xlsx or npz; - reads the first five "
        "from stdin. "
        "A journal of `askance label` sends its labels too, to a task that is created if need be.",
    ),
]
Labelled = Annotated[bool, flag("--labelled", "Send the labels too: learn from all rows, and ask about none.")]
Gold = Annotated[
    bool,
    flag(
        "--gold",
        "Send labelled rows as gold items: people label them among other questions, which shows who is right. "
        "The token must be that of an admin.",
    ),
]
LabelSource = Annotated[
    str | None, option('Where the labels of --labelled come from, such as "vendor 2024"; kept with them.', "TEXT")
]
Batch = Annotated[int, option("Rows per request.", "N", min=1, max=MAX_BATCH)]
Limit = Annotated[int | None, option("Send at most N rows.", "N", min=1)]
Text = Annotated[str | None, option("The column with the text.", "COLUMN", options.READING, show_default="text")]
Vector = Annotated[
    str | None,
    option(
        "The column with the vectors as lists, or the beginning of the names of columns with their numbers.",
        "COLUMN",
        options.READING,
        show_default="vector, embedding, or v0, v1 and so on",
    ),
]
Format = Annotated[
    str | None,
    option(
        "The format: jsonl, csv, tsv, parquet, xlsx, ris, nbib or npz. By default, the file extension or the "
        "first bytes.",
        "FORMAT",
        options.READING,
    ),
]
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
    drop: options.Drop = None,
    vector: Vector = None,
    format: Format = None,  # noqa: A002 - the name of the option
    category: options.Category = None,
    number: options.Number = None,
    date: options.Date = None,
    source: LabelSource = None,
    gold: Gold = False,
) -> None:
    """Send the rows of FILE to the service, which predicts each of them and asks about some.

    If you interrupt it and run it again, no row is processed twice. Labels are
    sent only with --labelled or --gold. The first table of a task of records tells it
    what its columns hold.
    """
    require_extra("msgspec", "httpx")
    from askance.cli.commands.push.request import PushRequest
    from askance.cli.commands.push.work import answer

    if labelled and gold:
        raise ValueError("--gold sends labels that the model does not learn: remove --labelled, or --gold")
    if gold and file.endswith(JOURNAL):
        raise ValueError(f"{file}: --gold is for tables, and this is a journal of `askance label`: remove --gold")
    if source is not None and not labelled:
        raise ValueError("--source is about the labels that --labelled sends: add --labelled, or remove --source")
    dropped, given = tuple(drop or ()), {"category": category, "number": number, "date": date}
    kinds = tuple((name, kind) for kind, names in given.items() for name in names or ())
    request = PushRequest(
        *(file, task, url, token, labelled or gold, batch, limit, text, label, row_id, dropped, vector, format),
        kinds,
        source,
        gold,
    )
    if file.endswith(JOURNAL):
        from askance.cli.commands.push.take_over import take_over

        take_over(request, as_json=json)
    else:
        answer(request, as_json=json)
