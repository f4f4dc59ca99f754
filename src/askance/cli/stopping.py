"""Stop on Ctrl-C after what is being done."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def stopped_by_signals() -> Iterator[threading.Event]:
    """Set by Ctrl-C or SIGTERM: what is being done is finished first."""
    event = threading.Event()
    before = {each: signal.signal(each, lambda *_: event.set()) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield event
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
