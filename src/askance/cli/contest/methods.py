"""From the words of the command line to learners: the algorithm, and what it is compared with."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from askance.algorithms import catalog, look_up, parts_of
from askance.algorithms.steering import steered
from askance.learners.from_rules import with_rules
from askance.learners.learner import Learner
from askance.rules.query import Always, AtRate, QueryRule, Random, Within
from askance.rules.registry import MULTICLASS
from askance.rules.update import UpdateRule

RANDOM, FULL = "random", "full"

# What may stand where the catalog has a number.
WORDS = ("running",)


class Budget(NamedTuple):
    """How many labels are wanted: a rate to steer to, and bounds never to cross."""

    rate: float | None = None
    limit: int | None = None
    burst: int | None = None

    def around(self, query: QueryRule) -> QueryRule:
        """`query` within the bounds, if there are any."""
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

    def learner(self, **options: Any) -> Learner:
        """A learner that knows nothing yet."""
        learner = with_rules(self.update, self.query, sgn0=self.sgn0, multiclass=self.many, **options)
        learner.check_parameters()
        return learner


def parse_parameters(assignments: list[str]) -> dict[str, Any]:
    """`["C=0.5", "kernel=rbf"]` as numbers by name, and words where the catalog has words."""
    return dict(map(_parse_parameter, assignments))


def _parse_parameter(assignment: str) -> tuple[str, float | str]:
    name, equals, value = assignment.partition("=")
    if not equals:
        raise ValueError(f"--param {assignment}: give a name and a number, as in --param C=0.5")
    name = name.strip()
    if value.strip() in WORDS or any(isinstance(entry.defaults.get(name), str) for entry in catalog.values()):
        return name, value.strip()
    try:
        return name, float(value)
    except ValueError:
        raise ValueError(f"--param {assignment}: {value!r} is not a number") from None


def algorithm(name: str, parameters: Mapping[str, Any], budget: Budget) -> Method:
    """The method that the catalog calls `name`, steered to the rate and kept within the budget."""
    parts = parts_of(name, parameters)
    query = parts.query if budget.rate is None else steered(name, parts.query, budget.rate)
    return Method(name, parts.update, budget.around(query), parts.sgn0, parts.multiclass)


def opponent(word: str, main: Method, parameters: Mapping[str, Any], budget: Budget) -> Method:
    """What `--against` names: the algorithm's own update rule asked otherwise, or a method of the catalog.

    A method of the catalog gets the parameters that it shares with the algorithm. Whatever always asks does so
    without a budget: it shows what all labels would give.
    """
    if word == FULL:
        return main._replace(name=FULL, query=Always())
    if word == RANDOM and budget.rate is not None:
        return main._replace(name=RANDOM, query=budget.around(Random(budget.rate)))
    known = look_up(word).defaults
    parts = parts_of(word, {name: value for name, value in parameters.items() if name in known})
    if parts.multiclass != main.many:
        kinds = "many classes and the other two" if parts.multiclass else "two classes and the other many"
        raise ValueError(f"--against {word}: {word} is for {kinds}, so they cannot be compared")
    query: Any = parts.query
    if not isinstance(query, Always):
        query = AtRate(query, budget.rate) if budget.rate is not None and hasattr(query, "scaled") else query
        query = budget.around(query)
    return Method(word, parts.update, query, parts.sgn0, parts.multiclass)


def for_many(word: str) -> bool:
    """Whether a word of `--against` names a method for many classes."""
    return word not in (RANDOM, FULL) and look_up(word).kind == MULTICLASS


def parse_opponents(against: str | None, main: str) -> list[str]:
    """`random,full,PE` as words, each known."""
    words = [word.strip() for word in (against or "").split(",") if word.strip()]
    for word in words:
        if word == main:
            raise ValueError(f"--against {word}: that is the algorithm itself, so leave it out")
        if word not in (RANDOM, FULL):
            look_up(word)
    return list(dict.fromkeys(words))
