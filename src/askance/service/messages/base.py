"""What messages are made of: sizes, names and the two kinds of messages."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from askance.service.settings import END, PRINTABLE

MOST_AT_ONCE = 1000
LONGEST_TEXT = 200_000

Role = Literal["admin", "labeller", "ingest", "read"]
ItemNumber = Annotated[int, Meta(ge=1, le=2**53, description="The number that the task gave the item.")]
OwnId = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=200,
        pattern=PRINTABLE,
        description="The sender's name of an item.",
    ),
]
Key = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=200,
        pattern=PRINTABLE,
        description="The sender's name of this message: sent again with the same key, it is done once.",
    ),
]
TokenName = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}" + END, description="Who it is for.")]
Text = Annotated[str, Meta(max_length=LONGEST_TEXT)]


class Body(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A message that comes in: unknown fields are refused, because they are most often misspelt."""


class Answer(Struct, frozen=True):
    """A message that goes out."""
