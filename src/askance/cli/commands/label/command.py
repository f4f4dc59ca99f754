"""`askance label`: label the rows of a file, or answer the questions of the service."""

from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

import typer

from askance.cli import options
from askance.cli.commands.run.until import parse_recall
from askance.cli.options import flag, option
from askance.cli.quick_start import quick_start
from askance.cli.targets import require_extra

EXAMPLE = "Example:   askance label tickets.csv --classes bug,question   or   askance label --task tickets"
FILE = "Labelling a file"

File = Annotated[
    Path | None,
    typer.Argument(
        metavar="FILE",
        show_default=False,
        help="Rows without labels, or with only some: csv, tsv, jsonl, parquet, xlsx, ris or nbib. "
        "Without it, give --task.",
    ),
]
Task = Annotated[str | None, option("The name of a task whose questions to answer.", "TASK", options.SERVICE)]
Classes = Annotated[
    str | None, option("The classes. You can add others while you label.", "A,B", FILE, show_default=False)
]
Out = Annotated[
    Path | None,
    option(
        "Where the labels, the model and the journal are written.",
        "FOLDER",
        FILE,
        "--out",
        "-o",
        show_default="beside FILE",
    ),
]
Limit = Annotated[int | None, option("End after N labels.", "N", FILE, min=1)]
Audit = Annotated[
    float | None,
    option(
        "The share of questions about rows at random, from which the accuracy is estimated.",
        "SHARE",
        FILE,
        parser=options.parse_share,
        show_default="0.2",
    ),
]
StopWhen = Annotated[
    float | None,
    option(
        "Screen: read the most promising rows first, and end when this share of the rows of one class is found, "
        "with 95 % confidence: recall=0.95.",
        "WHAT",
        FILE,
        "--until",
        parser=parse_recall,
    ),
]
Positive = Annotated[
    str | None,
    option("The class that --until looks for.", "CLASS", FILE, show_default="relevant"),
]
Answers = Annotated[
    str | None,
    option("Simulate: take the answers from this column, which the model does not see.", "COLUMN", FILE),
]
Text = Annotated[str | None, option("A column with text.", "COLUMN", options.READING)]
Format = Annotated[
    str | None,
    option(
        "The format of the file: csv, tsv, jsonl, xlsx, parquet, ris or nbib. By default, its extension or first "
        "bytes tell.",
        "FORMAT",
        options.READING,
    ),
]
Web = Annotated[bool, flag("--web", "Ask in a page of your browser instead of the terminal.", FILE)]
NoBrowser = Annotated[bool, flag("--no-browser", "With --web: print the address, but do not open it.", FILE)]
Seed = Annotated[int | None, option("The seed of all random decisions.", "N", FILE, min=0, show_default="0")]


def label(
    file: File = None,
    classes: Classes = None,
    out: Out = None,
    limit: Limit = None,
    web: Web = False,
    no_browser: NoBrowser = False,
    audit: Audit = None,
    until: StopWhen = None,
    positive: Positive = None,
    answers: Answers = None,
    seed: Seed = None,
    label: options.Label = None,
    text: Text = None,
    drop: options.Drop = None,
    category: options.Category = None,
    number: options.Number = None,
    date: options.Date = None,
    format: Format = None,  # noqa: A002 - the word that users expect
    delimiter: options.Delimiter = None,
    task: Task = None,
    url: options.Url = None,
    token: options.Token = None,
) -> None:
    """Label the rows of FILE with single keys: it asks about those that teach most.

    After each answer the model learns, and the rows are ranked again. Every
    answer is on disk at once: the same command goes on where you stopped. At the
    end there are labels, a model for `askance predict`, and a journal.

    With --web, the same questions are asked in a page, on this machine only. It
    needs no service. Each command may go on where the other stopped.

    With --task, answer the questions of a task of the service instead.

    With --until recall=0.95, it asks about the rows that are most likely
    relevant, and ends when 95 % of the relevant ones are found.

    Answers can also come from a pipe, one per line: a class or its key, s to
    skip, u to undo or q to quit.
    """
    if no_browser and not web:
        raise ValueError("--no-browser is about the page of --web: give both, or neither")
    if file is None:
        _answer_task(task, url, token, web=web)
        return
    if task is not None:
        raise ValueError("give either FILE or --task, not both")
    if until is None and positive is not None:
        raise ValueError("--positive is the class that --until looks for: add --until recall=0.95")
    if until is not None and audit is not None:
        raise ValueError("--until decides by itself which rows are drawn at random: remove --audit")
    given: dict[str, Any] = {
        "classes": None if classes is None else parsed_classes(classes),
        "audit": audit,
        "recall": until,
        "positive": positive,
        "answers": answers,
        "seed": seed,
        "label": label,
        "text": text,
        "drop": drop or None,
        "categories": category or None,
        "numbers": number or None,
        "dates": date or None,
        "format": format,
        "delimiter": delimiter,
    }
    with quick_start():
        from askance.cli.commands.label import file_work

    chosen = {name: value for name, value in given.items() if value is not None}
    file_work.label_file(file_work.FileRequest(file, out, limit, chosen, web, not no_browser))


def _answer_task(task: str | None, url: str | None, token: str | None, *, web: bool) -> None:
    if task is None:
        raise ValueError("give a FILE to label, or --task for a task of the service; see askance label --help")
    if web:
        page = f"{(url or options.USUAL_URL).rstrip('/')}/tasks/{quote(task, safe='')}/label"
        raise ValueError(f"--web is for a FILE: the service has pages of its own; open {page} in your browser")
    require_extra("msgspec", "httpx")
    from askance.cli.commands.label import work

    work.answer(task, url, token)


def parsed_classes(text: str) -> list[str]:
    """Parse `a,b`; raises ValueError unless there are two different ones."""
    names = [name.strip() for name in text.split(",")]
    if len(set(names)) != len(names) or len(names) < 2 or "" in names:
        raise ValueError(f"--classes {text}: give two or more different classes, for example --classes ham,spam")
    return names
