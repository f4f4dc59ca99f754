"""From the words of the command line to learners: the algorithm, and what it is compared with."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from askance.learner import Learner
from askance.papers import catalog, look_up, rules_of
from askance.queries import Always, AtRate, QueryRule, Random, Within
from askance.updates import UpdateRule

RANDOM, FULL = "random", "full"


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

    def learner(self, **options: Any) -> Learner:
        """A learner that knows nothing yet."""
        learner = Learner(self.update, self.query, sgn0=self.sgn0, **options)
        learner.check_parameters()
        return learner


def parse_parameters(assignments: list[str], algorithm: str) -> dict[str, Any]:
    """`["C=0.5", "mode=inv"]` as values by name: numbers, but for what the algorithm has a word for."""
    defaults = look_up(algorithm).defaults
    return dict(_parse_parameter(assignment, defaults) for assignment in assignments)


def _parse_parameter(assignment: str, defaults: Mapping[str, Any]) -> tuple[str, Any]:
    name, equals, value = assignment.partition("=")
    if not equals:
        raise ValueError(f"--param {assignment}: give a name and a number, as in --param C=0.5")
    if isinstance(defaults.get(name.strip()), str):
        return name.strip(), value.strip()
    try:
        return name.strip(), float(value)
    except ValueError:
        raise ValueError(f"--param {assignment}: {value!r} is not a number") from None


def algorithm(name: str, parameters: Mapping[str, Any], budget: Budget) -> Method:
    """The method that the catalog calls `name`, steered to the rate and kept within the budget."""
    update, query, sgn0 = rules_of(name, parameters)
    if budget.rate is not None:
        query = _steered(name, query, budget.rate)
    return Method(name, update, budget.around(query), sgn0)


def _steered(name: str, query: Any, rate: float) -> QueryRule:
    if hasattr(query, "scaled"):
        return AtRate(query, rate)
    if isinstance(query, Always):
        raise ValueError(f"{name} always asks, so --rate cannot steer it{_active_form(name)}")
    raise ValueError(f"{name} cannot be steered to a rate: leave --rate out")


def _active_form(name: str) -> str:
    """A hint at the method with the same update rule that asks when in doubt."""
    for other, entry in catalog.items():
        scalable = hasattr(entry.query, "scaled") and entry.query is not Random
        if entry.update is look_up(name).update and scalable:
            return f": its active form is {other}"
    return ": leave --rate out"


def opponent(word: str, main: Method, parameters: Mapping[str, Any], budget: Budget) -> Method:
    """What `--against` names: the algorithm's own update rule asked otherwise, or a method of the catalog.

    A method of the catalog gets the parameters that it shares with the algorithm. Whatever always asks does so
    without a budget: it shows what all labels would give.
    """
    if word == FULL:
        return Method(FULL, main.update, Always(), main.sgn0)
    if word == RANDOM and budget.rate is not None:
        return Method(RANDOM, main.update, budget.around(Random(budget.rate)), main.sgn0)
    known = look_up(word).defaults
    query: Any
    update, query, sgn0 = rules_of(word, {name: value for name, value in parameters.items() if name in known})
    if isinstance(query, Always):
        return Method(word, update, query, sgn0)
    if budget.rate is not None and hasattr(query, "scaled"):
        query = AtRate(query, budget.rate)
    return Method(word, update, budget.around(query), sgn0)


def parse_opponents(against: str | None, main: str) -> list[str]:
    """`random,full,PE` as words, each known."""
    words = [word.strip() for word in (against or "").split(",") if word.strip()]
    for word in words:
        if word == main:
            raise ValueError(f"--against {word}: that is the algorithm itself, so leave it out")
        if word not in (RANDOM, FULL):
            look_up(word)
    return list(dict.fromkeys(words))
