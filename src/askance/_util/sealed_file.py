"""Sealed files: arrays as safetensors, with a JSON header and a checksum. Loading one runs no code from it.

The header is in the metadata of the file. It has the SHA-256 of the whole file, computed with the digest itself
replaced by zeros, so that any changed or missing byte is detected before the contents are used.
"""

import hashlib
import json
import os
import pathlib
from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from askance.errors import ModelFileError

FORMAT = 1
BLANK = "0" * 64
# Keys of the header that say how the rows were read that a model has learned from. They are added to its file.
PLAN, RECIPE = "table", "reading"


def seal(arrays: Mapping[str, NDArray[Any]], header: dict[str, Any]) -> bytes:
    """Return the content of a sealed file."""
    from safetensors.numpy import save

    content = save(dict(arrays), {"askance": json.dumps({"format": FORMAT, "sha256": BLANK, **header})})
    return content.replace(BLANK.encode(), _digest(content).encode(), 1)


def header_of(content: bytes) -> dict[str, Any]:
    """Return the header after checking the digest; ModelFileError if the file is damaged."""
    size = int.from_bytes(content[:8], "little")
    if len(content) < 8 or size > len(content) - 8:
        raise ModelFileError("is not an askance model, or is incomplete")
    try:
        header = json.loads(json.loads(content[8 : 8 + size])["__metadata__"]["askance"])
        digest, version = header["sha256"].encode("ascii"), header["format"]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ModelFileError("is not an askance model, or is damaged") from None
    if _digest(content.replace(digest, BLANK.encode(), 1)).encode() != digest:
        raise ModelFileError("is damaged: its checksum does not match; restore a backup or train the model again")
    if version != FORMAT:
        raise ModelFileError(f"has format {version}, but this askance reads format {FORMAT}: upgrade askance")
    return {key: value for key, value in header.items() if key not in ("format", "sha256")}


def own_header(content: bytes) -> dict[str, Any]:
    """Return the header as the model wrote it, without how its rows were read."""
    return {key: value for key, value in header_of(content).items() if key not in (PLAN, RECIPE)}


def with_more(content: bytes, more: Mapping[str, Any]) -> bytes:
    """Return the content of the same file with more in its header."""
    header = header_of(content)  # checks the content
    return seal(arrays_of(content), {**header, **more})


def arrays_of(content: bytes) -> dict[str, NDArray[Any]]:
    """Return the arrays."""
    from safetensors.numpy import load

    return dict(load(content))


def read(path: str | os.PathLike[str]) -> bytes:
    """Return the bytes of a file; ModelFileError if it cannot be read."""
    try:
        return pathlib.Path(path).read_bytes()
    except OSError as error:
        raise ModelFileError(f"{path} cannot be read: {error.strerror or error}") from None


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
