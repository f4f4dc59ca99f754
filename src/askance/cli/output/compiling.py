"""A line on stderr when machine code has to be compiled, which takes longer than most work."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from askance.cli.output.console import is_quiet
from askance.jit.interop import cache_place, when_compiling

AUTO, NAMED = "about half a minute", "some seconds"
LINE = "askance: compiling for this machine, which takes {duration}. Later runs start at once."
AT_EVERY_START = (
    "askance: compiling for this machine, which takes {duration} at every start, because compiled code cannot be "
    "kept ({trouble}): set NUMBA_CACHE_DIR to a writable directory."
)


@contextmanager
def compilation_announced(duration: str) -> Iterator[None]:
    """Say before the first compilation how long it takes. If all machine code is in the cache, say nothing."""
    with when_compiling(lambda: _write(_line(duration))):
        yield


def _line(duration: str) -> str:
    trouble = cache_place().trouble
    return (LINE if trouble is None else AT_EVERY_START).format(duration=duration, trouble=trouble)


def _write(line: str) -> None:
    if is_quiet():
        return
    # Not typer.echo, which would write into the line of the progress bar: the bar replaces sys.stderr.
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
