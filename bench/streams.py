"""The streams of a long measurement, one after the other or several at once in processes."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, TypeVar

from joblib import Parallel, delayed  # type: ignore[import-untyped]
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

Stream = TypeVar("Stream")
Result = TypeVar("Result")


def results_by_stream(
    work: Callable[[Stream], Iterable[Result]], streams: Sequence[Stream], jobs: int
) -> Iterator[Iterable[Result]]:
    """Yield the results of each stream, in order.

    With one job, they come one by one as they are found; with more, those of a stream come together.
    """
    with threadpool_limits(1):  # sums in linear algebra depend on its number of threads
        if jobs == 1:
            yield from map(work, streams)
        else:
            each = delayed(partial(_all_of, work))
            yield from Parallel(jobs, return_as="generator")(each(stream) for stream in streams)


def _all_of(work: Callable[[Any], Iterable[Any]], stream: Any) -> list[Any]:
    with threadpool_limits(1):
        return list(work(stream))
