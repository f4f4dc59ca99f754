"""What the model confuses, what more labels would bring, how labellers agree, and what is predicted lately."""

from askance.service.messages.base import Answer
from askance.service.messages.tasks import Figure


class ClassQuality(Answer, frozen=True):
    """Precision and recall of the current model for a class, and the number of labels of this class."""

    name: str
    labels: int
    precision: Figure
    recall: Figure


class Confusion(Answer, frozen=True):
    """What the current model confuses with what, from questions at random whose labels it has not learned.

    A row of `matrix` is a label and a column is a prediction, both in the order of `classes`. `labels` is their
    sum. While there are too few, there is only a `note`.
    """

    labels: int
    version: int
    note: str
    classes: list[ClassQuality]
    matrix: list[list[int]]


class Outlook(Answer, frozen=True):
    """The accuracy of the model on new items after `more` labels, and how much it grows until then."""

    more: int
    accuracy: Figure
    gain: Figure


class LabelsNeeded(Answer, frozen=True):
    """How many labels an accuracy still takes: null for more than 500, or never."""

    accuracy: float
    value: int | None
    low: int | None
    high: int | None


class Forecast(Answer, frozen=True):
    """What more labels would bring, as of a number of labels and a version of the model, without a guarantee.

    `current` is the accuracy of the current model, and `outlooks` are those after more labels. `needed` is about
    the goal of the task. `advice` is a sentence, and `basis` says what it is based on. If nothing can be said,
    there is only a `note`.
    """

    labels: int
    version: int
    level: float
    note: str
    goal: float | None
    current: Figure | None
    outlooks: list[Outlook]
    needed: LabelsNeeded | None
    advice: str
    basis: str


class LabellerWork(Answer, frozen=True):
    """A labeller: all labels and skips, and, from the newest labels, how often others agree and how fast it goes.

    `agreement` is the share of equal labels among `compared` pairs of one of theirs and one of others for the same
    item. Times are between two labels, without pauses of more than two minutes.

    `reliability` is the expected share of right labels, with a 95 % credible interval. Which labels are right
    follows from those of others, weighed by their reliability, and from decisions of leads. That assumes that
    people err independently of each other and that all items are equally hard: where several make the same errors,
    it is too high. Of two people alone, it cannot tell who errs without 30 gold items or decisions. If the answers
    hardly depend on the item, as of somebody who answers at random or always the same, `tells_little` is true.

    Of `gold` labels of gold items, `gold_right` were right.
    """

    name: str
    labels: int
    skips: int
    compared: int
    agreement: float | None
    labels_per_hour: float | None
    median_seconds: float | None
    reliability: Figure
    tells_little: bool
    gold: int = 0
    gold_right: int = 0


class PairAgreement(Answer, frozen=True):
    """Two labellers: how many items both labelled, the share with equal labels, and Cohen's kappa."""

    first: str
    second: str
    items: int
    equal: float
    kappa: Figure


class Guesser(Answer, frozen=True):
    """A program that guesses, and how often it is right, by the labels of questions at random.

    It made `guesses` about these before they had a label. If the task asks on arrival, it has no such questions:
    the figure is then about the newest labels, and has no interval.
    """

    name: str
    guesses: int
    accuracy: Figure


class Labellers(Answer, frozen=True):
    """The labellers, the pairs of them with the most items in common, and programs that guess.

    Speed, agreement and reliability are from the newest labels, of which `looked_at` were looked at. `alpha` is
    Krippendorff's, over all items with several labels: 1 if all agree, 0 if they agree as often as by chance.
    """

    labellers: list[LabellerWork]
    pairs: list[PairAgreement]
    looked_at: int
    guessers: list[Guesser]
    alpha: Figure


class PredictedClass(Answer, frozen=True):
    """The share of a class among predictions of the newest items and of those before them: value, low and high.

    It `changed` if the two intervals have nothing in common.
    """

    name: str
    recent: tuple[float, float, float]
    before: tuple[float, float, float]
    changed: bool


class PredictedClasses(Answer, frozen=True):
    """What was predicted on arrival for the `recent` newest items and for the `before` items before them.

    There are no classes while there are too few items.
    """

    recent: int
    before: int
    classes: list[PredictedClass]
