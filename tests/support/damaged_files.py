"""Damaged files of every format for every reader: each gives rows, or one sentence that says what is wrong.

    python tests/support/damaged_files.py --inputs 100000

prints how many there were of each outcome, and the inputs that did something else.
"""

import argparse
import csv
import gzip
import io
import json
import pathlib
import resource
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import pyarrow
import pyarrow.parquet
import scipy.sparse as sp

import askance
from askance.data import add_reading, read, read_for_model, read_pairs, read_ratings, read_table
from askance.errors import AskanceError, DataWarning
from customer_table import COLUMNS, customers

SECONDS = 120  # that one input may take on a busy machine
ROOM = 1 << 30  # bytes that one input may take
LONGEST = 600  # characters of a sentence
ROWS = 30
CHUNK_ROWS = 7

# Cells as people and programs write them, and as nobody should.
CELLS = (
    "", " ", "NA", "?", "NaN", "null", "inf", "-inf", "1e999", "-0", "1e-400", "1_000", "1,234", "3,5", "0x1F",
    "١٢", "9" * 400, "2024-02-30", "2024-01-01T25:00", "31/12/99", "true", "Ünïcôdé 你好", "\u202eabc", "\ufeff",
    "x" * 5000, "'", '"', '""', "=1+1", "[1]", '{"a": 1}', "1:2", "a:b", "#", "\\N", "\0", "\x1b[2J", "-", "+",
    ".", "1.", "%", "10%",
)  # fmt: skip
PIECES = (
    b"\0", b"\xff", b"\xef\xbb\xbf", b"\xff\xfe", b'"', b"\n", b"\r", b"\r\n\r\n", b",", b";", b"\t", b"{", b"[",
    b"]}", b"\\", b"\\ud800", b"nan", b"Infinity", b"-", b"1e999", b":", b" : ", b"#", b"qid:", b"4294967296:1",
    b"-1:1", b"9999999999999999999:1", b"\xed\xa0\x80", b"PK\x03\x04", b"PAR1", b"\x1f\x8b", b"[" * 3000,
    b"," * 3000,
)  # fmt: skip


class Seed(NamedTuple):
    """A sound file: its name, its content, and the delimiter of its cells if it is a table of text."""

    name: str
    content: bytes
    delimiter: str = ""


class Outcome(NamedTuple):
    """What became of an input: `rows`, `error`, or what should not happen."""

    kind: str
    said: str


def table(delimiter: str, header: bool = True) -> bytes:
    """The customers as text."""
    found = io.StringIO()
    writer = csv.DictWriter(found, COLUMNS, delimiter=delimiter)
    if header:
        writer.writeheader()
    writer.writerows(customers(ROWS))
    return found.getvalue().encode()


def archive(**arrays: Any) -> bytes:
    """A NumPy archive."""
    found = io.BytesIO()
    np.savez_compressed(found, **arrays)
    return found.getvalue()


def parquet() -> bytes:
    """The customers as Parquet."""
    found = io.BytesIO()
    columns = {name: [record[name] for record in customers(ROWS)] for name in COLUMNS}
    columns["age"] = [None if value == "" else value for value in columns["age"]]
    pyarrow.parquet.write_table(pyarrow.table(columns), found, row_group_size=8)
    return found.getvalue()


def sparse_lines() -> bytes:
    """Rows in the format of svmlight."""
    rng = np.random.default_rng(1)
    lines = []
    for _ in range(ROWS):
        places = np.sort(rng.choice(50, 5, replace=False)) + 1
        lines.append(f"{rng.integers(2)} " + " ".join(f"{place}:{rng.normal():.3f}" for place in places))
    return "\n".join([*lines, "# the end", ""]).encode()


def seeds() -> list[Seed]:
    """Sound files of every format."""
    objects = "".join(json.dumps({**each, "tags": ["a", {"b": 1}], "ok": True}) + "\n" for each in customers(ROWS))
    texts = "".join(
        json.dumps({"text": each["comment"], "label": each["label"]}) + "\n" for each in customers(ROWS)
    )
    numbers = "a,b,label\n" + "".join(f"{n},{n / 7},{n % 2}\n" for n in range(ROWS))
    matrix = sp.random(9, 7, 0.4, "csr", random_state=2)
    parts = {"data": matrix.data, "indices": matrix.indices, "indptr": matrix.indptr, "shape": matrix.shape}
    rated = "user,item,rating\n" + "".join(f"u{n % 5},{n % 7},{n % 5 + 1}\n" for n in range(ROWS))
    plain = [
        Seed("a.csv", table(","), ","),
        Seed("a.csv", table(";"), ";"),
        Seed("a.tsv", table("\t"), "\t"),
        Seed("a.csv", numbers.encode(), ","),
        Seed("ratings.csv", rated.encode(), ","),
        Seed(
            "u.data", b"".join(b"%d\t%d\t%d\t881250949\n" % (n % 5, n % 7, n % 5 + 1) for n in range(ROWS)), "\t"
        ),
        Seed(
            "ratings.dat",
            b"".join(b"%d::%d::%d::978300760\n" % (n % 5, n % 7, n % 5 + 1) for n in range(ROWS)),
            ":",
        ),
        Seed("a.jsonl", objects.encode()),
        Seed("a.jsonl", texts.encode()),
        Seed("a.svm", sparse_lines(), " "),
    ]
    packed = [Seed(f"{name}.gz", gzip.compress(content, mtime=0), between) for name, content, between in plain]
    return [
        *plain,
        *packed,
        Seed("a.npz", archive(X=np.arange(18.0).reshape(9, 2), y=["a", "b", "a"] * 3)),
        Seed("a.npz", archive(**parts, y=[0, 1, 1] * 3)),
        Seed("ratings.npz", archive(users=[1, 2, 3], items=[4, 5, 6], ratings=[1.0, 2.0, 5.0])),
        Seed("a.parquet", parquet()),
    ]


# ---------------------------------------------------------------------- damage


def damaged(seed: Seed, rng: np.random.Generator) -> bytes:
    """The content of a file with a few things wrong, such as happen to files, and such as nobody has seen."""
    if seed.name.endswith(".gz") and rng.random() < 0.7:  # damaged before it was packed
        inside = seed._replace(name=seed.name.removesuffix(".gz"), content=gzip.decompress(seed.content))
        return gzip.compress(damaged(inside, rng), 1, mtime=0)
    content = seed.content
    for _ in range(min(rng.geometric(0.6), 6)):
        kinds = [_changed, _cut, _removed, _inserted, _repeated]
        if not seed.name.endswith((".gz", ".npz", ".parquet")):
            kinds += [_recoded, _lines_moved]
            if seed.delimiter:
                kinds += [_cell_replaced] * 5 + [_cell_added]
        content = kinds[rng.integers(len(kinds))](content, seed, rng)
    return content


def _place(content: bytes, rng: np.random.Generator) -> int:
    return int(rng.integers(len(content) + 1))


def _changed(content: bytes, _seed: Seed, rng: np.random.Generator) -> bytes:
    place = _place(content, rng)
    return content[:place] + bytes([rng.integers(256)]) + content[place + 1 :]


def _cut(content: bytes, _seed: Seed, rng: np.random.Generator) -> bytes:
    return content[: _place(content, rng)]


def _removed(content: bytes, _seed: Seed, rng: np.random.Generator) -> bytes:
    place = _place(content, rng)
    return content[:place] + content[place + int(rng.integers(1, 60)) :]


def _inserted(content: bytes, _seed: Seed, rng: np.random.Generator) -> bytes:
    place = _place(content, rng)
    return content[:place] + PIECES[rng.integers(len(PIECES))] + content[place:]


def _repeated(content: bytes, _seed: Seed, rng: np.random.Generator) -> bytes:
    place = _place(content, rng)
    return content[:place] + content[max(0, place - int(rng.integers(1, 300))) :]


def _recoded(content: bytes, _seed: Seed, rng: np.random.Generator) -> bytes:
    """Another encoding, or other ends of lines."""
    text = content.decode(errors="replace")
    ways: list[Callable[[], bytes]] = [
        lambda: text.encode("utf-16"),
        lambda: text.encode("utf-8-sig"),
        lambda: text.encode("latin-1", errors="replace"),
        lambda: content.replace(b"\n", b"\r\n"),
        lambda: content.replace(b"\n", b"\r"),
    ]
    return ways[rng.integers(len(ways))]()


def _lines_moved(content: bytes, _seed: Seed, rng: np.random.Generator) -> bytes:
    """A line lost, doubled, or in another place, the header among them."""
    lines = content.split(b"\n")
    line = lines.pop(int(rng.integers(len(lines))))
    for _ in range(rng.integers(3)):
        lines.insert(int(rng.integers(len(lines) + 1)), line)
    return b"\n".join(lines)


def _cell_replaced(content: bytes, seed: Seed, rng: np.random.Generator) -> bytes:
    return _cell(content, seed, rng, 1)


def _cell_added(content: bytes, seed: Seed, rng: np.random.Generator) -> bytes:
    return _cell(content, seed, rng, 0)


def _cell(content: bytes, seed: Seed, rng: np.random.Generator, replaced: int) -> bytes:
    """Another cell in one line, or in the same place of all lines from there on."""
    between = seed.delimiter.encode()
    lines = content.split(b"\n")
    first = int(rng.integers(len(lines)))
    last = len(lines) if rng.random() < 0.2 else first + 1
    column, cell = int(rng.integers(1 + lines[first].count(between))), CELLS[rng.integers(len(CELLS))].encode()
    for place in range(first, last):
        cells = lines[place].split(between)
        cells[column : column + replaced] = [cell]
        lines[place] = between.join(cells)
    return b"\n".join(lines)


# ---------------------------------------------------------------------- readers


class StandardInput(io.BytesIO):
    """Bytes with the name that Python gives to standard input."""

    name = "<stdin>"


class Readers:
    """The readers, two of them for models that have learned from sound files."""

    def __init__(self, directory: pathlib.Path) -> None:
        self.directory = directory
        (directory / "sound.csv").write_bytes(table(","))
        self.models = {
            name: self._model(name, reader(directory / "sound.csv"))
            for name, reader in {"columns": read, "kinds": read_table}.items()
        }
        self.all: dict[str, Callable[[pathlib.Path], Any]] = {
            "read": lambda path: read(path, chunk_rows=CHUNK_ROWS),
            "read, without labels": lambda path: read(path, label=False, chunk_rows=CHUNK_ROWS),
            "read_table": lambda path: read_table(path, chunk_rows=CHUNK_ROWS),
            "read_table, without labels": lambda path: read_table(path, label=False, chunk_rows=CHUNK_ROWS),
            "read_for_model": lambda path: read_for_model(self.models["columns"], path, chunk_rows=CHUNK_ROWS),
            "read_for_model, by kinds": lambda path: read_for_model(self.models["kinds"], path, label=False),
            "read from a pipe": lambda path: self._piped(read, path),
            "read_table from a pipe": lambda path: self._piped(read_table, path),
            "read_ratings": read_ratings,
            "read_pairs": read_pairs,
        }

    def _model(self, name: str, stream: Any) -> pathlib.Path:
        path = self.directory / f"{name}.model"
        list(stream)
        askance.make("PAA-II").partial_fit(np.eye(2), ["leaves", "stays"]).save(path)
        add_reading(path, stream)
        return path

    @staticmethod
    def _piped(reader: Callable[..., Any], path: pathlib.Path) -> Any:
        sys.stdin = io.TextIOWrapper(StandardInput(path.read_bytes()))
        return reader("-", chunk_rows=CHUNK_ROWS)

    def outcome(self, reader: str, name: str, content: bytes) -> Outcome:
        """What a reader makes of a file."""
        path = self.directory / name
        path.write_bytes(content)
        keyboard = sys.stdin
        try:
            with warnings.catch_warnings(), _limited():
                warnings.simplefilter("error")
                warnings.simplefilter("ignore", DataWarning)
                found = self.all[reader](path)
                if reader in ("read_ratings", "read_pairs"):
                    return _ratings(found)
                return _rows(found)
        except AskanceError as error:
            return _error(str(error), "standard input" if "pipe" in reader else name)
        except Exception as error:  # what this is looking for
            return Outcome(f"{type(error).__name__}", str(error)[:LONGEST])
        finally:
            sys.stdin = keyboard


@contextmanager
def _limited() -> Iterator[None]:
    """Raise TimeoutError if the block takes long; what takes much memory has a MemoryError."""

    def late(*_: object) -> None:
        raise TimeoutError(f"more than {SECONDS} seconds")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _error(said: str, name: str) -> Outcome:
    if "\n" in said or len(said) > LONGEST or name not in said:
        return Outcome("unclear error", said)
    return Outcome("error", said)


def _ratings(found: Any) -> Outcome:
    sound = len(found.users) == len(found.items) and (found.ratings is None or np.isfinite(found.ratings).all())
    return Outcome("rows" if sound else "unsound rows", "")


def _rows(stream: Any) -> Outcome:
    count = 0
    for X, y, progress, _ids in stream:
        parts = [X.dense, X.sparse] if hasattr(X, "dense") else [X]
        for part in parts:
            count += part.shape[0]
            finite = np.isfinite(part.data if sp.issparse(part) else part).all()
            if not finite or (y is not None and part.shape[0] != len(y)) or not 0 <= progress <= 1:
                return Outcome("unsound rows", repr((X, y, progress)))
    return Outcome("rows" if count else "no rows", "")


def outcomes(
    directory: pathlib.Path, inputs: int, random_state: int = 0
) -> Iterator[tuple[str, str, bytes, Outcome]]:
    """Readers, names, damaged contents and what became of them, every reader with every format in turn."""
    readers, files, rng = Readers(directory), seeds(), np.random.default_rng(random_state)
    pairs = [(reader, seed) for seed in files for reader in readers.all]
    pairs = [pair for pair in pairs if _fit(*pair)]
    for number in range(inputs):
        reader, seed = pairs[number % len(pairs)]
        content = damaged(seed, rng)
        yield reader, seed.name, content, readers.outcome(reader, seed.name, content)


def _fit(reader: str, seed: Seed) -> bool:
    """Whether a reader may meet such a file: of others, it would only say that they are not what it reads."""
    has_ratings = b"rating" in seed.content or seed.name.startswith(("u.data", "ratings"))
    if "pipe" in reader:
        return not has_ratings and not seed.name.endswith(("npz", "parquet"))
    return has_ratings == (reader in ("read_ratings", "read_pairs"))


def main() -> int:
    """Try many inputs and print what became of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=pathlib.Path, help="a directory for the inputs that did something else")
    options = parser.parse_args()
    counts: Counter[tuple[str, str]] = Counter()
    wrong, sentences, longest = 0, set(), 0.0
    begun = last = time.perf_counter()
    with tempfile.TemporaryDirectory() as directory:
        used = int(pathlib.Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + ROOM, resource.RLIM_INFINITY))
        for reader, name, content, outcome in outcomes(pathlib.Path(directory), options.inputs, options.seed):
            now = time.perf_counter()
            longest, last = max(longest, now - last), now
            counts[reader, outcome.kind] += 1
            if outcome.kind == "error":
                sentences.add("".join(letter for letter in outcome.said if letter.isalpha())[:60])
            if outcome.kind in ("rows", "error"):
                continue
            wrong += 1
            if wrong <= 40:
                print(f"{outcome.kind} of {reader} on {name}: {outcome.said[:300]}", flush=True)
            if options.keep is not None:
                (options.keep / f"{wrong}-{reader.replace(' ', '_')}-{name}").write_bytes(content)
    for (reader, kind), count in sorted(counts.items()):
        print(f"{reader:28} {kind:20} {count:8,}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{options.inputs:,} inputs in {time.perf_counter() - begun:.0f} s, the longest {longest:.2f} s; ", end=""
    )
    print(f"{len(sentences):,} sentences; {peak:.0f} MB at the peak; {wrong:,} did something else")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
