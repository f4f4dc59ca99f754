"""Write files atomically: under the final name, a file is either complete or not there."""

import contextlib
import os
import pathlib
import secrets
from collections.abc import Iterator


@contextlib.contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[pathlib.Path]:
    """Give the path of a temporary file that replaces `path` when the block ends without an error.

    The temporary file is empty, in the same directory, and has the same suffix. At the end it is flushed to disk
    and renamed, so that `path` is complete even if the machine stops half-way. After an error it is removed, and
    what was at `path` before stays. If `path` is a symbolic link, the file that it points to is replaced.

    Parameters
    ----------
    path : str or os.PathLike
        The file to write.

    Yields
    ------
    pathlib.Path
        The temporary file.

    Raises
    ------
    ValueError
        If `path` is a directory or anything else that is not a regular file.
    OSError
        If the directory is missing or cannot be written.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> target = pathlib.Path(tempfile.mkdtemp()) / "numbers.txt"
    >>> with atomic_write(target) as temporary:
    ...     _ = temporary.write_text("1 2 3")
    >>> target.read_text()
    '1 2 3'
    """
    target = pathlib.Path(path)
    if target.exists() and not target.is_file():
        raise ValueError(f"{target} is not a file that can be replaced: choose another path")
    target = target.resolve()
    temporary = target.with_name(f".{target.stem}.{secrets.token_hex(8)}{target.suffix}")
    temporary.open("xb").close()
    try:
        yield temporary
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Write `content` to `path` atomically; see `atomic_write`."""
    with atomic_write(path) as temporary:
        temporary.write_bytes(content)
