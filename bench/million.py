"""`python -m bench.million [N]`: a service with a million items, labelled, killed and started again.

The task has the default learner and questions. Items come in batches of 500, and after every 100,000 a few hundred
are labelled. At the end, single decisions come one after the other, `/health` is asked for while a thousand other
connections are open, and the service is killed and started again.
"""

import argparse
import os
import random
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

from bench.load import Connection, Running, at_once

TASK = 'name = "million"\nclasses = ["ham", "spam"]\n'
PATH = "/api/tasks/million"
STEP, BATCH, SENDERS = 100_000, 500, 2
LABELS, AT_ONCE = 600, 30  # labels after each step, and questions of a lease
IDLE, CHECKS, SINGLES, STARTS = 1000, 300, 2000, 5
SPAM = [f"{stem}{number}" for stem in ("win", "free", "cash") for number in range(400)]
HAM = [f"{stem}{number}" for stem in ("meet", "lunch", "call", "bill", "note", "desk") for number in range(400)]


class Stage(NamedTuple):
    """What was measured after some items."""

    items: int
    items_per_second: float
    labels_per_second: float
    memory: float  # resident MB
    size: float  # of the store, MB


def text(chance: random.Random) -> str:
    """Twenty words; of spam, about a third are words that it has more often."""
    is_spam = chance.random() < 0.3
    return " ".join(
        chance.choice(SPAM if chance.random() < (0.35 if is_spam else 0.05) else HAM) for _ in range(20)
    )


def label(content: str) -> str:
    """The class of a text."""
    return "spam" if sum(word.startswith(("win", "free", "cash")) for word in content.split()) > 3 else "ham"


def fill(running: Running, store: Path, count: int) -> Iterator[Stage]:
    """Send items, and label some after each step."""
    chance = random.Random(0)
    for start in range(0, count, STEP):
        number = min(STEP, count - start)
        seconds = send(running, chance, number)
        labels = answer(running)
        yield Stage(start + number, number / seconds, labels, memory(running), size(store))


def send(running: Running, chance: random.Random, number: int) -> float:
    """The seconds that it takes several senders to send items in batches."""
    sizes = [min(BATCH, number - start) for start in range(0, number, BATCH)]
    batches = [[{"text": text(chance)} for _ in range(size)] for size in sizes]

    def one(place: int) -> None:
        with Connection(running.port) as connection:
            for batch in batches[place::SENDERS]:
                connection.post(f"{PATH}/items", {"items": batch})

    return at_once([lambda place=place: one(place) for place in range(SENDERS)])


def answer(running: Running) -> float:
    """Lease questions and answer them; return the labels per second, with the leases."""
    given, start = 0, time.perf_counter()
    with Connection(running.port) as connection:
        while given < LABELS:
            found = connection.post(f"{PATH}/leases", {"count": AT_ONCE})["questions"]
            labels = [{"item": one["item"], "label": label(one["text"]), "key": f"{one['item']}"} for one in found]
            connection.post(f"{PATH}/labels", {"labels": labels})
            given += len(labels)
    return given / (time.perf_counter() - start)


def singles(running: Running) -> list[float]:
    """The milliseconds of single decisions, one after the other."""
    chance = random.Random(1)
    with Connection(running.port) as connection:
        path, times = f"{PATH}/items", []
        for _ in range(SINGLES):
            item = {"text": text(chance)}
            start = time.perf_counter()
            connection.post(path, {"items": [item]})
            times.append(1e3 * (time.perf_counter() - start))
    return times


def with_idle(running: Running) -> list[float]:
    """The milliseconds of `/health` while others keep connections open, half of them within a request."""
    idle = [Connection(running.port) for _ in range(IDLE)]
    for connection in idle[::2]:
        connection.begin("GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n")
    times = []
    for _ in range(CHECKS):
        start = time.perf_counter()
        running.get("/health")
        times.append(1e3 * (time.perf_counter() - start))
    for connection in idle:
        connection.close()
    return times


def memory(running: Running) -> float:
    """The resident memory of the process, in MB."""
    status = Path(f"/proc/{running.process.pid}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) / 1024


def size(store: Path) -> float:
    """The size of the store and its write-ahead log, in MB."""
    return sum(file.stat().st_size for file in store.parent.glob(f"{store.name}*")) / 1e6


def starts(store: Path) -> Iterator[tuple[float, float]]:
    """The seconds from a start after a kill to readiness, and those of the processor."""
    for _ in range(STARTS):
        running = Running(str(store), TASK, store.parent)
        used = Path(f"/proc/{running.process.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        yield running.seconds_to_start, sum(map(int, used)) / os.sysconf("SC_CLK_TCK")
        running.kill()


def main() -> None:
    """Measure all, and print it."""
    parser = argparse.ArgumentParser(prog="python -m bench.million", description=__doc__)
    parser.add_argument("items", nargs="?", type=int, default=1_000_000)
    parser.add_argument("--store", type=Path, help="a store to keep; its directory must exist")
    options = parser.parse_args()
    console = Console()
    with tempfile.TemporaryDirectory() as directory:
        # A package that was installed has its byte code: without it, a start takes twice as long.
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ.setdefault("PYTHONPYCACHEPREFIX", directory)
        store = options.store or Path(directory) / "million.db"
        running = Running(str(store), TASK, store.parent)
        try:
            for stage in fill(running, store, options.items):
                console.print(" ".join(f"{name}={value:,.0f}" for name, value in stage._asdict().items()))
            rows = {"a single decision": singles(running), f"/health, {IDLE} idle connections": with_idle(running)}
        finally:
            running.kill()
        console.print(shown(rows))
        console.print("seconds to start after a kill, and of the processor:")
        for seconds, used in starts(store):
            console.print(f"{seconds:.1f} {used:.1f}")
        console.print(f"load of the machine: {os.getloadavg()[0]:.1f}")


def shown(rows: dict[str, list[float]]) -> Table:
    """A table of times in milliseconds."""
    table = Table("ms", "p50", "p99", "longest")
    for name, times in rows.items():
        table.add_row(name, *(f"{np.quantile(times, share):.1f}" for share in (0.5, 0.99, 1.0)))
    return table


if __name__ == "__main__":
    main()
