"""The checksum of a fetched file, kept beside it in the form that `sha256sum --check` reads."""

import hashlib
import os
from pathlib import Path

from askance.data.files import reason
from askance.errors import DataError


def seal_of(path: Path) -> Path:
    """The file that holds the checksum of another."""
    return path.with_name(f"{path.name}.sha256")


def digest(path: Path) -> str:
    """The sha256 of a file, in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_seal(path: Path, sha256: str) -> None:
    """Keep the checksum that a file is to have from now on."""
    seal = seal_of(path)
    unfinished = seal.with_name(f"{seal.name}.part")
    unfinished.write_text(f"{sha256}  {path.name}\n")
    os.replace(unfinished, seal)


def read_seal(path: Path) -> str:
    """The checksum that a file had when it was fetched."""
    words = seal_of(path).read_text().split()
    return words[0] if words else ""


def check(path: Path, published: str | None, *, sealed: bool) -> str:
    """The checksum of a file, which must be the published one and, of a fetched file, the one that it had then."""
    try:
        found = digest(path)
        wanted = read_seal(path) if sealed else found
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: cannot be checked ({reason(error)}): delete it and fetch it again") from error
    if found != wanted:
        raise DataError(
            f"{path}: is not what was fetched, its sha256 differs from that in {seal_of(path).name}: "
            "delete it and fetch it again"
        )
    if published not in (None, found):
        raise DataError(
            f"{path}: is not the public file, its sha256 is not the published one: delete it and fetch it"
        )
    return found
