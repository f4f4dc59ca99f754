"""Every rule whose round is linear in the non-zeros of a row, beside a matrix × vector product.

`python -m bench.linear` also writes the table of the documentation, and with names of rules only their lines.
"""

import csv
import platform
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from askance.algorithms import catalog
from askance.engine import passes
from askance.engine.machine import Machine, copied
from askance.jit.coins import coins
from askance.learners.inputs import as_rows
from askance.rules.query import AtRate, Margin
from askance.rules.registry import BINARY, with_floats
from askance.rules.update.rule import about
from bench.clock import Contender, race, ratio
from bench.datasets import Dataset
from bench.memory import PRODUCT, product
from bench.ours import FLOAT32, WANTED_SHARE
from bench.report import Report, at_most
from bench.setting import DIRECTORY, ROOT, Setting

SECONDS = 60.0
GOAL = 3.0
DATASETS = ("A", "B")
TABLE = ROOT / "docs" / "reference" / "rules" / "speed.csv"


def rules(*names: str) -> dict[str, Any]:
    """The update rules for two classes of linear cost, by the first name that the catalog has for each.

    With names, only these.
    """
    found: dict[tuple[type, Any], tuple[str, Any]] = {}
    for name, entry in catalog.items():
        update = with_floats(entry.parts({}).update)
        if entry.kind == BINARY and about(update).cost.startswith("O(d')") and not about(update).draws:
            found.setdefault((type(update), update), (name, update))  # rules without parameters are equal
    return {name: update for name, update in found.values() if not names or name in names}


def measure(setting: Setting, report: Report, names: Sequence[str] = ()) -> None:
    """Race the rules against SciPy's product on A and B, asking for a fifth of the labels, on one thread."""
    for name in DATASETS:
        dataset = setting.dataset(name)
        passes_of = {rule: contender(rule, dataset, update) for rule, update in rules(*names).items()}
        contenders = [Contender(PRODUCT, product(dataset)), *(one for one, _ in passes_of.values())]
        with threadpool_limits(1):
            report.keep(group(name), race(contenders, setting.seconds(SECONDS)).processor)
        for rule, (_, outcome) in passes_of.items():
            report.compare(group(name), rule, PRODUCT, at_most(GOAL), f"{outcome.updated.mean():.0%} updated")


def group(dataset: str) -> str:
    """The group of a data set in the report."""
    return f"linear {dataset}"


def contender(name: str, dataset: Dataset, update: Any) -> tuple[Contender, passes.Outcome]:
    """The machine code of a pass; each turn begins with a copy of a fresh core, whose memory has been touched."""
    width = dataset.X.shape[1]
    rows, labels = as_rows(dataset.X, FLOAT32), dataset.y.astype(FLOAT32)
    machine = Machine(update, AtRate(Margin(), WANTED_SHARE), FLOAT32, 1.0)
    machine.make_room(width)
    outcome = passes.blank_outcome(len(labels), FLOAT32)
    rest = (rows, width, labels, coins(0, 0, len(labels)), outcome)
    function: Any = passes.bind("run", (machine.core, *rest), exact=False)
    return Contender(name, lambda core: function(core, *rest), lambda: copied(machine.core)), outcome


def write(report: Report, path: Path) -> None:
    """A line per rule: how many times as long as the product a pass takes on each data set. Other lines stay."""
    lines = {}
    if path.exists():
        with path.open(encoding="utf-8", newline="") as file:
            lines = {line[0]: line for line in list(csv.reader(file))[1:]}
    for rule in report.timings[group(DATASETS[0])].keys() - {PRODUCT}:
        timings = [report.timings[group(name)] for name in DATASETS]
        lines[rule] = [rule, *(f"{ratio(one[rule], one[PRODUCT]).best:.2f}" for one in timings)]
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        ordered = [lines[rule] for rule in rules() if rule in lines]
        csv.writer(file, lineterminator="\n").writerows([("rule", *DATASETS), *ordered])


def processor() -> str:
    """The name of the processor, where the system tells it."""
    known = Path("/proc/cpuinfo")
    lines = known.read_text().splitlines() if known.exists() else []
    return next((line.split(": ")[1] for line in lines if line.startswith("model name")), platform.machine())


def main(names: Sequence[str]) -> None:
    """Measure, and write the table."""
    report = Report(f"rules of linear cost on {processor()}")
    measure(Setting(DIRECTORY, quick=False), report, names)
    write(report, TABLE)
    Console(width=200).print(report.table())


if __name__ == "__main__":
    main(sys.argv[1:])
