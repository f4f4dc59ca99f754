"""Learners from the words of the command line: the algorithm, and the methods to compare it with."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from askance.algorithms import catalog, look_up, parts_of
from askance.algorithms.steering import steered
from askance.auto.core import AutoCore
from askance.auto.settings import AutoSettings, check_names
from askance.learners.core import LearnerCore
from askance.learners.settings import Settings
from askance.rules.imbalance import OPAUC
from askance.rules.imbalance import RULES as IMBALANCE
from askance.rules.query import Always, AtRate, QueryRule, Random, Within
from askance.rules.update import (
    CPA,
    OCS1,
    OCS2,
    PAUM,
    CostSensitiveDA,
    CostSensitiveMD,
    CostSensitivePA1,
    UpdateRule,
)

AUTO, RANDOM, FULL = "auto", "random", "full"
COST_SENSITIVE = (CPA, CostSensitiveDA, CostSensitiveMD, CostSensitivePA1, OCS1, OCS2, PAUM)

# Words that are allowed where the catalog has a number.
WORDS = ("running",)
WHOLE = ("limit", "memory")  # parameters of the automatic learner that are whole numbers


class Budget(NamedTuple):
    """How many labels may be requested: a target rate, and limits that are never exceeded."""

    rate: float | None = None
    limit: int | None = None
    burst: int | None = None

    def around(self, query: QueryRule) -> QueryRule:
        """`query` within the limits, if there are any."""
        if self.limit is None and self.burst is None:
            return query
        bounds: dict[str, Any] = {} if self.limit is None else {"limit": self.limit}
        if self.burst is not None:
            bounds |= {"rate": self.rate, "burst": self.burst}
        return Within(query, **bounds)


class Method(NamedTuple):
    """A named pair of rules."""

    name: str
    update: UpdateRule
    query: QueryRule
    sgn0: int
    many: bool

    def learner(self, **options: Any) -> LearnerCore:
        """A new learner."""
        return LearnerCore(self.update, self.query, Settings(sgn0=self.sgn0, multiclass=self.many, **options))


class AutoMethod(NamedTuple):
    """The automatic learner, and ways of asking to compare it with."""

    name: str
    parameters: dict[str, Any]

    def learner(self, **options: Any) -> AutoCore:
        """A new learner."""
        check_names(self.parameters)
        return AutoCore(AutoSettings(**self.parameters, **options))


def is_one_sided(update: Any) -> bool:
    """Whether a rule weighs the mistakes of the positive class in another way than those of the other one.

    OPAUC counts pairs of a row of each class, so it does not.
    """
    if isinstance(update, OPAUC):
        return False
    return isinstance(update, (*IMBALANCE, *COST_SENSITIVE))


def parse_parameters(assignments: list[str]) -> dict[str, Any]:
    """Parse `["C=0.5", "kernel=rbf"]`: numbers, or words where the catalog has words."""
    return dict(map(_parse_parameter, assignments))


def _parse_parameter(assignment: str) -> tuple[str, float | str]:
    name, equals, value = assignment.partition("=")
    if not equals:
        raise ValueError(f"--param {assignment}: write NAME=VALUE, for example --param C=0.5")
    name = name.strip()
    if value.strip() in WORDS or any(isinstance(entry.defaults.get(name), str) for entry in catalog.values()):
        return name, value.strip()
    try:
        return name, float(value)
    except ValueError:
        raise ValueError(f"--param {assignment}: {value!r} is not a number") from None


def algorithm(name: str, parameters: Mapping[str, Any], budget: Budget) -> Method:
    """The method with this name in the catalog, at the target rate and within the budget."""
    parts = parts_of(name, parameters)
    query = parts.query if budget.rate is None else steered(name, parts.query, budget.rate)
    return Method(name, parts.update, budget.around(query), parts.sgn0, parts.multiclass)


def opponent(word: str, main: Method, parameters: Mapping[str, Any], budget: Budget) -> Method:
    """A method that `--against` names: the algorithm's update rule with another query rule, or a catalog entry.

    A catalog entry gets the parameters that it shares with the algorithm. A method that always asks has no
    budget: it shows what all labels would give.
    """
    if word == FULL:
        return main._replace(name=FULL, query=Always())
    if word == RANDOM and budget.rate is not None:
        return main._replace(name=RANDOM, query=budget.around(Random(budget.rate)))
    known = look_up(word).defaults
    parts = parts_of(word, {name: value for name, value in parameters.items() if name in known})
    if parts.multiclass != main.many:
        kind, other = ("multiclass", "binary") if parts.multiclass else ("binary", "multiclass")
        raise ValueError(
            f"--against {word}: {word} is {kind} but {main.name} is {other}; compare methods of one kind"
        )
    query: Any = parts.query
    if not isinstance(query, Always):
        query = AtRate(query, budget.rate) if budget.rate is not None and hasattr(query, "scaled") else query
        query = budget.around(query)
    return Method(word, parts.update, query, parts.sgn0, parts.multiclass)


def automatic(parameters: Mapping[str, Any], budget: Budget) -> AutoMethod:
    """The automatic learner at the target rate and within the limit."""
    whole = {name: _whole(value) for name, value in parameters.items() if name in WHOLE}
    given = {name: value for name, value in budget._asdict().items() if name != "burst" and value is not None}
    return AutoMethod(AUTO, {**parameters, **whole, **given})


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def auto_opponent(word: str, main: AutoMethod) -> AutoMethod:
    """The automatic learner with another way of asking: at random at the same rate, or for all labels."""
    other: dict[str, Any] = {"audit": 1.0} if word == RANDOM else {"rate": 1.0, "limit": None}
    return AutoMethod(word, {**main.parameters, **other, "certify": None})


def beside_auto(word: str, rate: float, budget: Budget, *, many: bool) -> Method:
    """A catalog entry that `--against` names beside the automatic learner, at the same rate."""
    method = algorithm(word, {}, Budget())
    if method.many != many:
        kind, count = ("multiclass", "two") if method.many else ("binary", "more than two")
        raise ValueError(f"--against {word}: {word} is {kind}, but the file has {count} classes")
    if isinstance(method.query, Always):
        return method
    query: Any = method.query
    query = AtRate(query, rate) if hasattr(query, "scaled") else query
    return method._replace(query=budget._replace(burst=None).around(query))


def parse_opponents(against: str | None, main: str) -> list[str]:
    """Parse `random,full,PE`; all words must be known."""
    words = [word.strip() for word in (against or "").split(",") if word.strip()]
    for word in words:
        if word == main:
            raise ValueError(f"--against {word}: this is the algorithm itself; remove it")
        if word not in (RANDOM, FULL):
            look_up(word)
    return list(dict.fromkeys(words))
