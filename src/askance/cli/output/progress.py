"""A progress bar, or figures, on stderr, where that is a terminal."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from askance.data.stream import Chunk, Stream, Tell


@contextmanager
def progress(title: str) -> Iterator[Tell]:
    """A bar for as long as the work lasts; it leaves nothing on the screen."""
    if not sys.stderr.isatty():
        yield lambda _share: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True, markup=False), transient=True) as bar:
        task = bar.add_task(title, total=1.0)
        yield lambda share: bar.update(task, completed=share)


@contextmanager
def figures(title: str) -> Iterator[Callable[[str], None]]:
    """A line of figures for work of unknown length; it leaves nothing on the screen."""
    if not sys.stderr.isatty():
        yield lambda _text: None
        return
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True, markup=False).status(Text(title)) as status:
        yield lambda text: status.update(Text(f"{title}  {text}", no_wrap=True, overflow="ellipsis"))


@dataclass(frozen=True)
class Watched:
    """A stream that tells how much of it has been read."""

    stream: Stream
    tell: Tell

    @property
    def name(self) -> str:
        """What the stream is called."""
        return self.stream.name

    def __iter__(self) -> Iterator[Chunk]:
        for chunk in self.stream:
            yield chunk
            self.tell(chunk.progress)
