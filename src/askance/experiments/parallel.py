"""Work spread over processes or machines, with someone who watches how far it is."""

import os
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from askance.distributed.backends import open_workers
from askance.distributed.tasks import Part, finished
from askance.experiments.store import Store
from askance.experiments.table_rows import Row

Watch = Callable[[int, int, str], None]


class Spread(NamedTuple):
    """How work is spread: which engine, how many workers, where parts are kept, and who watches.

    `watch` is told how many parts are done, of how many, and which. `cluster` is the engine's address, if it
    is not to work on this machine.
    """

    backend: str = "loky"
    jobs: int = -1
    store: str | os.PathLike[str] | None = None
    watch: Watch | None = None
    cluster: str | None = None


def rows_of(
    work: Callable[..., list[Row]], cells: Sequence[tuple[Any, ...]], titles: Sequence[str], spread: Spread
) -> list[Row]:
    """The rows that `work` makes of each cell and of the store, in the order of the cells."""
    kept = Store(spread.store)
    parts = [Part(title, (*cell, kept)) for title, cell in zip(titles, cells, strict=True)]
    found: dict[int, list[Row]] = {}
    with open_workers(spread.backend, spread.jobs, spread.cluster) as workers:
        for number, own in finished(work, parts, workers):
            found[number] = own
            if spread.watch is not None:
                spread.watch(len(found), len(cells), titles[number])
    return [row for number in range(len(cells)) for row in found[number]]
