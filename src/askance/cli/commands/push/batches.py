"""Batches from something that comes slowly: whatever is there goes on soon, full batch or not."""

import queue
import threading
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")
LONGEST_WAIT = 0.2


class _End:
    """The end of what comes, and why if it is a fault."""

    def __init__(self, fault: BaseException | None = None) -> None:
        self.fault = fault


def in_time(coming: Iterable[T], size: int, wait: float = LONGEST_WAIT) -> Iterator[list[T]]:
    """Batches of at most `size`, none of whose members waits longer than `wait` seconds for the others.

    A fault of what comes is raised after the batch before it was given.
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
            if end.fault is not None:
                raise end.fault
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
    except BaseException as fault:
        arrived.put(_End(fault))
    else:
        arrived.put(_End())
