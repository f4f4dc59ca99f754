"""`askance data`: the contents of files and named data sets."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from askance._util.class_names import shown_class
from askance.cli import options
from askance.cli.commands.data import named
from askance.cli.output.console import print_json, stdout

if TYPE_CHECKING:
    from askance.data import Description

EXAMPLE = "Example:   askance data info mails.csv   or   askance data info usps --paper nguyen2011 --shuffle 7"
MOST_CLASSES_SHOWN = 12

app = typer.Typer(name="data")
app.command("list", epilog=named.LIST_EXAMPLE)(named.show_list)
app.command("fetch", epilog=named.FETCH_EXAMPLE)(named.fetch_sets)


@app.callback(invoke_without_command=True)
def _data(context: typer.Context) -> None:
    """Inspect files, and list and fetch the data sets of the papers."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), nl=False)


@app.command(epilog=EXAMPLE)
def info(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            show_default=False,
            help=f"A file ({options.FORMATS}) or a name of `askance data list`.",
        ),
    ],
    paper: Annotated[
        str | None, options.option("Prepare a named data set as in this paper.", "PAPER", options.READING)
    ] = None,
    unlabelled: Annotated[bool, options.flag("--unlabelled", "The rows have no labels.", options.READING)] = False,
    label: options.Label = None,
    text: options.Text = None,
    drop: options.Drop = None,
    category: options.Category = None,
    format: options.Format = None,  # noqa: A002 - the word that users expect
    delimiter: options.Delimiter = None,
    zero_based: options.ZeroBased = False,
    shuffle: options.Shuffle = None,
    json: options.Json = False,
) -> None:
    """Describe FILE: rows, features, classes, and possible problems.

    For a named data set, also show where it comes from and how papers prepared
    it.
    """
    from askance.cli.commands.data.sizes import SizesNoted
    from askance.cli.contest.source import open_file
    from askance.cli.output.progress import Watched, progress
    from askance.data import describe

    if named.is_name(file):
        _refuse_for_names(unlabelled, label, text, drop, category, format, delimiter, zero_based)
        _info_of_name(str(file), paper, shuffle, json=json)
        return
    if paper is not None:
        raise ValueError(f"--paper {paper}: {file} is not a named data set; `askance data list` lists them")
    reading = options.Reading(
        label, [text] if text else None, drop, category, format, delimiter, zero_based, shuffle
    )
    stream = open_file(file, reading, "float64", labelled=not unlabelled)
    with progress(file.name) as report:
        looked_at = SizesNoted(Watched(stream, report))
        description = describe(looked_at)
    if json:
        found = _as_dict(description)
        print_json(found | {"notes": [*found["notes"], *looked_at.notes]})
    else:
        _show(file.name, description, looked_at.notes)


def _refuse_for_names(*given: object) -> None:
    """Refuse options that would have no effect."""
    if any(given):
        raise ValueError("a named data set has its own format: of the reading options, only --shuffle applies")


def _info_of_name(name: str, paper: str | None, seed: int | None, *, json: bool) -> None:
    from askance.cli.output.progress import progress
    from askance.data import describe
    from askance.datasets import look_for, prepare
    from askance.datasets.finding import entry_of, how_to_get
    from askance.datasets.loading import as_stream

    whole, entry = entry_of(name)
    content: dict[str, Any] = {}
    description, notes = None, []
    has_rows = entry is None or entry.classes is not None
    if has_rows and (paper is not None or look_for(name) is not None):
        with progress(name) as report:
            prepared = prepare(name, paper, seed, report)
        description, notes = describe(as_stream(prepared, name)), prepared.notes
        content = _as_dict(description) | {"differences": notes}
    if json:
        print_json(
            {"register": named.as_dict(whole, entry) if entry else None, "paper": paper, "rows": content or None}
        )
        return
    named.explain(name)
    console = stdout()
    found = look_for(name)
    if found is None:
        console.print(f"\n{how_to_get(name)}")
        return
    for path in found.paths:
        console.print(f"path      {path}", soft_wrap=True)
    for note in notes:
        console.print(f"note      {note}")
    if description is not None:
        console.print()
        _show(name if paper is None else f"{name} as in {paper}", description)


def _show(name: str, description: "Description", more: Sequence[str] = ()) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column()
    table.add_column(justify="right")
    table.add_column()
    for cells in (*_figures(description), *_classes(description)):
        table.add_row(*cells)
    console = stdout()
    console.print(f"{name}\n", style="bold")
    console.print(table)
    for note in (*_notes(description), *more):
        console.print(f"\n{note}")


def _figures(description: "Description") -> list[tuple[str, ...]]:
    return [
        ("rows", f"{description.rows:,}"),
        ("features", f"{description.features:,}"),
        (
            "non-zeros per row",
            f"{description.nonzeros_per_row:,.1f}",
            f"density {100 * _density(description):.3g} %",
        ),
        ("values", f"{description.smallest:.4g}", f"to {description.largest:.4g}"),
    ]


def _classes(description: "Description") -> list[tuple[str, ...]]:
    if description.classes is None:
        return [("classes", "too many to list", "are the labels really classes?")]
    by_count = sorted(description.classes.items(), key=lambda item: -item[1])
    shown: list[tuple[str, ...]] = [
        (f"class {shown_class(name)}", f"{count:,}", f"{100 * count / description.rows:.1f} %")
        for name, count in by_count[:MOST_CLASSES_SHOWN]
    ]
    more = len(by_count) - len(shown)
    return [*shown, (f"and {more} more classes",)] if more else shown


def _notes(description: "Description") -> list[str]:
    notes = []
    if description.sorted_by_class:
        notes.append("The rows are sorted by class, or nearly so. Shuffle them with --shuffle 7.")
    if description.unit_length:
        notes.append("All rows have unit length.")
    return notes


def _density(description: "Description") -> float:
    cells = description.rows * description.features
    return description.nonzeros / cells if cells else 0.0


def _as_dict(description: "Description") -> dict[str, Any]:
    classes = (
        None
        if description.classes is None
        else [
            {"class": name, "rows": count, "share": count / description.rows}
            for name, count in description.classes.items()
        ]
    )
    return description._asdict() | {
        "classes": classes,
        "density": _density(description),
        "nonzeros_per_row": description.nonzeros_per_row,
        "notes": _notes(description),
    }
