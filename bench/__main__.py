"""`python -m bench`: measure everything, or the groups named, and print one table."""

import argparse
import importlib
from pathlib import Path
from typing import Any

from rich.console import Console

from bench.report import Report
from bench.setting import DIRECTORY, Setting

WHOLE = "askance and its peers, in one run"
QUICK = "a quick run: the promises are not about data as small as these"

# In the order of the table. A group's module is imported when it is measured: it may need a peer.
GROUPS = {
    "memory": ("bench.memory", "measure"),
    "wide": ("bench.memory", "measure_wide"),
    "dense": ("bench.memory", "measure_dense"),
    "linear": ("bench.linear", "measure"),
    "second": ("bench.second_order", "measure"),
    "subgradient": ("bench.subgradient", "measure"),
    "peers": ("bench.peers", "measure"),
    "many": ("bench.many", "measure"),
    "banks": ("bench.banks", "measure"),
    "imbalance": ("bench.imbalance", "measure"),
    "rossel": ("bench.rossel", "measure"),
    "pool": ("bench.pool", "measure"),
    "ratings": ("bench.ratings", "measure"),
    "fleet": ("bench.fleet", "measure"),
    "live": ("bench.live", "measure"),
    "rows": ("bench.rows", "measure"),
    "dual": ("bench.dual", "measure"),
    "text": ("bench.text", "measure"),
    "threads": ("bench.threads", "measure"),
    "peak": ("bench.processes", "measure_peak"),
    "start": ("bench.processes", "measure_start"),
}


def main(arguments: list[str] | None = None, directory: Path = DIRECTORY) -> Report:
    """Measure and report."""
    options = parsed(arguments)
    console = Console(width=None if Console().is_terminal else 200)
    setting, report = Setting(directory, quick=options.quick), Report(QUICK if options.quick else WHOLE)
    for name in options.groups or GROUPS:
        console.print(f"measuring {name} …", style="dim")
        module, function = GROUPS[name]
        getattr(importlib.import_module(module), function)(setting, report)
    console.print(report.table())
    for remark in report.missing:
        console.print(remark)
    path = setting.directory / ("quick-results.json" if options.quick else "results.json")
    report.save(path)
    console.print(f"all figures: {path}")
    return report


def parsed(arguments: list[str] | None) -> Any:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("groups", nargs="*", choices=[*GROUPS, []], metavar="group", help=", ".join(GROUPS))
    parser.add_argument("--quick", action="store_true", help="small data, to see that everything works")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
