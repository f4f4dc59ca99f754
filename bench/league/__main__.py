"""`python -m bench.league`: compare methods at equal numbers of labels. A run goes on from stored results."""

import argparse
import json
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track

from bench.league.methods import FOR_TABLES, METHODS
from bench.league.tables import summary
from bench.league.tasks import budgets, folder, load, made_up, names, task
from bench.setting import DIRECTORY

ORDERS = 10


def main(arguments: list[str] | None = None, directory: Path = DIRECTORY) -> list[dict[str, Any]]:
    """Run what is missing, and print the tables."""
    options = parsed(arguments)
    made = made_up() if options.quick else {}
    sets = options.sets or list(made) or names(folder())
    path = directory / ("quick-league.jsonl" if options.quick else "league.jsonl")
    path.parent.mkdir(parents=True, exist_ok=True)
    results = read(path)
    done = {key(one) for one in results}
    for name in track(sets, "data sets", console=Console(stderr=True)):
        X, y = made[name] if name in made else load(folder(), name)
        for order in range(options.orders):
            one = task(name, X, y, order)
            for budget, count in budgets(len(one.y)).items():
                if options.budgets and budget not in options.budgets:
                    continue
                for method in options.methods:
                    missing = (name, order, budget, method) not in done
                    if missing and (one.is_table or method not in FOR_TABLES):
                        found = METHODS[method](one, count, order)
                        about = {"set": name, "order": order, "budget": budget, "method": method}
                        results.append({**about, "is_table": one.is_table, **found._asdict()})
                        with path.open("a", encoding="utf-8") as file:
                            file.write(json.dumps(results[-1]) + "\n")
    for table in summary(results):
        Console(width=None if Console().is_terminal else 160).print(table)
    return results


def key(result: dict[str, Any]) -> tuple[Any, ...]:
    """What tells results apart."""
    return tuple(result[name] for name in ("set", "order", "budget", "method"))


def read(path: Path) -> list[dict[str, Any]]:
    """The results of earlier runs."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def parsed(arguments: list[str] | None) -> Any:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m bench.league", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two small data sets that are made here")
    parser.add_argument("--sets", nargs="+", metavar="NAME", help="data sets; by default all in $ASKANCE_DATA")
    parser.add_argument("--budgets", nargs="+", metavar="LABELS", help="such as 50 or 10%%; by default all eight")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--orders", type=int, default=ORDERS, metavar="N", help="random orders of every set")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
