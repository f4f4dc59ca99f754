"""What the stored results say, as numbers: accuracies by set, with the parameters chosen in three ways."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.experiments.statistics import rank_groups, ranks, wilcoxon_holm
from bench.rules.entries import RULES, has_spread
from bench.rules.questions import NAMES, NEED_SPREAD

AUTO, OWN = "auto", "its own"  # the automatic learner, which has a question of its own
FOR_ALL = tuple(name for name in NAMES if name not in NEED_SPREAD)  # the questions that every rule takes

Values = NDArray[np.float64]


class Pair(NamedTuple):
    """An update rule and a query rule."""

    rule: str
    question: str


class Standing(NamedTuple):
    """Average ranks by name, and the groups that do not differ significantly."""

    ranks: dict[str, float]
    groups: list[list[str]]


class Figures:
    """The results of the sets of one kind: with two classes, or with more."""

    def __init__(self, results: Iterable[dict[str, Any]], *, many: bool) -> None:
        gathered = defaultdict(list)
        for one in results:
            if (one["classes"] > 2) == many:
                gathered[Pair(one["rule"], one["question"]), one["set"], one["budget"]].append(one)
        self._cells = dict(gathered)
        self.sets = sorted({name for _, name, _ in self._cells})
        self._budgets_of = {
            name: sorted({budget for _, other, budget in self._cells if other == name}) for name in self.sets
        }
        found = {pair.rule for pair, _, _ in self._cells}
        self.rules = [name for name in RULES if name in found]
        self.pairs = [
            Pair(rule, asking)
            for rule in self.rules
            for asking in NAMES
            if (Pair(rule, asking), self.sets[0], self._budgets(self.sets[0])[0]) in self._cells
        ]
        self._by_value: dict[Any, Values] = {}
        self._over_questions: dict[tuple[str, str], Values] = {}
        self._best: dict[tuple[str, str | None], int] = {}
        self._questions: dict[str, Standing] = {}

    def _budgets(self, name: str) -> list[str]:
        return self._budgets_of[name]

    def by_value(self, pair: Pair, name: str, field: str, budget: str | None = None) -> Values:
        """A field with every value of the parameter: the mean over orders, and over budgets if none is given."""
        key = pair, name, field, budget
        if key not in self._by_value:
            chosen = [budget] if budget else self._budgets(name)
            cells = [np.mean([one[field] for one in self._cells[pair, name, each]], axis=0) for each in chosen]
            self._by_value[key] = np.mean(cells, axis=0)
        return self._by_value[key]

    def has(self, pair: Pair, name: str, budget: str) -> bool:
        """Whether there is such a result."""
        return (pair, name, budget) in self._cells

    def over_questions(self, rule: str, name: str) -> Values:
        """The accuracy over the stream with every value, mean over the questions that every rule takes."""
        if (rule, name) not in self._over_questions:
            found = [self.by_value(Pair(rule, one), name, "stream") for one in FOR_ALL]
            self._over_questions[rule, name] = np.mean(found, axis=0)
        return self._over_questions[rule, name]

    def best_value(self, rule: str, without: str | None = None) -> int:
        """The number of the value with the highest mean accuracy over the sets, one of them left out."""
        others = [name for name in self.sets if name != without]
        if rule == AUTO or not others:
            return 0
        if (rule, without) not in self._best:
            found = [self.over_questions(rule, name) for name in others]
            self._best[rule, without] = int(np.mean(found, axis=0).argmax())
        return self._best[rule, without]

    def value(self, pair: Pair, name: str, field: str = "stream", budget: str | None = None) -> float:
        """A field with the value of the parameter that is best on the other sets."""
        return float(self.by_value(pair, name, field, budget)[self.best_value(pair.rule, without=name)])

    def mean(self, pair: Pair, field: str = "stream") -> float:
        """The mean over sets, in per cent."""
        return 100 * float(np.mean([self.value(pair, name, field) for name in self.sets]))

    def default(self, rule: str) -> float:
        """The accuracy with the default, mean over questions and sets, in per cent."""
        return 100 * float(np.mean([self.over_questions(rule, name)[0] for name in self.sets]))

    def hindsight(self, rule: str) -> float:
        """The same with the value that is best on each set."""
        return 100 * float(np.mean([self.over_questions(rule, name).max() for name in self.sets]))

    def behind(self, pair: Pair, field: str = "stream") -> list[float]:
        """The points by which a pair is behind the automatic learner on each set."""
        auto = Pair(AUTO, OWN)
        return [100 * (self.value(auto, name, field) - self.value(pair, name, field)) for name in self.sets]

    def best_question(self, rule: str) -> Pair:
        """The question with which a rule has the highest mean accuracy."""
        return max((pair for pair in self.pairs if pair.rule == rule), key=self.mean)

    def rules_ranked(self) -> Standing:
        """Rules by their accuracy over the stream, mean over the questions that every rule takes."""
        table = [
            [np.mean([self.value(Pair(rule, one), name) for one in FOR_ALL]) for rule in self.rules]
            for name in self.sets
        ]
        return standing(self.rules, table)

    def questions_ranked(self, field: str) -> Standing:
        """Questions by their accuracy, mean over the rules that take every question."""
        if field not in self._questions:
            table = [
                [np.mean([self.value(Pair(rule, one), name, field) for rule in self.able]) for one in NAMES]
                for name in self.sets
            ]
            self._questions[field] = standing(NAMES, table)
        return self._questions[field]

    @property
    def able(self) -> list[str]:
        """The rules that take every question."""
        return [rule for rule in self.rules if has_spread(rule)]

    def pairs_ranked(self, pairs: Sequence[Pair]) -> Standing:
        """Some pairs and the automatic learner by their accuracy over the stream."""
        given = [*pairs, Pair(AUTO, OWN)]
        table = [[self.value(pair, name) for pair in given] for name in self.sets]
        return standing([shown(pair) for pair in given], table)


def shown(pair: Pair) -> str:
    """A pair as diagrams name it."""
    return "AutoLearner" if pair.rule == AUTO else f"{pair.rule} × {pair.question}"


def standing(names: Sequence[str], table: Any) -> Standing:
    """Average ranks of accuracies (a row per set), and groups by Wilcoxon's test with Holm's correction."""
    average = ranks(table, larger_is_better=True).mean(axis=0)
    groups = rank_groups(average, wilcoxon_holm(table))
    return Standing(
        dict(zip(names, average.tolist(), strict=True)), [[names[member] for member in group] for group in groups]
    )
