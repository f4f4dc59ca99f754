"""How classes are written. It stands apart from the readers, which take long to import."""

from typing import Any


def shown_class(value: Any) -> str:
    """A class as users write it: 1, where the reader of a numeric column has made 1.0 of it."""
    return f"{value:g}" if isinstance(value, float) else str(value)
