"""Model files to look at: sound ones, and ones made to deceive."""

import json
import struct
from collections.abc import Callable
from hashlib import sha256
from typing import Any

import pytest

import streams
from askance import Learner, queries, updates
from askance.learners.files import from_bytes, to_bytes

MADE = streams.noisy(rows=60, width=5)
QUERY = queries.Within(queries.AtRate(queries.Margin(2.0), 0.5), rate=0.4, burst=3.0)


def trained(**options: Any) -> Learner:
    learner = Learner(
        updates.PassiveAggressive1(0.5), QUERY, **({"dtype": "float64", "random_state": 9} | options)
    )
    learner.run(MADE.X, MADE.y)
    return learner


def is_refused(content: bytes) -> None:
    """One line of ValueError, and nothing else."""
    with pytest.raises(ValueError, match=r".") as caught:
        from_bytes(content)
    sentence = str(caught.value)
    assert 0 < len(sentence) < 500, sentence
    assert "\n" not in sentence, sentence


def forge(
    header: Callable[[dict[str, Any]], Any] = lambda header: None,
    outer: Callable[[dict[str, Any]], Any] = lambda outer: None,
    data: Callable[[bytes], bytes] = lambda data: data,
    model: bytes | None = None,
) -> bytes:
    """A model file whose header, safetensors' header or data were changed, with a new checksum."""
    content = model or to_bytes(trained())
    (size,) = struct.unpack("<Q", content[:8])
    tensors = json.loads(content[8 : 8 + size])
    inside = json.loads(tensors["__metadata__"]["askance"])
    inside["sha256"] = "0" * 64
    replaced = header(inside)
    tensors["__metadata__"]["askance"] = json.dumps(inside if replaced is None else replaced)
    outer(tensors)
    head = json.dumps(tensors).encode()
    head += b" " * (-len(head) % 8)
    blank = struct.pack("<Q", len(head)) + head + data(content[8 + size :])
    return blank.replace(b"0" * 64, sha256(blank).hexdigest().encode(), 1)
