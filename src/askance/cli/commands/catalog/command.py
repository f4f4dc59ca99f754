"""`askance catalog`: the algorithms by the names of their papers."""

import inspect
import re
import shlex
import sys
from collections.abc import Mapping
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any

import typer

from askance.cli import completion, options
from askance.cli.output.console import print_json, stdout

if TYPE_CHECKING:
    from rich.table import Table

    from askance.algorithms.entry import Entry
    from askance.rules.update.rule import About

EXAMPLE = "Example:   askance catalog PAA-II"
COLUMNS = ("name", "update rule", "query rule", "cost", "where")
GAP = 2


def show_catalog(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            show_default=False,
            help="Explain this algorithm, with its formulas.",
            autocompletion=completion.algorithms,
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """List all algorithms by their names in the papers, or explain one of them."""
    from askance.algorithms import catalog, look_up

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
    """Print one table per paper, with the same columns."""
    console = stdout()
    papers: dict[str, list[tuple[str, ...]]] = {}
    for name, entry in catalog.items():
        made_of = (name, entry.update.__name__, entry.query.__name__)
        papers.setdefault(entry.paper, []).append((*made_of, _cost(entry), entry.where))
    widths = _widths([COLUMNS, *chain.from_iterable(papers.values())], console.width)
    console.print(_table([COLUMNS], widths), style="bold")
    for paper, rows in papers.items():
        console.print(f"\n{paper}", style="bold")
        console.print(_table(rows, widths))
    console.print("\nCost per round: a row has d' non-zeros among d features; there are k classes.")
    console.print("`askance catalog NAME` shows the formulas and parameters of an algorithm.")


def _widths(rows: list[tuple[str, ...]], available: int) -> list[int] | None:
    """Column widths: costs wrap if necessary. None, so that all wrap, if the terminal is too narrow."""
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    cost = COLUMNS.index("cost")
    widths[cost] = min(widths[cost], available - GAP * (len(widths) - 1) - sum(widths) + widths[cost])
    longest = max(len(word) for row in rows for word in row[cost].split())
    return widths if widths[cost] >= longest else None


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
        console.print(f"\n{kind.capitalize()} rule: {formulas}")
    console.print(f"\nParameters: {_assignments(entry) or 'none'}")
    console.print(f"Cost per round: {_cost(entry)}")
    console.print(
        f"{entry.update.__name__} works with the query rules {', '.join(_partners(entry))}{_classes(entry)}."
    )
    given = "".join(f" --param {name}={_shown(value)}" for name, value in _own(entry).items())
    console.print(f"\nTry it:    askance run FILE --algorithm {shlex.quote(name)}{given}", soft_wrap=True)
    named = ", ".join([repr(name), *filter(None, [_assignments(entry)])])
    console.print(f"In Python: learner = askance.make({named})", soft_wrap=True)


def _about(entry: "Entry") -> "About":
    from askance.rules.update.rule import about

    return about(entry.build()[0])


def _cost(entry: "Entry") -> str:
    """The cost per round; with k classes, of all of them."""
    cost = _about(entry).cost
    return cost.replace("O(", "O(k ") if entry.kind == "multiclass" else cost


def _partners(entry: "Entry") -> list[str]:
    """The query rules that the entry's update rule can be combined with."""
    from askance.rules.query import RULES, WRAPPERS
    from askance.rules.query.rule import needs_spread

    seeing = _about(entry).has_spread
    return [rule.__name__ for rule in RULES if seeing or not needs_spread(rule())] + [
        f"{wrapper.__name__} around them" for wrapper in WRAPPERS
    ]


def _classes(entry: "Entry") -> str:
    return ", for two classes and more" if _about(entry).many_classes else ", for two classes"


def _formulas(entry: "Entry") -> dict[str, str]:
    """The description of each rule, without sections such as Parameters, and that of its module."""
    texts = {}
    for kind, rule in zip(("update", "query"), entry.build(), strict=True):
        documented: tuple[Any, ...] = (type(rule), sys.modules[type(rule).__module__])
        paragraphs = [_before_sections(inspect.getdoc(one) or "") for one in documented]
        texts[kind] = _unwrapped("\n\n".join([f"{rule!r}:", *paragraphs]))
    return texts


def _before_sections(text: str) -> str:
    """A docstring up to its first section, which is a heading underlined by hyphens."""
    return re.split(r"\n\n(?=\w+\n---)", text, maxsplit=1)[0]


def _unwrapped(text: str) -> str:
    """Join the lines of each paragraph, so that it fits any terminal; lists stay lists."""
    return re.sub(r"(?<!\n)\n(?![\n -])", " ", text)


def _own(entry: "Entry") -> dict[str, Any]:
    """The parameters with their defaults, without None and the usual sgn(0)."""
    given = {name: value for name, value in entry.defaults.items() if value is not None}
    return {name: value for name, value in given.items() if (name, value) != ("sgn0", 1)}


def _assignments(entry: "Entry") -> str:
    """The parameters in Python."""
    return ", ".join(
        f"{name}={value!r}" if isinstance(value, str) else f"{name}={value:g}"
        for name, value in _own(entry).items()
    )


def _shown(value: Any) -> str:
    """A value on the command line."""
    return value if isinstance(value, str) else f"{value:g}"


def _as_dict(name: str, entry: "Entry") -> dict[str, Any]:
    return {
        "name": name,
        "kind": entry.kind,
        "update": entry.update.__name__,
        "query": entry.query.__name__,
        "cost": _cost(entry),
        "goes_with": _partners(entry),
        "parameters": dict(entry.defaults),
        "paper": entry.paper,
        "where": entry.where,
    }
