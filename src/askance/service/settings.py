"""The settings of a task: its classes, items, algorithm and budget.

Clients read settings too and need no learner, so learners are imported only where one is made.
"""

from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
from msgspec import Meta, field

from askance._util.memory import free_bytes
from askance.service.columns import Columns, Section
from askance.service.patterns import END, PRINTABLE
from askance.service.prices import Oracles, check_prices

if TYPE_CHECKING:
    from askance.data.encoding import TablePlan
    from askance.learners.core import LearnerCore
    from askance.rules.query import QueryRule
    from askance.service.state.item_model import ItemModel
    from askance.service.state.layout import Layout

TaskName = Annotated[
    str, Meta(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}" + END, description="Lower case, because it is part of URLs.")
]
ClassName = Annotated[str, Meta(min_length=1, max_length=100, pattern=PRINTABLE)]

# Nothing but a name and a port: it becomes part of the content security policy of pages.
HostName = Annotated[
    str,
    Meta(
        max_length=255,
        pattern=r"^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?" + END,
        description="A host in lower case, with its port if that is not 443.",
    ),
]
MOST_HOSTS = 20

Part = Literal["text", "record", "vector"]
PARTS: tuple[Part, ...] = ("text", "record", "vector")
LONGEST_VECTOR = 8192
MOST_CLASSES = 1000

TAKEN_KEYS = {"u": "undo", "?": "help"}  # space, which skips, is excluded by the pattern

State = Literal["running", "paused", "archived"]
AUTO = "auto"  # the algorithm of a task that names none
# The algorithms of tasks that were stored without one, before there was an automatic learner.
TWO_CLASSES, MANY_CLASSES = "PAA-II", "MPAA-II"


class Hashing(Section, frozen=True):
    """Features are hashed to 2**bits columns. With `pairs`, pairs of neighbouring words are features too."""

    bits: Annotated[int, Meta(ge=1, le=26)] = 20
    pairs: bool = False


class Budget(Section, frozen=True):
    """Limits on the labels asked for: burst + rate·t after t items, per day (UTC), and in total.

    With a rate, the algorithm is also steered towards that rate. Without one, "auto" asks about a tenth of items.
    """

    rate: Annotated[float, Meta(gt=0, le=1)] | None = None
    burst: Annotated[int, Meta(ge=0, le=2**53)] = 20
    per_day: Annotated[int, Meta(ge=0, le=2**53)] | None = None
    total: Annotated[int, Meta(ge=0, le=2**53)] | None = None


class Goal(Section, frozen=True):
    """The accuracy that the model should reach on new items. It limits nothing: the dashboard gives advice."""

    accuracy: Annotated[float, Meta(gt=0, lt=1)] | None = None


class Certify(Section, frozen=True):
    """Decide confident predictions without people while at most a share `error` of them is wrong.

    That is certain with the probability `confidence`. People check a share `audit` of confident predictions, drawn
    at random; that is for questions that are chosen on lease. Without an `error`, nothing is decided like that.
    """

    error: Annotated[float, Meta(gt=0, lt=1)] | None = None
    confidence: Annotated[float, Meta(gt=0, lt=1)] = 0.95
    audit: Annotated[float, Meta(gt=0, le=0.2)] = 0.1


FEWEST_VOTES = 2  # before a label can be probable enough: one vote alone shows nothing about anybody


class Labelling(Section, frozen=True):
    """Labels per item, the length of a lease, and the number of skips after which a question is given up.

    Of several labels of an item, the most probable one is taken (`posterior`), given how reliable those are who
    gave them, or the most frequent one (`majority`). By default, new tasks take the most probable one. From two
    labels on, no more are asked for if it has the probability `enough`. Of the questions that people get, a share
    `gold` are gold items, if there are any.
    """

    per_item: Annotated[int, Meta(ge=1, le=25)] = 1
    lease_seconds: Annotated[float, Meta(ge=0.1, le=86_400)] = 300.0
    skips: Annotated[int, Meta(ge=1, le=100)] = 2
    aggregate: Literal["posterior", "majority"] | None = None  # tasks that were stored without it count votes
    enough: Annotated[float, Meta(gt=0.5, lt=1)] | None = None
    gold: Annotated[float, Meta(ge=0, le=0.5)] = 0.05

    @property
    def weighs_votes(self) -> bool:
        """Whether votes count by how reliable those are who gave them."""
        return self.per_item > 1 and self.aggregate == "posterior"

    @property
    def at_first(self) -> int:
        """The number of people to ask before the first answers are known."""
        return FEWEST_VOTES if self.weighs_votes and self.enough is not None else self.per_item


class Asking(Section, frozen=True):
    """When questions are chosen: when somebody `lease`s one, or on the `arrival` of an item, as in the papers.

    On lease, a share `audit` of the questions is drawn at random. Of these, a share `test` is not learned from: it
    tests the current model. On arrival, the algorithm draws at random as it likes.
    """

    chosen: Literal["lease", "arrival"]
    audit: Annotated[float, Meta(gt=0, le=1)] = 0.2
    test: Annotated[float, Meta(ge=0, le=1)] = 0.5


class Costs(Section, frozen=True):
    """The cost of a missed positive (`c_p`) and of a false alarm (`c_n`), for the metric `cost`."""

    c_p: Annotated[float, Meta(ge=0, le=1e12)] = 1.0
    c_n: Annotated[float, Meta(ge=0, le=1e12)] = 1.0


class Interface(Section, frozen=True):
    """What labellers see: the keys of the classes, whether the prediction is shown first, and the guideline.

    A prediction that is shown biases the labels towards it, and so it biases the estimates. The guideline,
    `guidance`, is Markdown. Images of items may come from `image_hosts` only.
    """

    keys: dict[ClassName, Annotated[str, Meta(pattern=r"^[^\s\x00-\x1f\x7f]" + END)]] = field(default_factory=dict)
    prediction: Literal["hidden", "shown"] = "hidden"
    guidance: Annotated[str, Meta(max_length=20_000)] = ""
    image_hosts: Annotated[tuple[HostName, ...], Meta(max_length=MOST_HOSTS)] = ()


class TaskSettings(Section, frozen=True):
    """The settings of a task.

    An item has a text, a record of named values, or a vector of `vector_length` numbers. If `item` is "mixed" or a
    list, it may have several of them, and has at least one.

    Of two classes, F, precision, recall and costs are about `positive`, by default the last in sorted order.
    `former` has the earlier names of classes that were renamed, with their current names.

    `columns` says what the fields of records hold. Without it, the automatic learner finds numbers in the first
    ten records, and all other values are categories.

    With `multilabel`, the label of an item is a list of classes, or of none.
    """

    name: TaskName
    classes: Annotated[list[ClassName], Meta(min_length=2, max_length=MOST_CLASSES)]
    item: Literal["text", "record", "vector", "mixed"] | Annotated[list[Part], Meta(min_length=1)] = "text"
    algorithm: Annotated[str, Meta(max_length=50)] | None = None
    parameters: dict[str, float | str] = field(default_factory=dict)
    hashing: Hashing = Hashing()
    budget: Budget = Budget()
    labels: Labelling = Labelling()
    questions: Asking | None = None
    costs: Costs = Costs()
    interface: Interface = Interface()
    random_state: Annotated[int, Meta(ge=0, le=2**53)] = 0
    dtype: Literal["float32", "float64"] = "float64"
    positive: ClassName | None = None
    vector_length: Annotated[int, Meta(ge=1, le=LONGEST_VECTOR)] | None = None
    former: dict[ClassName, ClassName] = field(default_factory=dict)
    columns: Columns = field(default_factory=dict)
    goal: Goal = Goal()
    certify: Certify = Certify()
    oracles: Oracles = Oracles()
    multilabel: bool = False

    @property
    def parts(self) -> tuple[Part, ...]:
        """What an item may have."""
        if self.item == "mixed":
            return PARTS
        return tuple(self.item) if isinstance(self.item, list) else (self.item,)

    @property
    def only_texts(self) -> bool:
        """Whether items are texts and nothing else."""
        return self.parts == ("text",)

    @property
    def takes_vectors(self) -> bool:
        """Whether items may have a vector."""
        return "vector" in self.parts

    @property
    def method(self) -> str:
        """The algorithm: "auto", or a name in the catalog."""
        return self.algorithm or AUTO

    @property
    def is_auto(self) -> bool:
        """Whether the learner is the automatic one."""
        return self.method == AUTO

    @property
    def signed(self) -> bool:
        """Whether rows have signs: "auto" weights words by how rare they are, and needs their counts."""
        return not self.is_auto

    @property
    def named(self) -> "TaskSettings":
        """The same settings, with the algorithm, when questions are chosen, and how several votes are counted.

        They are stored, so that a task keeps them when the defaults change.
        """
        chosen = self.questions or Asking("lease" if self.is_auto else "arrival")
        labels = msgspec.structs.replace(self.labels, aggregate=self.labels.aggregate or "posterior")
        return msgspec.structs.replace(self, algorithm=self.method, questions=chosen, labels=labels)

    @property
    def asks_on_lease(self) -> bool:
        """Whether questions are chosen when somebody leases one."""
        return self.questions is not None and self.questions.chosen == "lease"

    @property
    def corrects_in_place(self) -> bool:
        """Whether a correction takes effect where it is in the journal, so that nothing is replayed.

        The automatic learner can replace a label that it remembers. Other rules go over labels once. Estimates
        from labels that were asked for on arrival cannot take a label back.
        """
        return self.is_auto and self.asks_on_lease

    @property
    def label_cost(self) -> int:
        """What a question takes from the budget: its labels. In the first tasks, a question was one."""
        return 1 if self.questions is None else self.labels.per_item

    @property
    def many(self) -> bool:
        """Whether there are more than two classes, or items have several."""
        return len(self.classes) > 2 or self.multilabel

    @property
    def positive_class(self) -> str | None:
        """The class that F, precision, recall and costs are about; None of more than two classes."""
        return None if self.many else self.positive or self.name_of(max(self.ids))

    @property
    def ids(self) -> list[str]:
        """The first names of the classes, under which the journal and the model know them."""
        return [self.id_of(name) for name in self.classes]

    def id_of(self, name: str) -> str:
        """The first name of a class that is given by its current name or an earlier one."""
        current = name if name in self.classes else self.former.get(name, name)
        return next((old for old, now in self.former.items() if now == current), current)

    def name_of(self, class_id: str) -> str:
        """The current name of a class that is given by its first name."""
        return self.former.get(class_id, class_id)

    def knows(self, name: str) -> bool:
        """Whether a class has this name, or had it."""
        return name in self.classes or name in self.former

    @property
    def width(self) -> int:
        """The number of features: hashed ones, and the numbers of a vector."""
        return (1 << self.hashing.bits) + (self.vector_length or 0)

    def check_rate(self) -> None:
        """Raise ValueError if the algorithm cannot ask at the rate of the budget."""
        if not self.is_auto:
            self.query()

    def query(self) -> "QueryRule":
        """The query rule of an algorithm in the catalog, steered to the rate of the budget if there is one.

        ValueError if it cannot be steered.
        """
        from askance.algorithms import parts_of
        from askance.algorithms.steering import steered

        query = parts_of(self.method, self.parameters).query
        return query if self.budget.rate is None else steered(self.method, query, self.budget.rate)

    def learner(self) -> "LearnerCore | ItemModel":
        """The learner before the first item; ValueError if the settings are not valid."""
        from askance.service.state.auto_model import AutoModel
        from askance.service.state.multilabel_model import MultiLabelModel

        check(self)
        if not self.is_auto:
            return self._from_catalog()
        if self.dtype != "float64":
            raise ValueError(f'{AUTO} computes in double precision: leave out dtype, or set it to "float64"')
        self._check_memory(self.width * 32)
        kind = MultiLabelModel if self.multilabel else AutoModel
        made = kind.of(self.layout(), self.ids, self.random_state, self.parameters)
        return made.keep_to(self.budget.rate, self.budget.burst)

    def layout(self) -> "Layout":
        """Where the automatic learner finds what in a row."""
        from askance.service.state.layout import Layout

        return Layout(self.hashing.bits, self.vector_length or 0, self.plan(), "text" in self.parts)

    def plan(self) -> "TablePlan | None":
        """How records become rows, if their columns are known."""
        from askance.service.state.columns import plan_of

        return plan_of(self.columns, self.hashing.bits, pairs=self.hashing.pairs) if self.columns else None

    def _from_catalog(self) -> "LearnerCore":
        from askance.algorithms import parts_of
        from askance.learners.core import LearnerCore
        from askance.learners.settings import Settings

        parts = parts_of(self.method, self.parameters)
        if parts.multiclass != self.many:
            kind = "many classes" if parts.multiclass else "two classes"
            raise ValueError(
                f"{self.method} is for {kind}, but there are {len(self.classes)}: choose another algorithm"
            )
        self._check_memory(self.width * len(self.classes) * 32)
        learner = LearnerCore(
            parts.update,
            self.query(),
            Settings(self.random_state, self.dtype, parts.sgn0, sorted(self.ids), parts.multiclass),
        )
        return learner.resize(self.width)

    def _check_memory(self, needed: int) -> None:
        if needed > free_bytes():
            size = f"{len(self.classes)} classes of 2**{self.hashing.bits} features"
            raise ValueError(f"{size} do not fit into memory: use fewer hashing bits")


def check(settings: TaskSettings) -> None:
    """Raise ValueError for the first thing that is not valid."""
    if len(set(settings.classes)) != len(settings.classes):
        raise ValueError(f"classes must be distinct, not {settings.classes}")
    check_former(settings)
    check_keys(settings)
    check_multilabel(settings)
    check_positive(settings)
    check_item(settings)
    check_oracles(settings)


def check_multilabel(settings: TaskSettings) -> None:
    """Raise ValueError if a multilabel task is to have something that is for one class per item."""
    if not settings.multilabel:
        return
    refused = {
        f"algorithm {settings.method}": not settings.is_auto,
        "positive": settings.positive is not None,
        "costs": settings.costs != Costs(),
        "questions that are chosen on arrival": not settings.named.asks_on_lease,
        "labels.per_item": settings.labels.per_item > 1,
        "labels.enough": settings.labels.enough is not None,
        "certify": settings.certify.error is not None,
        "oracles": settings.oracles != Oracles(),
    }
    for name, is_wanted in refused.items():
        if is_wanted:
            raise ValueError(f"{name}: not possible in a multilabel task: leave it out")


def check_keys(settings: TaskSettings) -> None:
    """Raise ValueError unless each key means one class and nothing else."""
    keys = settings.interface.keys
    for name, key in keys.items():
        if name not in settings.classes:
            raise ValueError(f"interface.keys: {name!r} is not one of the classes")
        if key.lower() in TAKEN_KEYS:
            raise ValueError(
                f"interface.keys: {key!r} already means {TAKEN_KEYS[key.lower()]}: choose another key"
            )
    if len({key.lower() for key in keys.values()}) < len(keys):
        raise ValueError("interface.keys: two classes have the same key: choose another for one of them")


def check_former(settings: TaskSettings) -> None:
    """Raise ValueError unless earlier names of classes lead to current ones."""
    for name in settings.former.values():
        if name not in settings.classes:
            raise ValueError(f"former: {name!r} is not one of the classes")


def check_positive(settings: TaskSettings) -> None:
    """Raise ValueError unless the positive class is one of two classes."""
    if settings.positive is None:
        return
    if settings.many:
        raise ValueError(f"positive is for two classes, and there are {len(settings.classes)}: leave it out")
    if settings.positive not in settings.classes:
        listed = " or ".join(map(repr, settings.classes))
        raise ValueError(f"positive must be {listed}, not {settings.positive!r}")


def check_item(settings: TaskSettings) -> None:
    """Raise ValueError unless the parts of items are distinct, and vectors have a length."""
    if len(set(settings.parts)) < len(settings.parts):
        raise ValueError(f"item: {settings.item} names a part twice: name each once")
    if settings.takes_vectors and settings.vector_length is None:
        raise ValueError("vector_length is missing: items may have vectors, so say how many numbers each has")
    if settings.vector_length is not None and not settings.takes_vectors:
        raise ValueError(f"vector_length is for items with vectors, and item is {settings.item!r}: leave it out")
    if settings.columns and "record" not in settings.parts:
        raise ValueError(f"columns is for items with records, and item is {settings.item!r}: leave it out")
    if settings.columns and not settings.is_auto:
        raise ValueError(f"{settings.method} hashes records as they are: leave out columns, or use {AUTO}")


def check_oracles(settings: TaskSettings) -> None:
    """Raise ValueError unless prices are right, and programs decide only where questions are chosen on lease."""
    check_prices(settings.oracles)
    if settings.oracles.enough is not None and not settings.named.asks_on_lease:
        raise ValueError("oracles.enough is for questions that are chosen on lease: leave it out")


def to_json(settings: TaskSettings) -> bytes:
    """Encode settings for the store."""
    return msgspec.json.encode(settings)


def from_json(content: bytes) -> TaskSettings:
    """Decode settings from the store."""
    settings = msgspec.json.decode(content, type=TaskSettings)
    if settings.algorithm is None:
        earlier = MANY_CLASSES if settings.many else TWO_CLASSES
        settings = msgspec.structs.replace(settings, algorithm=earlier)
    return settings
