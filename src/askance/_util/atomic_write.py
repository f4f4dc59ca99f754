"""Files that are written completely or not at all."""

import contextlib
import os
import pathlib
import secrets
from collections.abc import Iterator


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Write `content` to `path` completely or not at all, even if the machine stops half-way."""
    with atomic_path(path) as temporary:
        temporary.write_bytes(content)


@contextlib.contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[pathlib.Path]:
    """Yield a temporary path in the same directory. It replaces `path` when the block ends without an error."""
    target = pathlib.Path(path)
    if target.exists() and not target.is_file():
        raise ValueError(f"{target} is not a regular file and cannot be replaced: choose another name")
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(8)}")
    try:
        yield temporary
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
