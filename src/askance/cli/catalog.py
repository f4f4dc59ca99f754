"""`askance catalog`: the papers' names, and what each is made of."""

import inspect
import re
import shlex
import sys
from collections.abc import Mapping
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any

import typer

from askance.cli import options
from askance.cli.console import print_json, stdout

if TYPE_CHECKING:
    from rich.table import Table

    from askance.papers.entry import Entry

EXAMPLE = "Example:   askance catalog PAA-II"
COLUMNS = ("name", "update rule", "query rule", "parameters", "where")
GAP = 2


def show_catalog(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", show_default=False, help="Show this one, with its formulas.")
    ] = None,
    json: options.Json = False,
) -> None:
    """List the algorithms by the papers' names, or explain one of them."""
    from askance.papers import catalog, look_up

    if name is not None:
        entry = look_up(name)
        if json:
            print_json(_as_dict(name, entry) | {"formulas": _formulas(entry)})
        else:
            _explain(name, entry)
    elif json:
        print_json({"algorithms": [_as_dict(name, entry) for name, entry in catalog.items()]})
    else:
        _list(catalog)


def _list(catalog: "Mapping[str, Entry]") -> None:
    """A table a paper, with the same columns in all."""
    console = stdout()
    papers: dict[str, list[tuple[str, ...]]] = {}
    for name, entry in catalog.items():
        cells = (name, entry.update.__name__, entry.query.__name__, _assignments(entry), entry.where)
        papers.setdefault(entry.paper, []).append(cells)
    widths = _widths([COLUMNS, *chain.from_iterable(papers.values())], console.width)
    console.print(_table([COLUMNS], widths), style="bold")
    for paper, rows in papers.items():
        console.print(f"\n{paper}", style="bold")
        console.print(_table(rows, widths))
    console.print("\n`askance catalog NAME` shows the formulas of one of them.")


def _widths(rows: list[tuple[str, ...]], available: int) -> list[int] | None:
    """The width of each column: parameters wrap if they must. None, to let all wrap, where there is no room."""
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    parameters = COLUMNS.index("parameters")
    widths[parameters] = min(
        widths[parameters], available - GAP * (len(widths) - 1) - sum(widths) + widths[parameters]
    )
    longest = max(len(word) for row in rows for word in row[parameters].split())
    return widths if widths[parameters] >= longest else None


def _table(rows: list[tuple[str, ...]], widths: list[int] | None) -> "Table":
    from rich.table import Table

    table = Table.grid(padding=(0, GAP, 0, 0))
    for column in range(len(COLUMNS)):
        table.add_column(width=widths[column] if widths else None)
    for row in rows:
        table.add_row(*row)
    return table


def _explain(name: str, entry: "Entry") -> None:
    console = stdout()
    console.print(f"{name}: {entry.paper}{f', {entry.where}' if entry.where else ''}", style="bold")
    for kind, formulas in _formulas(entry).items():
        console.print(f"\nThe {kind} rule, {formulas}")
    console.print(f"\nParameters: {_assignments(entry) or 'none'}")
    given = "".join(f" --param {name}={_shown(value)}" for name, value in _own(entry).items())
    console.print(f"\nTry it:    askance run FILE --algorithm {shlex.quote(name)}{given}", soft_wrap=True)
    named = ", ".join([repr(name), *filter(None, [_assignments(entry)])])
    console.print(f"In Python: learner = askance.make({named})", soft_wrap=True)


def _formulas(entry: "Entry") -> dict[str, str]:
    """What the rules' own documentation says."""
    texts = {}
    for kind, rule in zip(("update", "query"), entry.build(), strict=True):
        of_rule, of_family = inspect.getdoc(type(rule)), inspect.getdoc(sys.modules[type(rule).__module__])
        texts[kind] = _unwrapped(f"{rule!r}:\n\n{of_rule}\n\n{of_family}")
    return texts


def _unwrapped(text: str) -> str:
    """Paragraphs as one line each, so that they fit any terminal; lists stay lists."""
    return re.sub(r"(?<!\n)\n(?![\n -])", " ", text)


def _own(entry: "Entry") -> dict[str, Any]:
    """The parameters with their defaults; the sign of 0 only where it is not the usual one."""
    return {name: value for name, value in entry.defaults.items() if (name, value) != ("sgn0", 1)}


def _assignments(entry: "Entry") -> str:
    values = {
        name: repr(value) if isinstance(value, str) else _shown(value) for name, value in _own(entry).items()
    }
    return ", ".join(f"{name}={value}" for name, value in values.items())


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else f"{value:g}"


def _as_dict(name: str, entry: "Entry") -> dict[str, Any]:
    return {
        "name": name,
        "kind": entry.kind,
        "update": entry.update.__name__,
        "query": entry.query.__name__,
        "parameters": dict(entry.defaults),
        "paper": entry.paper,
        "where": entry.where,
    }
