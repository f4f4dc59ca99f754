"""Files in the svmlight format, also used by LIBSVM, as streams in constant memory.

A line is `label index:value index:value ... # comment`. Worker threads take turns in reading a block of whole
lines and scan their blocks in parallel. The chunks are in the order of the file.
"""

import contextlib
import importlib
import itertools
import os
import re
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike, NDArray

from askance.data.files import AT_ONCE, INPUT_NAME, reason, shown, stem
from askance.data.stream import Chunk
from askance.errors import DataError
from askance.jit.kernels import svmlight_scan as scanner
from askance.typing import FloatArray

BLOCK_BYTES = 1 << 22
MOST_THREADS = 4  # more would wait for each other while reading
# A file without line ends, such as a binary one, would otherwise be read into memory as a whole.
LONGEST_LINE = 1 << 28
# The first bytes of compressed files, and the modules of the standard library that decompress them.
PACKERS = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\xfd7zXZ": "lzma"}

NEWLINE = b"\n"
TOKEN = re.compile(rb"[^ \t\r\n#]*")
# What a line has before its first feature: one word, which must be a number or several if no feature follows.
BEFORE_FEATURES = re.compile(
    rb"^[ \t]*(?:[^\s:#]+(?=[ \t]+[^\s:#]+:)|[-+.,\deE]+(?=[\s#])|(?=[^\s:#]+:))", re.MULTILINE
)

WRONG = {
    scanner.BAD_LABEL: "the label {token} is not a finite number: begin the line with one",
    scanner.BAD_FEATURE: "{token} is not of the form index:value: correct or remove it",
    scanner.BAD_VALUE: "the value in {token} is not a finite number: correct or remove it",
    scanner.UNORDERED: "the index in {token} does not exceed the one before: sort the line and join duplicates",
    scanner.ZERO_INDEX: "{token} has the index 0, though indices count from 1: pass zero_based=True",
    scanner.HUGE_INDEX: "the index in {token} is larger than 2**31 - 1: renumber the features or hash them",
    scanner.HUGE_NUMBER: "the number in {token} is too large for {dtype}: scale it or set a wider dtype",
    scanner.BAD_END: "a carriage return is not followed by a newline: convert the line ends",
}
SEVERAL_LABELS = "{token} has several labels: give one label per line"
TOO_LONG = "is longer than {size} MiB: check that this is a text file"
DAMAGED = "the data after this line are damaged or cut off ({reason}): download or create the file again"


class Cut(NamedTuple):
    """The size of the next block in the buffer of a worker, or why it could not be read."""

    number: int
    size: int
    progress: float
    error: str


class Block(NamedTuple):
    """The rows of a block and how they join the rows before. `error` says what is wrong after its lines."""

    number: int
    X: tuple[NDArray[Any], NDArray[np.int32], NDArray[np.int32]]
    y: FloatArray
    width: int
    lines: int
    progress: float
    error: str


@dataclass(frozen=True)
class SvmlightStream:
    """A svmlight file; `read_svmlight` documents the fields."""

    source: Path | BinaryIO
    dtype: np.dtype[Any]
    zero_based: bool
    block_bytes: int
    threads: int
    prompt: bool = False
    labels: bool = True

    @property
    def name(self) -> str:
        """The name of the file without its extensions."""
        return stem(self.source) if isinstance(self.source, Path) else self.place

    @property
    def widens(self) -> bool:
        """Whether a first pass over the file finds how wide its rows become."""
        return isinstance(self.source, Path)

    @property
    def place(self) -> str:
        """The name of the file in messages."""
        name = self.source if isinstance(self.source, Path) else getattr(self.source, "name", None)
        if name == "<stdin>":  # Python's name
            return str(INPUT_NAME)
        return str(name) if isinstance(name, str | Path) else "the stream"

    def __iter__(self) -> Iterator[Chunk]:
        read, lines, width = 0, 0, 0
        with self._opened() as file, contextlib.closing(self._blocks(file)) as blocks:
            for block in blocks:
                lines += block.lines
                if block.error:
                    # zero_based is the only parameter that a remedy names
                    raise DataError(f"{self.place}, line {lines + 1}: {block.error}", parameter="zero_based")
                width = max(width, block.width)
                if len(block.y):
                    read += len(block.y)
                    y = block.y if self.labels else None
                    yield Chunk(sp.csr_array(block.X, shape=(len(block.y), width)), y, block.progress)
        if not read:
            raise DataError(f"{self.place}: has no rows: check how it was created (a pipe can be read only once)")

    @contextlib.contextmanager
    def _opened(self) -> Iterator[BinaryIO]:
        if not isinstance(self.source, Path):
            yield self.source
            return
        try:
            file = self.source.open("rb")
        except (OSError, ValueError) as error:
            raise _cannot_open(self.source, error) from error
        with file:
            yield file

    def _blocks(self, file: BinaryIO) -> Generator[Block, None, None]:
        """The blocks in order. `threads` of them are being scanned while as many are waiting."""
        cutter = Cutter(file, prompt=self.prompt)
        idle = [Buffers(self.block_bytes, self.dtype, labels=self.labels) for _ in range(self.threads)]

        def work() -> Block | None:
            buffers = idle.pop()
            try:
                cut = cutter.cut(buffers)
                return cut and buffers.block(cut, 0 if self.zero_based else 1)
            finally:
                idle.append(buffers)

        pool = ThreadPoolExecutor(self.threads, thread_name_prefix="svmlight")
        try:
            yield from _in_order(pool, work, 2 * self.threads)
        finally:
            pool.shutdown(cancel_futures=True)


def read_svmlight(
    source: str | os.PathLike[str] | BinaryIO,
    *,
    dtype: DTypeLike = np.float32,
    zero_based: bool = False,
    block_bytes: int = BLOCK_BYTES,
    threads: int | None = None,
    prompt: bool = False,
    labels: bool = True,
) -> SvmlightStream:
    """Read a svmlight file as sparse chunks.

    Each line has one finite label and strictly ascending indices. Query numbers (`qid:7`) and comments are
    ignored.

    Parameters
    ----------
    source : str, os.PathLike or binary file
        A path, "-" for standard input, or a file opened for reading bytes. gzip, bz2 and xz are decompressed. A
        pipe can be read only once, and its progress is 0 until the last chunk.
    dtype : {"float32", "float64"}, default: "float32"
        Type of the values. They are rounded to the nearest float64 first, then to float32.
    zero_based : bool, default: False
        Whether the first feature has the index 0. The format says 1, and this cannot be detected before the end of
        a file; an unexpected index 0 is an error.
    block_bytes : int, default: 4 MiB
        The size of the text of a chunk. A longer line is a chunk of its own.
    threads : int or None, default: None
        Number of threads that scan. None means one per processor, up to four.
    prompt : bool, default: False
        Whether the rows of a pipe come as they arrive, instead of in chunks of `block_bytes`.
    labels : bool, default: True
        Whether to read labels. Without, lines may begin with anything: a label, several of them, or the first
        feature.

    Returns
    -------
    stream : SvmlightStream

    Raises
    ------
    askance.errors.DataError
        If the file or an option cannot be used.
    """
    if dtype not in ("float32", "float64", np.float32, np.float64):
        raise DataError(f"dtype={shown(dtype)}: give float32 or float64", parameter="dtype")
    if threads is None:
        # Of several threads, one would wait for the next block while another has the first.
        threads = 1 if prompt else min(os.cpu_count() or 1, MOST_THREADS)
    for option, number in (("block_bytes", block_bytes), ("threads", threads)):
        if not isinstance(number, int) or number < 1:
            raise DataError(f"{option}={shown(number)}: give a whole number, 1 or more")
    return SvmlightStream(_checked(source), np.dtype(dtype), zero_based, block_bytes, threads, prompt, labels)


def _checked(source: str | os.PathLike[str] | BinaryIO) -> Path | BinaryIO:
    """A source that exists. Its content is checked when it is read."""
    if source == "-":
        return sys.stdin.buffer
    if not isinstance(source, str | os.PathLike):
        return source
    path = Path(source)
    try:
        path.stat()
    except (OSError, ValueError) as error:
        raise _cannot_open(path, error) from error
    if path.is_dir():
        raise DataError(f"{path}: is a directory: give the path of one file in it")
    return path


def _cannot_open(path: Path, error: Exception) -> DataError:
    if isinstance(error, FileNotFoundError):
        return DataError(f"{path}: there is no such file: check the path")
    return DataError(f"{str(path)!r}: cannot be opened ({reason(error)}): check path and permissions")


def _in_order(pool: ThreadPoolExecutor, work: Callable[[], Block | None], ahead: int) -> Iterator[Block]:
    """Keep `ahead` blocks in progress and return them in order: workers may overtake each other."""
    under_way = deque(pool.submit(work) for _ in range(ahead))
    early: dict[int, Block] = {}
    for number in itertools.count():
        while under_way and number not in early:
            block = under_way.popleft().result()
            if block is not None:
                early[block.number] = block
                under_way.append(pool.submit(work))
        if number not in early:
            return
        yield early.pop(number)


class Cutter:
    """Cuts a file into blocks of whole lines, for workers that take turns."""

    def __init__(self, file: BinaryIO, *, prompt: bool = False) -> None:
        self._packed = file
        self._prompt = prompt
        self._size = _size_from_start(file)
        self._file: Any = None
        self._rest = b""
        self._number = -1
        self._ended = False
        self._turn = threading.Lock()

    def cut(self, buffers: "Buffers") -> Cut | None:
        """Read the next block into the text of `buffers`; None at the end of the file."""
        with self._turn:
            if self._ended:
                return None
            size, error = self._fill(buffers)
            self._ended |= bool(error)
            self._number += 1
            return Cut(self._number, size, self._progress(), error)

    def _fill(self, buffers: "Buffers") -> tuple[int, str]:
        size = len(self._rest)
        buffers.make_room(size + 1)
        buffers.text[:size] = self._rest
        end = 0
        while not end and not self._ended:
            if size > LONGEST_LINE:
                return 0, TOO_LONG.format(size=LONGEST_LINE >> 20)
            buffers.make_room(size + 1)
            try:
                size += self._read(memoryview(buffers.text)[size : buffers.size])
            except Exception as error:  # each decompressor has its own errors
                return 0, DAMAGED.format(reason=reason(error))
            end = buffers.text.rfind(NEWLINE, 0, size) + 1
        if self._ended and end < size:
            buffers.text[size : size + 1] = NEWLINE
            size += 1
            end = size
        self._rest = bytes(memoryview(buffers.text)[end:size])
        return end, ""

    def _read(self, room: memoryview) -> int:
        """Fill the buffer as far as the file reaches, or with what has arrived if that is enough."""
        if self._file is None:
            self._file = _unpacked(self._packed)
        size = 0
        while size < len(room) and not self._ended:
            got = self._take(room) if self._prompt else self._file.readinto(room[size:])
            self._ended = not got
            size += got
            if self._prompt:
                break
        return size

    def _take(self, room: memoryview) -> int:
        """Take what has arrived. `readinto1` would wait for more after what has been looked at."""
        arrived = self._file.read1(min(len(room), AT_ONCE))
        room[: len(arrived)] = arrived
        return len(arrived)

    def _progress(self) -> float:
        if self._ended:
            return 1.0
        return min(1.0, self._packed.tell() / self._size) if self._size else 0.0


def _size_from_start(file: BinaryIO) -> int:
    """Go to the start of the file; returns its size, or 0 if it has none, like a pipe."""
    with contextlib.suppress(OSError):
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
        return size
    return 0


def _unpacked(file: BinaryIO) -> Any:
    """The file, or a decompressor if its first bytes are those of a compressed file."""
    longest = max(map(len, PACKERS))
    if file.seekable():
        start = file.read(longest)
        file.seek(0)
    else:
        start = file.peek(longest) if hasattr(file, "peek") else b""
    for mark, module in PACKERS.items():
        if start.startswith(mark):
            return importlib.import_module(module).open(file)
    return file


class Buffers:
    """The memory of a worker, which is used for one block after another."""

    def __init__(self, size: int, dtype: np.dtype[Any], *, labels: bool = True) -> None:
        self.size = size
        self._labels = labels
        self.text = bytearray(size + scanner.PADDING)
        self._dtype = dtype
        self._rows = _room_for_rows(size, dtype)

    def make_room(self, size: int) -> None:
        """Grow to at least `size` bytes of text, and keep the text."""
        while self.size < size:
            self.size *= 2
            self.text = bytearray(self.text[: -scanner.PADDING]).ljust(self.size + scanner.PADDING, b"\0")
            self._rows = _room_for_rows(self.size, self._dtype)

    def block(self, cut: Cut, first_index: int) -> Block:
        """Scan the text of a block."""
        size = cut.size if self._labels else self._without_labels(cut.size)
        # Without compilation, the integer overflow that the scanner relies on would warn.
        with np.errstate(over="ignore"):
            found = scanner.scan(np.frombuffer(self.text, np.uint8), np.uint64(size), first_index, self._rows)
            position, wrong = self._decide(found.undecided) or (found.position, found.fault)
        labels, starts, columns, values, _ = self._rows
        return Block(
            number=cut.number,
            X=(values[: found.nonzeros].copy(), columns[: found.nonzeros].copy(), starts[: found.rows + 1].copy()),
            y=labels[: found.rows].copy(),
            width=found.width,
            lines=self.text.count(NEWLINE, 0, position) if wrong else found.lines,
            progress=cut.progress,
            error=cut.error or (self._complaint(wrong, position) if wrong else ""),
        )

    def _without_labels(self, size: int) -> int:
        """Put a label that can be read in place of what each line has; returns the new size of the text."""
        text = BEFORE_FEATURES.sub(b"0 ", bytes(memoryview(self.text)[:size]))
        self.make_room(len(text))
        self.text[: len(text)] = text
        return len(text)

    def _decide(self, count: int) -> tuple[int, int] | None:
        """Convert the numbers that the scanner left open; returns position and error of the first infinite one."""
        for slot, position in self._rows.undecided[:count].tolist():
            number = float(self._token(position).rpartition(b":")[2])
            numbers, place = (self._rows.labels, -1 - slot) if slot < 0 else (self._rows.values, slot)
            numbers[place] = number
            if not np.isfinite(numbers[place]):
                return position, scanner.BAD_LABEL if slot < 0 else scanner.HUGE_NUMBER
        return None

    def _complaint(self, wrong: int, position: int) -> str:
        token = self._token(position)
        several = wrong == scanner.BAD_LABEL and b"," in token
        sentence = SEVERAL_LABELS if several else WRONG[wrong]
        return sentence.format(token=shown(token.decode("latin-1")), dtype=self._dtype)

    def _token(self, position: int) -> bytes:
        match = TOKEN.match(self.text, position)
        return match.group() if match else b""


def _room_for_rows(size: int, dtype: np.dtype[Any]) -> scanner.Rows:
    """Arrays for all rows that this much text can have. Memory that is never touched costs little."""
    return scanner.Rows(
        labels=np.empty(size // scanner.ROW_BYTES + 1),
        starts=np.empty(size // scanner.ROW_BYTES + 2, dtype=np.int32),
        columns=np.empty(size // scanner.FEATURE_BYTES + 1, dtype=np.int32),
        values=np.empty(size // scanner.FEATURE_BYTES + 1, dtype=dtype),
        undecided=np.empty((size // scanner.UNDECIDED_BYTES + 1, 2), dtype=np.int64),
    )
