"""`python -m bench.league`: compare methods at equal numbers of labels. A run goes on from stored results."""

import argparse
import json
from collections.abc import Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track

from bench.league.figures import ALL, ALL_LABELS, Results
from bench.league.methods import METHODS, run, warm_up
from bench.league.scripts import all_labels
from bench.league.tables import sheets
from bench.league.tasks import Task, budgets, folder, load, made_up, names, task
from bench.setting import DIRECTORY
from bench.streams import results_by_stream

ORDERS = 10


def main(arguments: list[str] | None = None, directory: Path = DIRECTORY) -> Results:
    """Run what is missing, and print the tables."""
    options = parsed(arguments)
    errors = Console(stderr=True)
    for name in options.methods:
        if not METHODS[name].is_installed:
            errors.print(f"left out: {name} ({METHODS[name].package} is not installed)")
    path = directory / ("quick-league.jsonl" if options.quick else "league.jsonl")
    path.parent.mkdir(parents=True, exist_ok=True)
    results = read(path)
    if options.again:
        results = [one for one in results if one["method"] not in options.again]
        path.write_text("".join(json.dumps(one) + "\n" for one in results), encoding="utf-8")
    made = made_up() if options.quick else {}
    sets = options.sets or list(made) or names(folder())
    if not options.quick:
        warm_up()
    streams = [(order, name) for order in range(options.orders) for name in sets]
    work = partial(missing_of, options=options, made=made, done={key(done) for done in results})
    parts = results_by_stream(work, streams, options.jobs)
    for found in chain.from_iterable(track(parts, "streams", len(streams), console=errors)):
        results.append(found)
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(found) + "\n")
    for sheet in sheets(results).values():
        Console(width=None if Console().is_terminal else 200).print(sheet.shown())
    return results


def missing_of(
    stream: tuple[int, str], options: Any, made: dict[str, Any], done: set[tuple[Any, ...]]
) -> Iterator[dict[str, Any]]:
    """Run what has no result yet of one order of a set."""
    order, name = stream
    one = task(name, *(made[name] if name in made else load(folder(), name)), order)
    yield from missing(one, order, options, done)


def missing(one: Task, order: int, options: Any, done: set[tuple[Any, ...]]) -> Iterator[dict[str, Any]]:
    """Run what has no result yet: every method at every budget, and once all labels for comparison."""
    about = {"set": one.name, "order": order, **one.about()}
    if (one.name, order, ALL, ALL_LABELS) not in done:
        yield {**about, "budget": ALL, "method": ALL_LABELS, **all_labels(one)._asdict()}
    chosen = [name for name in options.methods if METHODS[name].is_installed and METHODS[name].takes(one)]
    for budget, count in budgets(len(one.y)).items():
        for method in chosen if not options.budgets or budget in options.budgets else ():
            if (one.name, order, budget, method) not in done:
                yield {**about, "budget": budget, "method": method, **run(method, one, count, order)}


def key(result: dict[str, Any]) -> tuple[Any, ...]:
    """What tells results apart."""
    return tuple(result[name] for name in ("set", "order", "budget", "method"))


def read(path: Path) -> Results:
    """The results of earlier runs."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def parsed(arguments: list[str] | None) -> Any:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m bench.league", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two small data sets that are made here")
    parser.add_argument("--sets", nargs="+", metavar="NAME", help="data sets; by default all in $ASKANCE_DATA")
    parser.add_argument("--budgets", nargs="+", metavar="LABELS", help="such as 50 or 10%%; by default all eight")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument(
        "--again", nargs="+", choices=METHODS, default=[], help="forget the results of these first"
    )
    parser.add_argument("--orders", type=int, default=ORDERS, metavar="N", help="random orders of every set")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="streams at once, each in a process")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
