"""Sets of classes as texts, which are the labels of multilabel tasks in the journal.

A set is the JSON list of the first names of its classes in sorted order, so equal sets are equal texts: votes,
corrections and counts need to know nothing of sets.
"""

from collections.abc import Iterable

import msgspec

_names = msgspec.json.Decoder(list[str])


def joined(names: Iterable[str]) -> str:
    """The text of a set of names."""
    return msgspec.json.encode(sorted(set(names))).decode()


def parted(text: str) -> list[str]:
    """The names in the text of a set."""
    return _names.decode(text)
