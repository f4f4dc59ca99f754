"""Items: decisions, predictions and imports."""

from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType, field

from askance.service.messages.base import (
    MOST_AT_ONCE,
    MOST_FIELDS,
    MOST_GUESSES,
    Answer,
    Body,
    GivenLabel,
    GuesserName,
    ItemNumber,
    Key,
    OwnId,
    ShownLabel,
    Text,
)
from askance.service.patterns import END, PRINTABLE
from askance.service.settings import LONGEST_VECTOR, ClassName

# As strict as the hosts in settings, so that there are no two ways to read the host.
ImageAddress = Annotated[
    str,
    Meta(
        max_length=2000,
        pattern=r"^https://[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:[0-9]{1,5})?/[!-~]*" + END,
        description="The https address of an image, on one of the task's `interface.image_hosts`.",
    ),
]

Confidence = Annotated[float, Meta(ge=0, le=1, description="How confident a guess is, as its author says.")]


class Guess(Body, frozen=True):
    """What a program thinks the label of an item is, and how confident it says it is. It is never the label."""

    label: ClassName
    confidence: Confidence | None = None


class Item(Body, frozen=True):
    """An item to decide about. Depending on the task, it is a text, a record of named values, a vector of numbers,
    or several of them.

    `id` is your own id of the item: sent again with the same id, an item is decided once. A `note` and an image
    are shown with the question; the model does not see them. The image is at the address `image`, or comes along
    as `image_data`: a PNG, JPEG, GIF or WebP file of at most 500,000 bytes, in base64.

    `guesses` are what programs, such as language models, think the label is, by their names. They are features.
    """

    text: Text | UnsetType = UNSET
    record: Annotated[dict[str, Any], Meta(max_length=MOST_FIELDS)] | UnsetType = UNSET
    id: OwnId | UnsetType = UNSET
    note: Annotated[str, Meta(max_length=2000)] | UnsetType = UNSET
    vector: Annotated[list[float], Meta(min_length=1, max_length=LONGEST_VECTOR)] | UnsetType = UNSET
    image: ImageAddress | UnsetType = UNSET
    image_data: bytes | UnsetType = UNSET
    guesses: Annotated[dict[GuesserName, Guess], Meta(min_length=1, max_length=MOST_GUESSES)] | UnsetType = UNSET


class Items(Body, frozen=True):
    """Items to decide about, in this order. If one of them is not valid, none is accepted."""

    items: Annotated[list[Item], Meta(min_length=1, max_length=MOST_AT_ONCE)]


class LateGuess(Guess, frozen=True, kw_only=True):
    """A guess about an item that came before. The item is named by `item` or by your `id`.

    A program that has guessed the item before changes its mind: the last guess counts.
    """

    name: GuesserName
    item: ItemNumber | UnsetType = UNSET
    id: OwnId | UnsetType = UNSET
    key: Key | UnsetType = UNSET


class LateGuesses(Body, frozen=True):
    """Guesses. If one of them is not valid, none is accepted."""

    guesses: Annotated[list[LateGuess], Meta(min_length=1, max_length=MOST_AT_ONCE)]


class GuessReceipt(Answer, frozen=True):
    """The receipt of a guess. `again` says that it was there before, by its key or because it is the same."""

    item: int
    again: bool


class GuessReceipts(Answer, frozen=True):
    """The receipts, in the order of the guesses."""

    guesses: list[GuessReceipt]


class ItemDecision(Answer, frozen=True):
    """The decision about an item.

    `prediction` is the predicted class, and `score` its distance from the decision boundary. If the task is
    `multilabel`, it is a list of classes, and the score says how certain the least certain class is: 0 is a guess,
    and 1 is no doubt. `ask_probability` is
    the probability with which the label was asked for, and `ask` says whether it was: the item is then a question.
    `version` is the version of the model. `again` says that this id came before: the decision was made then.
    `automatic` says that a certificate held when it was made, and the prediction was confident enough for it.
    `unpaid` are the programs whose guesses were not taken with the item, because they cost more than is left.
    """

    item: int
    prediction: ShownLabel
    score: float
    ask_probability: float
    ask: bool
    version: int
    id: str | None = None
    again: bool = False
    automatic: bool = False
    unpaid: list[str] = field(default_factory=list)


class Decisions(Answer, frozen=True):
    """The decisions, in the order of the items."""

    decisions: list[ItemDecision]


class Prediction(Answer, frozen=True):
    """The prediction of the current model for an item.

    If the task is `multilabel`, there are the `probabilities` of all classes.
    """

    prediction: ShownLabel
    score: float
    probabilities: dict[str, float] | None = None


class Predictions(Answer, frozen=True):
    """The predictions, in the order of the items, and the version of the model that made them."""

    predictions: list[Prediction]
    version: int


Origin = Annotated[str, Meta(min_length=1, max_length=200, pattern=PRINTABLE)]
Moment = Annotated[float, Meta(ge=0, le=1e11, description="Seconds since 1970.")]


class LabelledItem(Item, frozen=True, kw_only=True):
    """An item whose label you already know.

    `source` says where the label comes from, such as "vendor 2024"; `labeller` says who gave it, and `labelled_at`
    when. All three are kept with the item and exported; the model does not see them.

    Nothing is learned from a `gold` item. People label it among other questions, which shows who is right.
    """

    label: GivenLabel
    source: Origin | UnsetType = UNSET
    labeller: Origin | UnsetType = UNSET
    labelled_at: Moment | UnsetType = UNSET
    gold: bool = False


class LabelledItems(Body, frozen=True):
    """Labelled items to import. If one of them is not valid, none is accepted."""

    items: Annotated[list[LabelledItem], Meta(min_length=1, max_length=MOST_AT_ONCE)]


class Imported(Answer, frozen=True):
    """The number of items that were learned (`learned`), of those imported before (`again`), and of gold ones."""

    learned: int
    again: int
    version: int
    gold: int = 0
