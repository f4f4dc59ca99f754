"""`askance data list`, `askance data fetch`, and `askance data info` of a named data set."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from askance.cli import completion, options
from askance.cli.output.console import print_json, stdout

if TYPE_CHECKING:
    from askance.datasets import Entry, Fetched

LIST_EXAMPLE = "Example:   askance data list"
FETCH_EXAMPLE = "Example:   askance data fetch a8a usps"
LEGEND = (
    "here: in a directory of ASKANCE_DATA; cached: fetched before; part: only a part of it is here; "
    "fetch: use `askance data fetch NAME`; by hand: see `askance data info NAME` for the source."
)
NOT_PUBLISHED = "no checksum is published: this one is stored next to the file and checked at every use"

Names = Annotated[
    list[str],
    typer.Argument(
        metavar="NAME...", show_default=False, help="Names of data sets.", autocompletion=completion.data_sets
    ),
]


def show_list(json: options.Json = False) -> None:
    """List the data sets of the papers, and where they are on this machine."""
    from askance.datasets import REGISTER, cache_directory

    if json:
        sets = [as_dict(name, entry) for name, entry in REGISTER.items()]
        print_json({"data_sets": sets, "cache": str(cache_directory())})
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column("name", no_wrap=True)
    for title in ("rows", "features", "classes"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("papers")
    table.add_column("found", no_wrap=True)
    for name, entry in REGISTER.items():
        sizes = (_count(entry.rows), _count(entry.features), _count(entry.classes))
        table.add_row(name, *sizes, ", ".join(_papers(entry)), _found(name, entry))
    console = stdout()
    console.print(table)
    console.print(f"\n{LEGEND}")


def fetch_sets(names: Names, json: options.Json = False) -> None:
    """Download data sets into the cache.

    The cache is the directory ASKANCE_CACHE, or askance in your cache
    directory.
    """
    from askance.cli.output.progress import progress
    from askance.datasets import fetch

    records = []
    for name in names:
        with progress(name) as report:
            fetched = fetch(name, report)
        if json:
            records.append(
                {"name": name, "files": [file._asdict() | {"path": str(file.path)} for file in fetched]}
            )
        else:
            _show_fetched(fetched)
    if json:
        print_json({"fetched": records})


def _show_fetched(fetched: "list[Fetched]") -> None:
    console = stdout()
    for file in fetched:
        console.print(f"{file.path}", soft_wrap=True, style="bold")
        console.print(f"  {file.size:,} bytes, {'already here' if file.was_here else 'fetched'}")
        console.print(f"  sha256 {file.sha256}", soft_wrap=True)
        console.print(f"  {'matches the published checksum' if file.published else NOT_PUBLISHED}")


def is_name(word: Path) -> bool:
    """Whether the argument is the name of a data set rather than a file."""
    from askance.datasets.finding import entry_of, look_for

    name = str(word)
    if word.name != name or name.startswith(".") or word.exists():
        return False
    return entry_of(name)[1] is not None or look_for(name) is not None


def explain(name: str) -> None:
    """Print the entry of a data set in the register."""
    from askance.datasets import PAPERS
    from askance.datasets.finding import entry_of

    whole, entry = entry_of(name)
    if entry is None:
        return
    console = stdout()
    console.print(name, style="bold")
    console.print(f"{entry.about}{'' if whole == name else f'; a part of {whole}'}\n")
    sizes = ((entry.rows, "rows"), (entry.features, "features"), (entry.classes, "classes"))
    console.print("register  " + ", ".join(f"{count:,} {what}" for count, what in sizes if count is not None))
    console.print(f"licence   {entry.licence}")
    console.print(f"home      {entry.page}", soft_wrap=True)
    for file in entry.files:
        console.print(f"file      {file.url}", soft_wrap=True)
        console.print(f"sha256    {file.sha256 or 'not published'}", soft_wrap=True)
    for paper, use in entry.uses.items():
        console.print(f"{paper}: {PAPERS[_paper(paper)]}: {use.words}{f'; {use.note}' if use.note else ''}")


def as_dict(name: str, entry: "Entry") -> dict[str, Any]:
    """The entry of a data set and its location, as JSON can hold them."""
    from askance.datasets import PAPERS, look_for

    found = look_for(name)
    uses = {
        paper: {
            "paper": PAPERS[_paper(paper)],
            "preparation": use.words,
            "rows": use.rows,
            "features": use.features,
        }
        | {"note": use.note}
        for paper, use in entry.uses.items()
    }
    return {
        "name": name,
        "about": entry.about,
        "rows": entry.rows,
        "features": entry.features,
        "classes": entry.classes,
        "licence": entry.licence,
        "home": entry.page,
        "files": [{"url": file.url, "sha256": file.sha256} for file in entry.files],
        "papers": uses,
        "found": None if found is None else {"place": found.place, "paths": [str(path) for path in found.paths]},
        "parts_found": [sample for sample in entry.samples if look_for(sample)],
    }


def _found(name: str, entry: "Entry") -> str:
    from askance.datasets import look_for

    found = look_for(name)
    if found is not None:
        return "cached" if found.place == "cache" else "here"
    if any(look_for(sample) for sample in entry.samples):
        return "part"
    return "fetch" if entry.files else "by hand"


def _papers(entry: "Entry") -> list[str]:
    return list(dict.fromkeys(map(_paper, entry.uses)))


def _paper(use: str) -> str:
    """The paper of a use; a paper may use a data set in several ways."""
    return use.partition("-")[0]


def _count(number: int | None) -> str:
    return "" if number is None else f"{number:,}"
