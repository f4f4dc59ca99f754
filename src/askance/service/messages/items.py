"""Items: what comes in, what is decided, predicted and learned."""

from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType

from askance.service.messages.base import MOST_AT_ONCE, Answer, Body, OwnId, Text
from askance.service.settings import ClassName


class Item(Body, frozen=True):
    """Something to decide about: a text, or a record of named values, as the task says.

    A `note` is shown beside the question and not learned from.
    """

    text: Text | UnsetType = UNSET
    record: dict[str, Any] | UnsetType = UNSET
    id: OwnId | UnsetType = UNSET
    note: Annotated[str, Meta(max_length=2000)] | UnsetType = UNSET


class Items(Body, frozen=True):
    """Items in the order in which they are to be decided: all of them, or if one is wrong, none."""

    items: Annotated[list[Item], Meta(min_length=1, max_length=MOST_AT_ONCE)]


class ItemDecision(Answer, frozen=True):
    """What was decided about an item. `again` says that this id came before, and what was decided then."""

    item: int
    prediction: str
    score: float
    ask_probability: float
    ask: bool
    version: int
    id: str | None = None
    again: bool = False


class Decisions(Answer, frozen=True):
    """The decisions, in the order of the items."""

    decisions: list[ItemDecision]


class Prediction(Answer, frozen=True):
    """What the model of now says of an item."""

    prediction: str
    score: float


class Predictions(Answer, frozen=True):
    """The predictions, in the order of the items, and the version of the model that made them."""

    predictions: list[Prediction]
    version: int


class LabelledItem(Item, frozen=True, kw_only=True):
    """An item whose label is known already."""

    label: ClassName


class LabelledItems(Body, frozen=True):
    """Labelled items to learn from."""

    items: Annotated[list[LabelledItem], Meta(min_length=1, max_length=MOST_AT_ONCE)]


class Imported(Answer, frozen=True):
    """How many items were learned, and how many had been imported before."""

    learned: int
    again: int
    version: int
