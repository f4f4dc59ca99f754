"""Work spread over processes, with someone who watches how far it is."""

import os
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from askance.experiments.store import Store
from askance.experiments.table_rows import Row

Watch = Callable[[int, int, str], None]


class Spread(NamedTuple):
    """How work is spread: joblib's backend, how many processes, where parts are kept, and who watches.

    `watch` is told how many parts are done, of how many, and which.
    """

    backend: str = "loky"
    jobs: int = -1
    store: str | os.PathLike[str] | None = None
    watch: Watch | None = None


def rows_of(
    work: Callable[..., list[Row]], cells: Sequence[tuple[Any, ...]], titles: Sequence[str], spread: Spread
) -> list[Row]:
    """The rows that `work` makes of each cell and of the store, in the order of the cells."""
    import joblib  # type: ignore[import-untyped]

    kept = Store(spread.store)
    parallel = joblib.Parallel(n_jobs=spread.jobs, backend=spread.backend, return_as="generator")
    found = parallel(joblib.delayed(work)(*cell, kept) for cell in cells)
    rows: list[Row] = []
    for done, (title, own) in enumerate(zip(titles, found, strict=True)):
        if spread.watch is not None:
            spread.watch(done + 1, len(cells), title)
        rows.extend(own)
    return rows
