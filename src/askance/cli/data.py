"""`askance data`: what is in a file."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from askance.cli import options
from askance.cli.console import print_json, shown_class, stdout

if TYPE_CHECKING:
    from askance.data import Description

EXAMPLE = "Example:   askance data info mails.csv"
MOST_CLASSES_SHOWN = 12

app = typer.Typer(name="data")


@app.callback(invoke_without_command=True)
def _data(context: typer.Context) -> None:
    """Look at data before learning from them."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), nl=False)


@app.command(epilog=EXAMPLE)
def info(
    file: options.File,
    unlabelled: Annotated[
        bool, typer.Option("--unlabelled", rich_help_panel=options.READING, help="The rows have no labels.")
    ] = False,
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
    """Say what FILE holds: rows, features, classes, and what to beware of."""
    from askance.cli.progress import Watched, progress
    from askance.cli.source import open_file
    from askance.data import describe

    reading = options.Reading(label, text, drop, category, format, delimiter, zero_based, shuffle)
    stream = open_file(file, reading, "float64", labelled=not unlabelled)
    with progress(file.name) as tell:
        description = describe(Watched(stream, tell))
    if json:
        print_json(_as_dict(description))
    else:
        _show(file.name, description)


def _show(name: str, description: "Description") -> None:
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
    for note in _notes(description):
        console.print(f"\n{note}")


def _figures(description: "Description") -> list[tuple[str, ...]]:
    return [
        ("rows", f"{description.rows:,}"),
        ("features", f"{description.features:,}"),
        (
            "non-zeros a row",
            f"{description.nonzeros_per_row:,.1f}",
            f"density {100 * _density(description):.3g} %",
        ),
        ("values", f"{description.smallest:.4g}", f"to {description.largest:.4g}"),
    ]


def _classes(description: "Description") -> list[tuple[str, ...]]:
    if description.classes is None:
        return [("classes", "very many", "are the labels really classes?")]
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
        notes.append(
            "The rows are sorted by class, or nearly: a stream should be mixed. Shuffle it with --shuffle 7."
        )
    if description.unit_length:
        notes.append("All rows have length 1.")
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
