"""`python -m bench.rules`: every update rule with every query rule at equal numbers of labels, and the tables.

A run goes on from stored results, and then writes the tables and diagrams of the documentation; a run of some sets
or rules writes them beside its results.
"""

import argparse
import json
from collections.abc import Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track

from bench.league.methods import automatic
from bench.league.tasks import Task, budgets, folder, load, made_up, names, task
from bench.rules.entries import DOUBLED, RULES, has_spread, takes
from bench.rules.figures import AUTO, OWN
from bench.rules.questions import NAMES, NEED_SPREAD
from bench.rules.streams import Prepared, prepared, reach
from bench.rules.tables import write
from bench.setting import DIRECTORY, ROOT
from bench.streams import results_by_stream

TABLES, PICTURES = ROOT / "docs" / "reference" / "rules", ROOT / "docs" / "pictures"
BUDGETS = ("200", "10%")
ORDERS = 2
DIGITS = 5

Results = list[dict[str, Any]]


def main(arguments: list[str] | None = None, directory: Path = DIRECTORY) -> Results:
    """Run what is missing, and write the tables and figures."""
    options = parsed(arguments)
    path = directory / ("quick-rules.jsonl" if options.quick else "rules.jsonl")
    path.parent.mkdir(parents=True, exist_ok=True)
    results = read(path)
    made = made_up() if options.quick else {}
    sets = options.sets or list(made) or names(folder())
    streams = [(order, name) for order in range(options.orders) for name in sets]
    work = partial(missing_of, rules=options.rules, made=made, done={key(one) for one in results})
    parts = results_by_stream(work, streams, options.jobs)
    for found in chain.from_iterable(track(parts, "streams", len(streams), console=Console(stderr=True))):
        results.append(found)
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(found) + "\n")
    chosen = [one for one in results if belongs(one, sets, options)]
    whole = not options.quick and not options.sets and options.rules == list(RULES)
    for place in write(chosen, *((TABLES, PICTURES) if whole else (directory, directory))):
        Console().print(f"written: {place}")
    return results


def missing_of(
    stream: tuple[int, str], rules: list[str], made: dict[str, Any], done: set[tuple[Any, ...]]
) -> Iterator[dict[str, Any]]:
    """Run what has no result yet of one order of a set."""
    order, name = stream
    one = task(name, *(made[name] if name in made else load(folder(), name)), order)
    yield from missing(one, order, rules, done)


def missing(one: Task, order: int, rules: list[str], done: set[tuple[Any, ...]]) -> Iterator[dict[str, Any]]:
    """Run what has no result yet: a line has the outcomes with every value of the rule's parameter."""
    about = {"set": one.name, "order": order, "classes": one.classes, "is_table": one.is_table}
    ready: dict[bool, Prepared] = {}
    for budget, count in budgets(len(one.y)).items():
        if budget not in BUDGETS:
            continue
        line = {**about, "budget": budget}
        if key({**line, "rule": AUTO, "question": OWN}) not in done:
            yield {**line, "rule": AUTO, "question": OWN, **outcomes([automatic(one, count, order)])}
        for rule in rules:
            for asking in questions_for(rule) if takes(rule, one.classes) else ():
                own = {**line, "rule": rule, "question": asking}
                if key(own) not in done:
                    doubled = rule in DOUBLED
                    given = ready[doubled] = ready.get(doubled) or prepared(one, doubled=doubled)
                    yield {
                        **own,
                        **outcomes([reach(given, u, asking, count, order) for u in RULES[rule].values()]),
                    }


def belongs(one: dict[str, Any], sets: list[str], options: Any) -> bool:
    """Whether a result is of the sets, rules and orders asked for."""
    return one["set"] in sets and one["order"] < options.orders and one["rule"] in (AUTO, *options.rules)


def outcomes(found: list[Any]) -> dict[str, list[float]]:
    """What several runs reached, field by field."""
    fields = ("stream", "held_out", "labels")
    return {field: [round(getattr(one, field), DIGITS) for one in found] for field in fields}


def questions_for(rule: str) -> list[str]:
    """The query rules that a rule can be combined with."""
    return [name for name in NAMES if has_spread(rule) or name not in NEED_SPREAD]


def key(result: dict[str, Any]) -> tuple[Any, ...]:
    """What tells results apart."""
    return tuple(result[name] for name in ("set", "order", "budget", "rule", "question"))


def read(path: Path) -> Results:
    """The results of earlier runs."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def parsed(arguments: list[str] | None) -> Any:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m bench.rules", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two small data sets that are made here")
    parser.add_argument("--sets", nargs="+", metavar="NAME", help="data sets; by default all in $ASKANCE_DATA")
    parser.add_argument("--rules", nargs="+", choices=RULES, default=list(RULES), metavar="RULE")
    parser.add_argument("--orders", type=int, default=ORDERS, metavar="N", help="random orders of every set")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="streams at once, each in a process")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
