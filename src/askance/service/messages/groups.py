"""Groups: many items that get one label or are deleted, and the items that are like another one."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from askance.service.messages.answers import ItemDetail
from askance.service.messages.base import MOST_AT_ONCE, Answer, Body, GuesserName, ItemNumber, Key, ShownLabel
from askance.service.settings import ClassName

Group = Annotated[list[ItemNumber], Meta(min_length=1, max_length=MOST_AT_ONCE)]


class GroupLabel(Body, frozen=True):
    """One label for many items. Sent again with the same `key`, it does nothing.

    Items that can be labelled get the label. The labels of others are corrected, unless `correct` is false.
    """

    label: ClassName
    items: Group
    key: Key
    correct: bool = True


class Refusal(Answer, frozen=True):
    """An item of a group that was left as it is, and why."""

    item: int
    message: str


class GroupLabelled(Answer, frozen=True):
    """What became of the items of a group. `unchanged` ones had this label before."""

    labelled: list[int]
    corrected: list[int]
    unchanged: list[int]
    refused: list[Refusal]
    version: int


class GroupUndo(Body, frozen=True):
    """Undo your labels of some items, or those that you gave with the key of a `group`. Give one of the two."""

    key: Key
    group: Key | UnsetType = UNSET
    items: Group | UnsetType = UNSET


class GroupUndone(Answer, frozen=True):
    """The items whose labels were undone, and those of which they were not."""

    undone: list[int]
    refused: list[Refusal]
    version: int


class ItemDeletion(Body, frozen=True):
    """Items to delete, which cannot be undone. Sent again with the same `key`, it does nothing."""

    items: Group
    key: Key


class ItemsDeleted(Answer, frozen=True):
    """The items that were deleted, and those that there are not."""

    deleted: list[int]
    refused: list[Refusal]
    version: int


class WantedRequest(Body, frozen=True):
    """The name of the program that would guess."""

    program: GuesserName


class WantedItems(Answer, frozen=True):
    """The items about which a program is to guess now: people would be asked about them next."""

    items: list[ItemDetail]


class SimilarRequest(Body, frozen=True):
    """How many similar items. With `open`, only those that can be labelled together, with equal predictions."""

    count: Annotated[int, Meta(ge=1, le=100)] = 10
    open: bool = False


class SimilarItem(Answer, frozen=True):
    """An item, how similar it is (1: the same to the model), and the current prediction for it."""

    item: ItemDetail
    similarity: float
    prediction: ShownLabel
    score: float


class SimilarItems(Answer, frozen=True):
    """The most similar items first, of a limited number that were `compared`.

    An item that is `set_aside` for a random sample is not labelled in a group: that would make the sample wrong.
    """

    items: list[SimilarItem]
    compared: int
    prediction: ShownLabel
    score: float
    set_aside: bool
