"""The settings of a task: its classes, items, algorithm and budget.

Clients read settings too and need no learner, so learners are imported only where one is made.
"""

import os
import pathlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from askance._util.memory import free_bytes

if TYPE_CHECKING:
    from askance.learners.core import LearnerCore
    from askance.rules.query import QueryRule
    from askance.service.state.auto_model import AutoModel

# JSON schemas and Python disagree on whether $ matches before a final line break.
END = r"$(?!\n)"
PRINTABLE = r"^[^\x00-\x1f\x7f]+" + END
TaskName = Annotated[
    str, Meta(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}" + END, description="Lower case, because it is part of URLs.")
]
ClassName = Annotated[str, Meta(min_length=1, max_length=100, pattern=PRINTABLE)]

TAKEN_KEYS = {"u": "undo", "?": "help"}  # space, which skips, is excluded by the pattern

State = Literal["running", "paused", "archived"]
AUTO = "auto"  # the algorithm of a task that names none
# The algorithms of tasks that were stored without one, before there was an automatic learner.
TWO_CLASSES, MANY_CLASSES = "PAA-II", "MPAA-II"


class Section(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A section of a task's settings."""


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


class Labelling(Section, frozen=True):
    """Labels per item, the length of a lease, and the number of skips after which a question is given up."""

    per_item: Annotated[int, Meta(ge=1, le=25)] = 1
    lease_seconds: Annotated[float, Meta(ge=0.1, le=86_400)] = 300.0
    skips: Annotated[int, Meta(ge=1, le=100)] = 2


class Costs(Section, frozen=True):
    """The cost of a missed positive (`c_p`) and of a false alarm (`c_n`), for the metric `cost`."""

    c_p: Annotated[float, Meta(ge=0, le=1e12)] = 1.0
    c_n: Annotated[float, Meta(ge=0, le=1e12)] = 1.0


class Interface(Section, frozen=True):
    """What labellers see: the keys of the classes, whether the prediction is shown first, and guidance.

    A prediction that is shown biases the labels towards it, and so it biases the estimates.
    """

    keys: dict[ClassName, Annotated[str, Meta(pattern=r"^[^\s\x00-\x1f\x7f]" + END)]] = {}
    prediction: Literal["hidden", "shown"] = "hidden"
    guidance: Annotated[str, Meta(max_length=4000)] = ""


class TaskSettings(Section, frozen=True):
    """The settings of a task. Of two classes, the last in sorted order is the positive one."""

    name: TaskName
    classes: Annotated[list[ClassName], Meta(min_length=2, max_length=1000)]
    item: Literal["text", "record"] = "text"
    algorithm: Annotated[str, Meta(max_length=50)] | None = None
    parameters: dict[str, float | str] = {}
    hashing: Hashing = Hashing()
    budget: Budget = Budget()
    labels: Labelling = Labelling()
    costs: Costs = Costs()
    interface: Interface = Interface()
    random_state: Annotated[int, Meta(ge=0, le=2**53)] = 0
    dtype: Literal["float32", "float64"] = "float64"

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
        """The same settings, with the name of the algorithm."""
        return msgspec.structs.replace(self, algorithm=self.method)

    @property
    def many(self) -> bool:
        """Whether there are more than two classes."""
        return len(self.classes) > 2

    @property
    def width(self) -> int:
        """The number of features."""
        return 1 << self.hashing.bits

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

    def learner(self) -> "LearnerCore | AutoModel":
        """The learner before the first item; ValueError if the settings are not valid."""
        from askance.service.state.auto_model import AutoModel

        if len(set(self.classes)) != len(self.classes):
            raise ValueError(f"classes must be distinct, not {self.classes}")
        check_keys(self)
        if not self.is_auto:
            return self._from_catalog()
        if self.dtype != "float64":
            raise ValueError(f'{AUTO} computes in double precision: leave out dtype, or set it to "float64"')
        self._check_memory(self.width * 32)
        made = AutoModel.of(self.hashing.bits, self.classes, self.random_state, self.parameters)
        return made.keep_to(self.budget.rate, self.budget.burst)

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
            Settings(self.random_state, self.dtype, parts.sgn0, sorted(self.classes), parts.multiclass),
        )
        return learner.resize(self.width)

    def _check_memory(self, needed: int) -> None:
        if needed > free_bytes():
            size = f"{len(self.classes)} classes of 2**{self.hashing.bits} features"
            raise ValueError(f"{size} do not fit into memory: use fewer hashing bits")


Settings = TaskSettings | Mapping[str, Any] | str | os.PathLike[str]


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


def from_toml(path: pathlib.Path) -> TaskSettings:
    """Read the settings in a TOML file; ValueError with the file's name if they are not valid."""
    try:
        settings = msgspec.toml.decode(path.read_bytes(), type=TaskSettings)
        settings.learner()
    except (msgspec.DecodeError, ValueError, TypeError, MemoryError) as error:
        raise ValueError(f"{path}: {error}") from None
    return settings


def as_settings(given: Settings) -> TaskSettings:
    """Make settings from `TaskSettings`, a mapping, or the path of a TOML file."""
    if isinstance(given, TaskSettings):
        return given
    if isinstance(given, Mapping):
        try:
            return msgspec.convert(given, TaskSettings)
        except msgspec.ValidationError as error:
            raise ValueError(f"the settings are not valid: {error}") from None
    try:
        return from_toml(pathlib.Path(given))
    except OSError as error:
        raise ValueError(f"{given}: cannot be read ({error.strerror}): check the path") from None


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
