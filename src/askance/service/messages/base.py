"""The base classes and the common field types of messages."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from askance.service.patterns import END, PRINTABLE
from askance.service.settings import MOST_CLASSES, ClassName

MOST_AT_ONCE = 1000
LONGEST_TEXT = 200_000
MOST_FIELDS = 10_000  # of a record
MOST_GUESSES = 8  # of an item

Role = Literal["admin", "labeller", "ingest", "read"]
ItemNumber = Annotated[int, Meta(ge=1, le=2**53, description="The number of the item within its task.")]
OwnId = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=200,
        pattern=PRINTABLE,
        description="The sender's own id of an item.",
    ),
]
Key = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=200,
        pattern=PRINTABLE,
        description="An idempotency key: sent again with the same key, a request takes effect once.",
    ),
]
TokenName = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}" + END,
        description="The name of the person or program that the token is for.",
    ),
]
# Without the pattern of class names, although it must be one: where a list may stand in its place, msgspec 0.22
# takes the pattern for a type, and may crash when it looks at it or frees it.
GivenLabel = (
    Annotated[str, Meta(min_length=1, max_length=100)]
    | Annotated[
        list[ClassName],
        Meta(
            max_length=MOST_CLASSES,
            description="All labels of the item, if the task is `multilabel`; an empty list means none.",
        ),
    ]
)
ShownLabel = str | list[str]  # a list if the task is multilabel
Text = Annotated[str, Meta(max_length=LONGEST_TEXT)]
GuesserName = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=100,
        pattern=PRINTABLE,
        description="The name of the program that guesses, such as that of a language model.",
    ),
]


class Body(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A request body. Unknown fields are refused, because most of them are misspelt."""


class Answer(Struct, frozen=True):
    """A response body."""
