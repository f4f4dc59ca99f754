"""Batches from a slow source: a batch is sent after a short while even if it is not full."""

import queue
import threading
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")
LONGEST_WAIT = 0.2


class _End:
    """The end of the source, and the error that ended it, if any."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.error = error


def in_time(coming: Iterable[T], size: int, wait: float = LONGEST_WAIT) -> Iterator[list[T]]:
    """Yield batches of at most `size`, in which nothing waits longer than `wait` seconds.

    An error of the source is raised after the batch before it.
    """
    arrived: queue.Queue[T | _End] = queue.Queue(maxsize=4 * size)
    threading.Thread(target=_fetch, args=(coming, arrived), daemon=True).start()
    while True:
        first = arrived.get()
        batch: list[T] = []
        end = _gather(first, batch, arrived, size, wait)
        if batch:
            yield batch
        if end is not None:
            if end.error is not None:
                raise end.error
            return


def _gather(
    first: T | _End, batch: list[T], arrived: "queue.Queue[T | _End]", size: int, wait: float
) -> _End | None:
    deadline = time.monotonic() + wait
    one = first
    while not isinstance(one, _End):
        batch.append(one)
        if len(batch) == size:
            return None
        try:
            one = arrived.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            return None
    return one


def _fetch(coming: Iterable[T], arrived: "queue.Queue[T | _End]") -> None:
    try:
        for one in coming:
            arrived.put(one)
    except BaseException as error:
        arrived.put(_End(error))
    else:
        arrived.put(_End())
