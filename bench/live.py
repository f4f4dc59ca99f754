"""The service under load: durable labels and items per second, and the latency of a single decision.

Runs with SQLite, and with the empty PostgreSQL database whose URL is in ASKANCE_BENCH_POSTGRES, if it is set.
"""

import os
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from bench.load import Connection, at_once, service
from bench.report import Line, Report, at_least, at_most
from bench.setting import Setting

TASK = 'name = "load"\nclasses = ["ham", "spam"]\n'
FEW = 'algorithm = "PAA-II"\nparameters = {delta = 10.0}\n'
ALL = 'algorithm = "PA-II"\n'  # asks for every label
PATH = "/api/tasks/load"
WORDS = [
    f"{a}{b}"
    for a in ["win", "free", "cash", "meet", "lunch", "call", "bill", "note", "desk", "plan"]
    for b in range(400)
]
LABELLERS, SENDERS = 8, 4
RATE = 200.0
Place = Callable[[str], str]


def measure(setting: Setting, report: Report) -> None:
    """All measurements of the service."""
    with tempfile.TemporaryDirectory(dir=setting.directory) as directory:
        measure_store(setting, report, Path(directory), "SQLite", lambda name: str(Path(directory) / f"{name}.db"))
        url = os.environ.get("ASKANCE_BENCH_POSTGRES")
        if url is None:
            report.left_out("PostgreSQL", "ASKANCE_BENCH_POSTGRES does not name a database")
        else:
            measure_store(setting, report, Path(directory), "PostgreSQL", lambda name: _schema(url, name))


def measure_store(setting: Setting, report: Report, directory: Path, kind: str, place: Place) -> None:
    """All measurements with one kind of store."""
    measure_items(setting, report, directory, kind, place("items"))
    measure_labels(setting, report, directory, kind, place("labels"))
    measure_single(setting, report, directory, kind, place("single"))


def measure_items(setting: Setting, report: Report, directory: Path, kind: str, store: str) -> None:
    """Items decided in batches of a hundred, by several senders at once."""
    batches = 10 if setting.quick else 300
    with service(store, TASK + FEW, directory) as port:
        prepared = [_batches(port, sender, batches) for sender in range(SENDERS)]
        seconds = at_once([lambda one=one: _send_all(*one) for one in prepared])
    report.add(_rate(kind, "items decided, batches of 100", SENDERS * batches * 100 / seconds, 5000))


def measure_labels(setting: Setting, report: Report, directory: Path, kind: str, store: str) -> None:
    """Labels acknowledged when they are on disk, in batches of thirty, by several labellers at once."""
    batches = 3 if setting.quick else 150
    with service(store, TASK + ALL, directory) as port:
        _send_all(*_batches(port, 0, LABELLERS * batches * 30 // 100 + 1))
        prepared = [_labels(port, labeller, batches) for labeller in range(LABELLERS)]
        seconds = at_once([lambda one=one: _send_all(*one) for one in prepared])
    report.add(_rate(kind, "durable labels, batches of 30", LABELLERS * batches * 30 / seconds, 3000))


def measure_single(setting: Setting, report: Report, directory: Path, kind: str, store: str) -> None:
    """The time from request to answer of one item, at a steady rate."""
    seconds = 1.0 if setting.quick else 20.0
    with service(store, TASK + FEW, directory) as port:
        times = sorted(_paced(port, seconds))
    for share, goal in ((0.5, None), (0.99, 0.010)):
        value = float(np.quantile(times, share))
        promised = at_most(1e3 * goal) if goal else None
        what = f"one decision at {RATE:g}/s, {share:.0%} quantile"
        report.add(Line(f"live, {kind}", what, 1e3 * value, 1e3 * value, "ms", False, promised, ""))


def _rate(kind: str, what: str, value: float, goal: float) -> Line:
    return Line(
        f"live, {kind}", what, value, value, "/s", False, at_least(goal), "one service, two cores with the load"
    )


def _schema(url: str, name: str) -> str:
    """A schema of its own in a PostgreSQL database."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"DROP SCHEMA IF EXISTS bench_{name} CASCADE".encode())
        connection.execute(f"CREATE SCHEMA bench_{name}".encode())
    return f"{url}?options=-csearch_path%3Dbench_{name}"


def _text(chance: random.Random) -> str:
    return " ".join(chance.choices(WORDS, k=20))


def _batches(port: int, sender: int, count: int) -> tuple[Connection, list[bytes]]:
    connection, chance = Connection(port), random.Random(sender)
    return connection, [
        connection.prepared(
            f"{PATH}/items", {"items": [{"id": f"{sender}-{n}-{i}", "text": _text(chance)} for i in range(100)]}
        )
        for n in range(count)
    ]


def _labels(port: int, labeller: int, count: int) -> tuple[Connection, list[bytes]]:
    connection, chance = Connection(port), random.Random(labeller)
    first = labeller * count * 30 + 1
    return connection, [
        connection.prepared(
            f"{PATH}/labels",
            {
                "labels": [
                    {
                        "item": first + n * 30 + i,
                        "label": chance.choice(["ham", "spam"]),
                        "key": f"{labeller}-{n}-{i}",
                    }
                    for i in range(30)
                ]
            },
        )
        for n in range(count)
    ]


def _send_all(connection: Connection, requests: list[bytes]) -> None:
    for request in requests:
        answer = connection.send(request)
        assert answer.status == 200, answer
    connection.close()


def _paced(port: int, seconds: float) -> list[float]:
    """The times of single decisions at a fixed rate, with enough senders that none waits for another."""
    chance, times = random.Random(1), []
    count = int(RATE * seconds)
    start = time.perf_counter() + 0.2

    def send(turn: int) -> None:
        connection = Connection(port)
        requests = [connection.prepared(f"{PATH}/items", {"items": [{"text": _text(chance)}]}) for _ in range(20)]
        for n in range(turn, count, LABELLERS):
            due = start + n / RATE
            time.sleep(max(0.0, due - time.perf_counter()))
            answer = connection.send(requests[n % 20])
            times.append(time.perf_counter() - due)
            assert answer.status == 200, answer
        connection.close()

    at_once([lambda turn=turn: send(turn) for turn in range(LABELLERS)])
    return times[LABELLERS * 2 :]
