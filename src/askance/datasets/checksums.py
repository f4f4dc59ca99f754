"""Checksums of fetched files, stored next to them in the form that `sha256sum --check` reads."""

import hashlib
from pathlib import Path

from askance._util.atomic_write import write_whole
from askance.data.files import reason
from askance.errors import DataError


def checksum_file(path: Path) -> Path:
    """The file that stores the checksum of `path`."""
    return path.with_name(f"{path.name}.sha256")


def is_fetched(path: Path) -> bool:
    """Whether the file and its checksum are there: one without a checksum did not come from a complete fetch."""
    return path.is_file() and checksum_file(path).is_file()


def digest(path: Path) -> str:
    """The sha256 of a file, in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_checksum(path: Path, sha256: str) -> None:
    """Store the checksum that a file must have from now on."""
    write_whole(checksum_file(path), f"{sha256}  {path.name}\n".encode())


def read_checksum(path: Path) -> str:
    """The checksum that a file had when it was fetched."""
    words = checksum_file(path).read_text().split()
    return words[0] if words else ""


def check(path: Path, published: str | None, *, fetched: bool) -> None:
    """Raise DataError if a file does not have the published checksum or, if it was fetched, the stored one."""
    try:
        found = digest(path)
        wanted = read_checksum(path) if fetched else found
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: cannot be checked ({reason(error)}): fetch it again") from error
    if found != wanted:
        raise DataError(
            f"{path}: has changed since it was fetched, its sha256 is not the one in {checksum_file(path).name}: "
            "fetch it again"
        )
    if published not in (None, found):
        raise DataError(f"{path}: is not the public file, its sha256 is not the published one: fetch it again")
