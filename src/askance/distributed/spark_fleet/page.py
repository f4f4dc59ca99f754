"""A page of the state: the models of some keys, and what each key remembers of its most recent ids.

Passing a state value from Spark to Python costs about the same for any size, so several keys share a page.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.rules.rows import Row

# Of the packed bytes, stored next to them. Raise it when the format changes, and let `unpack` read the older ones.
VERSION = 1

# The fate of an id: the row waits for its label, was not asked for, was learned; or its label came before the row.
WAITING, UNASKED, LEARNED, EARLY = "wule"


class Remembered(NamedTuple):
    """What a key remembers about an id."""

    fate: str
    round: int = -1
    ask_probability: float = 1.0
    row: Row | None = None  # of waiting rows
    label: str | None = None  # of early labels


# Most ids have one of these two fates, and nothing else is stored about them.
SPENT = {fate: Remembered(fate) for fate in (UNASKED, LEARNED)}


@dataclass
class KeyState:
    """The model of a key, the number of rows it has decided about, and its most recent ids, oldest first."""

    model: bytes = b""
    rounds: int = 0
    ids: dict[str, Remembered] = field(default_factory=dict)


Page = dict[str, KeyState]


def pack(page: Page, dtype: str) -> bytes:
    """Encode a page; equal pages have equal bytes, in whatever order they were filled."""
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
            "waiting": [(each.round, each.ask_probability) for each in waiting],
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
    """Decode a page; ValueError if its format version is another one."""
    if version != VERSION:
        raise ValueError(
            f"the checkpoint has pages of version {version}, but this version of askance reads version {VERSION}: "
            "use the version that wrote it, or a new checkpoint"
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
    """Return the waiting rows, and the position of the bytes after them."""
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
