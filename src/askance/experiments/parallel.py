"""Work spread over processes, with someone who watches how far it is."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

Watch = Callable[[int, int, str], None]


def in_parallel(
    work: Callable[..., Any], cells: Mapping[str, tuple[Any, ...]], backend: str, jobs: int, watch: Watch | None
) -> Iterator[Any]:
    """What `work` makes of each cell, in their order; `watch` is told how many are done, of how many, which."""
    import joblib  # type: ignore[import-untyped]

    parallel = joblib.Parallel(n_jobs=jobs, backend=backend, return_as="generator")
    found = parallel(joblib.delayed(work)(*arguments) for arguments in cells.values())
    for done, (title, one) in enumerate(zip(cells, found, strict=True)):
        if watch is not None:
            watch(done + 1, len(cells), title)
        yield one
