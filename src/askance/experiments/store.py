"""Finished parts of a sweep, stored so that an interrupted sweep can continue.

A part is a small file, named by a digest of everything that its content depends on. It is written completely or
not at all, and has a checksum: a damaged part is reported, ignored and computed again.
"""

import hashlib
import json
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from askance._util.atomic_write import write_whole


class Store:
    """A directory of parts; without a path, nothing is stored."""

    def __init__(self, path: str | os.PathLike[str] | None) -> None:
        self.path = (
            None if path is None else Path(path).absolute() / "parts"
        )  # workers may run in another directory
        if self.path is not None:
            self.path.mkdir(parents=True, exist_ok=True)

    def recall(self, key: Any, work: Callable[[], Any]) -> Any:
        """Return what is stored under this key, or call `work` and store what it returns."""
        if self.path is None:
            return work()
        place = self.path / f"{_digest(json.dumps(key, sort_keys=True))[:32]}.json"
        kept = _read(place)
        if kept is not None:
            return kept
        found = work()
        _write(place, found)
        return json.loads(json.dumps(found))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _write(place: Path, found: Any) -> None:
    text = json.dumps(found)
    write_whole(place, json.dumps({"checksum": _digest(text), "found": text}).encode())


def _read(place: Path) -> Any:
    try:
        kept = json.loads(place.read_text(encoding="utf-8"))
        if _digest(kept["found"]) == kept["checksum"]:
            return json.loads(kept["found"])
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError):
        pass
    warnings.warn(f"{place} is damaged: this part of the sweep is computed again", RuntimeWarning, stacklevel=3)
    return None
