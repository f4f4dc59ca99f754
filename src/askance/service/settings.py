"""What a task is: its classes, what its items look like, who learns, and what it may spend.

Clients read settings too and learn nothing: what makes learners is imported where one is made.
"""

import pathlib
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from askance._util.memory import free_bytes

if TYPE_CHECKING:
    from askance.learners.core import LearnerCore
    from askance.rules.query import QueryRule

# JSON schemas and Python disagree on what $ means before a last line's end.
END = r"$(?!\n)"
PRINTABLE = r"^[^\x00-\x1f\x7f]+" + END
TaskName = Annotated[
    str, Meta(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}" + END, description="Lower case, as in an address.")
]
ClassName = Annotated[str, Meta(min_length=1, max_length=100, pattern=PRINTABLE)]

TAKEN_KEYS = {"u": "undo", "?": "help"}  # space, which skips, is no key by its form

State = Literal["running", "paused", "archived"]
TWO_CLASSES, MANY_CLASSES = "PAA-II", "MPAA-II"


class Section(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A part of a task's settings."""


class Hashing(Section, frozen=True):
    """Features have 2**bits columns; `pairs` of neighbouring words are features too, if wanted."""

    bits: Annotated[int, Meta(ge=1, le=26)] = 20
    pairs: bool = False


class Budget(Section, frozen=True):
    """What may be asked for: after t items at most burst + rate·t labels, so many a day (UTC), so many in all.

    A rate also steers the query rule towards itself.
    """

    rate: Annotated[float, Meta(gt=0, le=1)] | None = None
    burst: Annotated[int, Meta(ge=0, le=2**53)] = 20
    per_day: Annotated[int, Meta(ge=0, le=2**53)] | None = None
    total: Annotated[int, Meta(ge=0, le=2**53)] | None = None


class Labelling(Section, frozen=True):
    """How many labels an item gets, how long a lease lasts, and after how many skips a question is given up."""

    per_item: Annotated[int, Meta(ge=1, le=25)] = 1
    lease_seconds: Annotated[float, Meta(ge=0.1, le=86_400)] = 300.0
    skips: Annotated[int, Meta(ge=1, le=100)] = 2


class Costs(Section, frozen=True):
    """What a missed item of the larger class and a false alarm cost, for the figure `cost`."""

    c_p: Annotated[float, Meta(ge=0, le=1e12)] = 1.0
    c_n: Annotated[float, Meta(ge=0, le=1e12)] = 1.0


class Desk(Section, frozen=True):
    """What labellers see: a key for each class, whether the model's guess is shown before they answer, and advice.

    A guess that is shown draws answers towards itself, and so do the figures that rest on them.
    """

    keys: dict[ClassName, Annotated[str, Meta(pattern=r"^[^\s\x00-\x1f\x7f]" + END)]] = {}
    guess: Literal["hidden", "shown"] = "hidden"
    guidance: Annotated[str, Meta(max_length=4000)] = ""


class TaskSettings(Section, frozen=True):
    """A task. Of two classes, the larger in sorted order is the positive one."""

    name: TaskName
    classes: Annotated[list[ClassName], Meta(min_length=2, max_length=1000)]
    item: Literal["text", "record"] = "text"
    algorithm: Annotated[str, Meta(max_length=50)] | None = None
    parameters: dict[str, float | str] = {}
    hashing: Hashing = Hashing()
    budget: Budget = Budget()
    labels: Labelling = Labelling()
    costs: Costs = Costs()
    desk: Desk = Desk()
    random_state: Annotated[int, Meta(ge=0, le=2**53)] = 0
    dtype: Literal["float32", "float64"] = "float64"

    @property
    def method(self) -> str:
        """The name in the catalog."""
        return self.algorithm or (MANY_CLASSES if self.many else TWO_CLASSES)

    @property
    def many(self) -> bool:
        """Whether there are more than two classes."""
        return len(self.classes) > 2

    @property
    def width(self) -> int:
        """How many features there are."""
        return 1 << self.hashing.bits

    def query(self) -> "QueryRule":
        """The query rule, steered to the budget's rate if it has one; ValueError if it cannot be."""
        from askance.algorithms import parts_of
        from askance.algorithms.steering import steered

        query = parts_of(self.method, self.parameters).query
        return query if self.budget.rate is None else steered(self.method, query, self.budget.rate)

    def learner(self) -> "LearnerCore":
        """The learner before the first item; ValueError, in one sentence, if the settings do not fit together."""
        from askance.algorithms import parts_of
        from askance.learners.core import LearnerCore

        if len(set(self.classes)) != len(self.classes):
            raise ValueError(f"classes must differ from each other, not {self.classes}")
        parts = parts_of(self.method, self.parameters)
        if parts.many != self.many:
            kind = "many classes" if parts.many else "two classes"
            raise ValueError(
                f"{self.method} is for {kind}, but there are {len(self.classes)}: take another algorithm"
            )
        if self.width * len(self.classes) * 32 > free_bytes():
            raise ValueError(
                f"{len(self.classes)} classes of 2**{self.hashing.bits} features do not fit into memory"
            )
        check_keys(self)
        learner = LearnerCore(
            parts.update,
            self.query(),
            random_state=self.random_state,
            dtype=self.dtype,
            sgn0=parts.sgn0,
            classes=sorted(self.classes),
            many=parts.many,
        )
        learner.check_parameters()
        return learner.widen(self.width)


def check_keys(settings: TaskSettings) -> None:
    """ValueError unless each key means one class and nothing else."""
    keys = settings.desk.keys
    for name, key in keys.items():
        if name not in settings.classes:
            raise ValueError(f"desk.keys: {name!r} is none of the classes")
        if key.lower() in TAKEN_KEYS:
            raise ValueError(f"desk.keys: {key!r} means {TAKEN_KEYS[key.lower()]} already: take another")
    if len({key.lower() for key in keys.values()}) < len(keys):
        raise ValueError("desk.keys: two classes have the same key: take another for one of them")


def warm_up(settings: TaskSettings) -> None:
    """Have the compiled code at hand before the first item comes."""
    import numpy as np
    import scipy.sparse as sp

    from askance.rules.rows import Row

    learner = settings.learner()
    row = Row(np.zeros(1, np.int32), np.ones(1, settings.dtype))
    learner.ask(row)
    learner.tell(row, settings.classes[0])
    learner.predict(sp.csr_array(([1.0], [0], [0, 1]), shape=(1, settings.width), dtype=settings.dtype))


def from_toml(path: pathlib.Path) -> TaskSettings:
    """The task in a TOML file; ValueError with the file's name if it is no sound one."""
    try:
        settings = msgspec.toml.decode(path.read_bytes(), type=TaskSettings)
        settings.learner()
    except (msgspec.DecodeError, ValueError, TypeError, MemoryError) as error:
        raise ValueError(f"{path}: {error}") from None
    return settings


def to_json(settings: TaskSettings) -> bytes:
    """As the store keeps it."""
    return msgspec.json.encode(settings)


def from_json(content: bytes) -> TaskSettings:
    """As the store kept it."""
    return msgspec.json.decode(content, type=TaskSettings)
