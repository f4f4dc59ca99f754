"""Files that are there whole or not at all."""

import os
import pathlib
import secrets


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Write all of `content` to `path` or nothing, also if the machine stops half-way."""
    target = pathlib.Path(path)
    if target.exists() and not target.is_file():
        raise ValueError(f"{target} is no file that could be replaced: give another name")
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(8)}")
    try:
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
