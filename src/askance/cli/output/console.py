"""Printing: results go to stdout, as text for people or as one JSON object for programs."""

import json
import math
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console


_quiet = False


def set_quiet(wanted: bool) -> None:
    """Print nothing for people from now on, or print it again."""
    global _quiet
    _quiet = wanted


def is_quiet() -> bool:
    """Whether nothing is printed for people: no reports, notes or progress."""
    return _quiet


def stdout() -> "Console":
    """A console on stdout that prints names of files and classes unchanged, brackets included."""
    from rich.console import Console  # `askance --version` does not need it

    return Console(markup=False, highlight=False, emoji=False, quiet=is_quiet())


def has_symbols(console: "Console") -> bool:
    """Whether the console can print ticks and blocks."""
    return console.encoding.lower().startswith("utf")


def print_json(content: Mapping[str, Any]) -> None:
    """Print one JSON object."""
    sys.stdout.write(json.dumps(_plain(content), indent=2, allow_nan=False) + "\n")


def _plain(value: Any) -> Any:
    """Convert to what JSON can hold: numbers that are not finite become null, NumPy numbers numbers."""
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    return None if isinstance(value, float) and not math.isfinite(value) else value
