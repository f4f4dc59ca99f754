"""Requests as JSON, also with values of NumPy."""

from typing import Any

import msgspec


def plain(value: Any) -> Any:
    """A value of NumPy as Python has it, such as a label from an array of strings."""
    if hasattr(value, "dtype") and hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(
        f"a value of type {type(value).__name__} cannot be sent: send text, numbers, lists or dictionaries"
    )


encode = msgspec.json.Encoder(enc_hook=plain).encode
