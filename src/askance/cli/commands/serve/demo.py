"""`askance serve --demo`: a service on a temporary store, with a simulated stream and labeller."""

import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console

from askance.errors import ServiceError
from askance.service.client import Client
from askance.service.demo.world import TASK, run_demo, watch_demo
from askance.service.service import Service

ROWS_PER_SECOND, SECONDS_TO_ANSWER = 40.0, 0.15


@contextmanager
def temporary_store() -> Iterator[str]:
    """A store that is deleted at the end."""
    with tempfile.TemporaryDirectory(prefix="askance-demo-") as directory:
        yield str(Path(directory) / "demo.db")


@contextmanager
def simulated_world(service: Service, url: str, console: Console) -> Iterator[None]:
    """A stream, a labeller and a display of the figures, while the service runs."""
    stop = service.stopping
    works = (
        lambda: run_demo(url, None, stop=stop, rows_per_second=ROWS_PER_SECOND, labeller_delay=SECONDS_TO_ANSWER),
        lambda: _watch(url, console, stop),
    )
    threads = [threading.Thread(target=_quietly, args=(work, stop), daemon=True) for work in works]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join(5.0)


def _watch(url: str, console: Console, stop: threading.Event) -> None:
    with Client(url, None, TASK) as client:
        watch_demo(client, console, stop)


def _quietly(work: Callable[[], None], stop: threading.Event) -> None:
    """Do the work; errors because the service stops are ignored."""
    try:
        work()
    except ServiceError:
        if not stop.is_set():
            raise
