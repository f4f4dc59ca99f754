"""A line on stderr when machine code has to be compiled, which takes longer than most work."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from askance.cli.output.console import is_quiet
from askance.jit.interop import when_compiling

AUTO, NAMED = "about half a minute", "some seconds"
LINE = "askance: compiling for this machine, which takes {duration}. Later runs start at once."


@contextmanager
def compilation_announced(duration: str) -> Iterator[None]:
    """Say before the first compilation how long it takes. If all machine code is in the cache, say nothing."""
    with when_compiling(lambda: _write(LINE.format(duration=duration))):
        yield


def _write(line: str) -> None:
    if is_quiet():
        return
    # Not typer.echo, which would write into the line of the progress bar: the bar replaces sys.stderr.
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
