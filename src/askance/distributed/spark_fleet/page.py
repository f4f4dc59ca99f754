"""A page of the state: the models of some keys, and what each key remembers of its last ids.

Spark hands one value of the state to Python in much the same time whatever its size, so some keys share a page.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.rules.rows import Row

# Of the bytes below, kept beside them in the state; raise it when they change, and teach `unpack` the older ones.
VERSION = 1

# What became of an id: the row waits for its label, was not asked for, was learned; or its label came first.
WAITING, UNASKED, LEARNED, EARLY = "wule"


class Remembered(NamedTuple):
    """What a key remembers of an id."""

    fate: str
    round: int = -1
    probability: float = 1.0
    row: Row | None = None  # of those that wait
    label: str | None = None  # of those that came early


# Most ids are of these two kinds, and of those nothing else is known.
SPENT = {fate: Remembered(fate) for fate in (UNASKED, LEARNED)}


@dataclass
class KeyState:
    """The model of a key, how many rows it has decided about, and its last ids, the oldest first."""

    model: bytes = b""
    rounds: int = 0
    ids: dict[str, Remembered] = field(default_factory=dict)


Page = dict[str, KeyState]


def pack(page: Page, dtype: str) -> bytes:
    """The same bytes for the same page, whatever the order in which it was filled."""
    keys = sorted(page)
    states = [page[key] for key in keys]
    known = [each for state in states for each in state.ids.values()]
    waiting = [each for each in known if each.fate == WAITING]
    rows = [each.row for each in waiting if each.row is not None]
    header = json.dumps(
        {
            "keys": keys,
            "rounds": [state.rounds for state in states],
            "models": [len(state.model) for state in states],
            "ids": [list(state.ids) for state in states],
            "fates": "".join(each.fate for each in known),
            "waiting": [(each.round, each.probability) for each in waiting],
            "lengths": [len(row.indices) for row in rows],
            "labels": [each.label for each in known if each.fate == EARLY],
        },
        separators=(",", ":"),
    ).encode()
    indices = np.concatenate(
        [np.empty(0, np.uint32), *(row.indices for row in rows)], dtype=np.uint32, casting="unsafe"
    )
    values = np.concatenate([np.empty(0, dtype), *(row.values for row in rows)])
    parts = [len(header).to_bytes(4, "little"), header, indices.tobytes(), values.tobytes()]
    return b"".join(parts + [state.model for state in states])


def unpack(content: bytes, version: int, dtype: str) -> Page:
    """The page that was packed; ValueError if another version of askance did it."""
    if version != VERSION:
        raise ValueError(
            f"the checkpoint has pages of version {version}, and this askance reads version {VERSION}: "
            "use the askance that wrote it, or a new checkpoint"
        )
    start = 4 + int.from_bytes(content[:4], "little")
    header = json.loads(content[4:start])
    rows, start = _rows(content, start, header["lengths"], dtype)
    known = _remembered(header, iter(rows))
    ends = accumulate(header["models"], initial=start)
    models = [content[begin:end] for begin, end in pairwise(ends)]
    return {
        key: KeyState(model, rounds, {id_: next(known) for id_ in ids})
        for key, model, rounds, ids in zip(header["keys"], models, header["rounds"], header["ids"], strict=True)
    }


def _rows(content: bytes, start: int, lengths: Sequence[int], dtype: str) -> tuple[list[Row], int]:
    """The rows that wait, and where the bytes after them begin."""
    total = sum(lengths)
    indices: NDArray[Any] = np.frombuffer(content, np.uint32, total, start).astype(np.int32)
    start += 4 * total
    values = np.frombuffer(content, dtype, total, start)
    ends = accumulate(lengths, initial=0)
    rows = [Row(indices[begin:end], values[begin:end]) for begin, end in pairwise(ends)]
    return rows, start + values.nbytes


def _remembered(header: dict[str, Any], rows: Iterator[Row]) -> Iterator[Remembered]:
    waiting, labels = iter(header["waiting"]), iter(header["labels"])
    for fate in header["fates"]:
        if fate == WAITING:
            round_, probability = next(waiting)
            yield Remembered(fate, round_, probability, next(rows))
        elif fate == EARLY:
            yield Remembered(fate, label=next(labels))
        else:
            yield SPENT[fate]
