"""What `askance data info` says about columns of very different size."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from askance.data.stream import Chunk, Stream
from askance.learners.inputs import unlike_columns


@dataclass
class SizesNoted:
    """A stream that is watched while it is read. `notes` are about the first rows, as learners see them."""

    stream: Stream
    notes: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The name of the stream."""
        return self.stream.name

    def __iter__(self) -> Iterator[Chunk]:
        for number, chunk in enumerate(self.stream):
            found = unlike_columns(chunk.X) if number == 0 else None
            if found is not None:
                sizes = found.partition(":")[0]
                self.notes.append(
                    f"{sizes[:1].upper()}{sizes[1:]}: askance run scales them itself; with an algorithm of the "
                    "catalog, pass --scaling standard."
                )
            yield chunk
