"""Work spread over processes, with someone who watches how far it is."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

Watch = Callable[[int, int, str], None]


def in_parallel(
    work: Callable[..., Any],
    cells: Sequence[tuple[Any, ...]],
    titles: Sequence[str],
    backend: str,
    jobs: int,
    watch: Watch | None,
) -> Iterator[Any]:
    """What `work` makes of each cell, in their order; `watch` is told how many are done, of how many, which."""
    import joblib  # type: ignore[import-untyped]

    parallel = joblib.Parallel(n_jobs=jobs, backend=backend, return_as="generator")
    found = parallel(joblib.delayed(work)(*cell) for cell in cells)
    for done, (title, one) in enumerate(zip(titles, found, strict=True)):
        if watch is not None:
            watch(done + 1, len(cells), title)
        yield one
