"""Printing: results go to stdout, as text for people or as one JSON object for programs."""

import json
import math
import sys
from collections.abc import Mapping
from typing import Any

from rich.console import Console


def stdout() -> Console:
    """For people. Names of files and classes are printed as they are, brackets and all."""
    return Console(markup=False, highlight=False, emoji=False)


def has_symbols(console: Console) -> bool:
    """Whether ticks and blocks can be printed."""
    return console.encoding.lower().startswith("utf")


def shown_class(value: Any) -> str:
    """A class as people write it: readers of numbers make 1 a 1.0."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def print_json(content: Mapping[str, Any]) -> None:
    """For programs."""
    sys.stdout.write(json.dumps(_plain(content), indent=2, allow_nan=False) + "\n")


def _plain(value: Any) -> Any:
    """What JSON can hold: a number that is not finite becomes null, a NumPy number a number."""
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    return None if isinstance(value, float) and not math.isfinite(value) else value
