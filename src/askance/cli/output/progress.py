"""A progress bar on stderr, if that is a terminal."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from askance._util.progress import Progress
from askance.cli.output.console import is_quiet
from askance.data.stream import Chunk, Stream

STEPS = 10_000  # of a stream, whose chunks know only which share of it has been read


@contextmanager
def progress(title: str) -> Iterator[Progress]:
    """A bar while the work lasts, or a line of text if its length is unknown; both disappear at the end."""
    if is_quiet() or not sys.stderr.isatty():
        yield lambda _done, _total, _what: None
        return
    from rich import progress as bars
    from rich.console import Console

    columns = (
        bars.TextColumn("{task.description}", markup=False),
        bars.BarColumn(),
        bars.TaskProgressColumn(),
        bars.TimeRemainingColumn(),
    )
    with bars.Progress(*columns, console=Console(stderr=True, markup=False), transient=True) as bar:
        task = bar.add_task(title, total=1)

        def report(done: int, total: int | None, what: str) -> None:
            text = title if total is not None else f"{title}  {what}"
            bar.update(task, completed=done, total=total, description=text)

        yield report


def shares(report: Progress) -> Callable[[float], None]:
    """A callback for functions that report the share that is done."""
    return lambda share: report(round(STEPS * share), STEPS, "")


@dataclass(frozen=True)
class Watched:
    """A stream that reports how much of it has been read, as part number `part` of `parts`."""

    stream: Stream
    report: Progress
    part: int = 0
    parts: int = 1

    @property
    def name(self) -> str:
        """The name of the stream."""
        return self.stream.name

    def __iter__(self) -> Iterator[Chunk]:
        for chunk in self.stream:
            yield chunk
            self.report(round(STEPS * (self.part + chunk.progress)), STEPS * self.parts, self.name)
