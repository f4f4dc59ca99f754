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
        child = os.fork()
        if child == 0:
            append_for_ever(url)
        print(f"started {child}", flush=True)
        os.waitpid(child, 0)
        print("ended", flush=True)


def append_for_ever(url: str) -> None:
    store = open_store(url)
    first = store.last(1) + 1
    for start in itertools.count(first, AT_ONCE):
        seqs = range(start, start + AT_ONCE)
        store.append(1, [Entry(seq, 1.0, "item", seq, f"k{seq}", None, b"x" * 300) for seq in seqs])
        os.write(1, f"{seqs[-1]}\n".encode())


if __name__ == "__main__":
    main(sys.argv[1])
