"""Rows through a pipe: `python -m bench.piped --megabytes 2000` prints the speed and the memory of each program.

The rows are those of one block, again and again, so that no large file is needed. Vowpal Wabbit gets the same rows
in its own format, with "|" after the label; name a Python that has it with --vw-python. Processor time counts all
threads and the start; it says more than the clock where other programs run.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

ROWS, FEATURES, WIDTH = 20_000, 60, 1 << 16
NOISE = 0.05  # share of labels that are wrong
MOMENTS = (0.1, 0.5, 1.0)  # shares of the stream after which memory is noted
VOWPAL = (
    "import sys; from vowpalwabbit import Workspace; "
    "Workspace(arg_list=['--data', '/dev/stdin', '--loss_function', 'hinge', '--sgd', '--noconstant', "
    "'--bit_precision', '18', '--quiet', '--no_stdin']).finish()"
)


class Block(NamedTuple):
    """The text of some rows."""

    rows: int
    text: bytes


class Measured(NamedTuple):
    """One program on one stream: megabytes in use at the moments, and its last line."""

    name: str
    rows: int
    megabytes: float
    seconds: float
    processor: float
    in_use: list[float]
    said: str


def block(between: str, rows: int = ROWS) -> Block:
    """Rows of a linear concept with some noise; `between` stands after the label."""
    rng = np.random.default_rng(0)
    weights = rng.normal(size=WIDTH)
    lines = []
    for _ in range(rows):
        places = np.unique(np.minimum(rng.zipf(1.2, FEATURES), WIDTH) - 1)  # some features are common, as in text
        values = rng.random(len(places)).round(4)
        label = 1 if weights[places] @ values > 0 else -1
        label = -label if rng.random() < NOISE else label
        features = " ".join(f"{place + 1}:{value}" for place, value in zip(places, values, strict=True))
        lines.append(f"{label}{between}{features}\n")
    return Block(rows, "".join(lines).encode())


def measure(name: str, command: Sequence[str], rows: Block, times: int) -> Measured:
    """Write the block to a program several times, and look at its memory on the way."""
    begun, processor = time.perf_counter(), processor_time()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        in_use = []
        for number in range(times):
            process.stdin.write(rows.text)
            if number + 1 in {max(1, round(moment * times)) for moment in MOMENTS}:
                in_use.append(resident(process.pid))
        process.stdin.close()
        said = process.stdout.read().decode()
    if process.returncode:
        raise RuntimeError(f"{name} ended with {process.returncode}")
    seconds, processor = time.perf_counter() - begun, processor_time() - processor
    return Measured(name, times * rows.rows, times * len(rows.text) / 1e6, seconds, processor, in_use, said)


def processor_time() -> float:
    """Seconds of processors that the programs took that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def resident(process: int) -> float:
    """Megabytes of memory that a process has in use."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024 / 1e6
    raise LookupError("VmRSS")


def askance(*words: str) -> list[str]:
    """The command line of askance on a pipe of svmlight."""
    return [sys.executable, "-m", "askance", "run", "-", "--format", "svmlight", "--json", *words]


def measured(options: argparse.Namespace) -> Iterator[Measured]:
    """All programs, each after a short stream for which it may compile."""
    rows = block(" ")
    times = max(1, round(options.megabytes * 1e6 / len(rows.text)))
    for name in options.algorithms:
        command = askance("--algorithm", name)
        measure(name, command, rows, 1)
        yield measure(f"askance, {name}", command, rows, times)
    if options.vw_python:
        command = [options.vw_python, "-c", VOWPAL]
        yield measure("Vowpal Wabbit, SGD", command, block(" | "), times)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=float, default=2000)
    parser.add_argument("--algorithms", nargs="*", default=["PAA-II", "auto"])
    parser.add_argument("--vw-python", help="a Python that has vowpalwabbit")
    table = Table(box=None)
    for title in (
        "",
        "MB",
        "rows",
        "s",
        "processor s",
        "MB per\nprocessor s",
        *(f"MB in use\nat {moment:.0%}" for moment in MOMENTS),
    ):
        table.add_column(title, justify="right")
    for found in measured(parser.parse_args(arguments)):
        speeds = f"{found.processor:.1f}", f"{found.megabytes / found.processor:.0f}"
        sizes = [f"{size:.0f}" for size in found.in_use]
        table.add_row(
            found.name, f"{found.megabytes:.0f}", f"{found.rows:,}", f"{found.seconds:.1f}", *speeds, *sizes
        )
        if found.said:
            method = json.loads(found.said)["methods"][0]
            print(f"{found.name}: accuracy {method['metrics']['accuracy']:.4f}, {method['asked']:,} labels asked")
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
