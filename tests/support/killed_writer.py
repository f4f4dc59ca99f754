"""Appends to a store and prints each seq that is on disk, until it is killed: `python killed_writer.py URL`.

For every line on stdin there is a new child, because importing everything again takes longer than all the rest.
"""

import itertools
import os
import sys

from askance.service.store import Entry, open_store
from askance.service.store.opening import is_postgres

AT_ONCE = 3


def main(url: str) -> None:
    if is_postgres(url):
        import askance.service.store.postgres  # noqa: F401 - once, not in every child

    for _ in sys.stdin:
        parent, child = os.getpid(), os.fork()
        if child == 0:
            append_until_alone(url, parent)
            os._exit(0)
        tell(f"started {child}")
        os.waitpid(child, 0)
        tell("ended")


def append_until_alone(url: str, parent: int) -> None:
    """Append as long as the parent lives."""
    store = open_store(url)
    first = store.last(1) + 1
    for start in itertools.count(first, AT_ONCE):
        if os.getppid() != parent:
            return
        seqs = range(start, start + AT_ONCE)
        store.append(1, [Entry(seq, 1.0, "item", seq, f"k{seq}", None, b"x" * 300) for seq in seqs])
        tell(str(seqs[-1]))


def tell(line: str) -> None:
    """Print a line in one piece, as two processes print. `print` does not if PYTHONUNBUFFERED is set."""
    os.write(1, f"{line}\n".encode())


if __name__ == "__main__":
    main(sys.argv[1])
