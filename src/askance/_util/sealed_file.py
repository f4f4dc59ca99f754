"""Sealed files: arrays as safetensors with a typed header. Reading one runs no code of the file's.

The header is JSON in the file's metadata. It carries the SHA-256 of the whole file, taken with the digest's own
place blanked, so that a single changed or missing byte is noticed before anything is made of the rest.
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


def seal(arrays: Mapping[str, NDArray[Any]], header: dict[str, Any]) -> bytes:
    """The content of a file."""
    from safetensors.numpy import save

    content = save(dict(arrays), {"askance": json.dumps({"format": FORMAT, "sha256": BLANK, **header})})
    return content.replace(BLANK.encode(), _digest(content).encode(), 1)


def header_of(content: bytes) -> dict[str, Any]:
    """The header, once the digest has shown that every byte is as it was written."""
    size = int.from_bytes(content[:8], "little")
    if len(content) < 8 or size > len(content) - 8:
        raise ModelFileError("is no model of askance, or only the beginning of one")
    try:
        header = json.loads(json.loads(content[8 : 8 + size])["__metadata__"]["askance"])
        digest, version = header["sha256"].encode("ascii"), header["format"]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ModelFileError("is no model of askance, or a damaged one") from None
    if _digest(content.replace(digest, BLANK.encode(), 1)).encode() != digest:
        raise ModelFileError("is damaged: its checksum does not fit; use a backup or train anew")
    if version != FORMAT:
        raise ModelFileError(f"has format {version}, and this askance reads format {FORMAT}: upgrade askance")
    return {key: value for key, value in header.items() if key not in ("format", "sha256")}


def arrays_of(content: bytes) -> dict[str, NDArray[Any]]:
    """The arrays."""
    from safetensors.numpy import load

    return dict(load(content))


def read(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a file; ModelFileError if it cannot be read."""
    try:
        return pathlib.Path(path).read_bytes()
    except OSError as error:
        raise ModelFileError(f"{path} cannot be read: {error.strerror or error}") from None


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
