"""`python -m bench.rules.near`: questions near recent rows, beside the same questions anywhere, at equal labels.

A run goes on from stored results. It prints the mean accuracy over data sets, and how often one is ahead.
"""

import argparse
import json
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import wilcoxon

from askance._util.parameters import Constraints
from askance.rules.query import (
    AtRate,
    CognitiveWindow,
    LeastCertain,
    LocalDensity,
    Margin,
    RandomVariableUncertainty,
    SpreadMargin,
    VariableUncertainty,
    Within,
)
from askance.rules.query.rule import with_room
from askance.rules.rows import Rows, Seen
from bench.league.tasks import budgets, folder, load, names, task
from bench.rules.__main__ import key, read
from bench.rules.entries import RULES, has_spread, takes
from bench.rules.questions import BURST
from bench.rules.streams import Prepared, prepared, reached
from bench.setting import DIRECTORY

UPDATES = ("Replay", "PAM-II-diag")
BUDGETS = ("200", "10%")
# In the order of the fields of `Choice`. The first of a pair is compared with the second.
NAMES = (
    *("Margin", "SpreadMargin", "LeastCertain", "VariableUncertainty", "RandomVariableUncertainty"),
    *("Margin, dense", "Margin, remembered", "DBALStream", "CogDQS"),
)
PAIRS = (
    *(("Margin, dense", "Margin"), ("Margin, remembered", "Margin")),
    *(("DBALStream", "RandomVariableUncertainty"), ("CogDQS", "VariableUncertainty")),
    *(("Margin, dense", "LeastCertain"), ("Margin, remembered", "LeastCertain")),
)


class Memories(NamedTuple):
    """The memory of every rule of `Choice`."""

    by_margin: Any
    spread: Any
    least: Any
    variable: Any
    random: Any
    dense: Any
    remembered: Any
    dbal: Any
    cognitive: Any


class Choice(NamedTuple):
    """One of the query rules, chosen by its number when it runs, so that a pass is compiled once for all."""

    number: int
    by_margin: Any
    spread: Any
    least: Any
    variable: Any
    random: Any
    dense: Any
    remembered: Any
    dbal: Any
    cognitive: Any

    def start(self) -> Memories:
        """Return the memories of all of them."""
        return Memories(*(rule.start() for rule in self[1:]))

    def make_room(self, memory: Memories, width: int) -> Memories:
        """Return the memories with room for rows, if the chosen rule needs it."""
        chosen = memory._fields[self.number]
        return memory._replace(**{chosen: with_room(self[self.number + 1], getattr(memory, chosen), width)})

    def see(self, memory: Memories, rows: Rows, t: int) -> None:
        """Show the row to the chosen rule."""
        if self.number == 5:
            self.dense.inner.see(memory.dense.inner, rows, t)
        elif self.number == 6:
            self.remembered.inner.see(memory.remembered.inner, rows, t)
        elif self.number == 7:
            self.dbal.see(memory.dbal, rows, t)
        elif self.number == 8:
            self.cognitive.inner.see(memory.cognitive.inner, rows, t)

    def ask(self, memory: Memories, seen: Seen, coin: float) -> float:
        """Return what the chosen rule returns."""
        if self.number == 0:
            probability = self.by_margin.ask(memory.by_margin, seen, coin)
        elif self.number == 1:
            probability = self.spread.ask(memory.spread, seen, coin)
        elif self.number == 2:
            probability = self.least.ask(memory.least, seen, coin)
        elif self.number == 3:
            probability = self.variable.ask(memory.variable, seen, coin)
        elif self.number == 4:
            probability = self.random.ask(memory.random, seen, coin)
        elif self.number == 5:
            probability = self.dense.ask(memory.dense, seen, coin)
        elif self.number == 6:
            probability = self.remembered.ask(memory.remembered, seen, coin)
        elif self.number == 7:
            probability = self.dbal.ask(memory.dbal, seen, coin)
        else:
            probability = self.cognitive.ask(memory.cognitive, seen, coin)
        return probability  # type: ignore[no-any-return]

    def constraints(self) -> Constraints:
        """None of its own."""
        return {}


def question(name: str, budget: int, rows: int) -> Within:
    """The query rule of this name that spends about `budget` labels on a stream, and never more."""
    rate, burst = budget / rows, float(min(BURST, budget // 2))
    chosen = Choice(
        NAMES.index(name),
        AtRate(Margin(), rate),
        AtRate(SpreadMargin(), rate),
        LeastCertain(max(1e-6, (budget - burst) / rows), burst=burst),
        AtRate(VariableUncertainty(rate), rate),
        AtRate(RandomVariableUncertainty(rate), rate),
        AtRate(LocalDensity(Margin()), rate),
        AtRate(CognitiveWindow(Margin()), rate),
        LocalDensity(RandomVariableUncertainty(1.0, audit=0.0), count_all=True),
        AtRate(CognitiveWindow(VariableUncertainty(rate)), rate),
    )
    if name == "DBALStream":  # whose budget is a share of all rows so far
        return Within(chosen, rate, limit=float(budget))
    return Within(chosen, limit=float(budget))


def measure(given: Prepared, rule: str, name: str, budget: int, order: int) -> dict[str, Any]:
    """What a rule with its default and a question reaches on a stream."""
    update = next(iter(RULES[rule].values()))
    found = reached(given, update, question(name, budget, len(given.stream.labels)), budget, order)
    return {"rule": rule, "question": name, **found._asdict()}


def main() -> None:
    """Run what is missing, and print the summary."""
    parser = argparse.ArgumentParser(prog="python -m bench.rules.near", description=__doc__)
    parser.add_argument("--sets", nargs="+", metavar="NAME", help="data sets; by default all in $ASKANCE_DATA")
    parser.add_argument("--orders", type=int, default=1, metavar="N", help="random orders of every set")
    options = parser.parse_args()
    path = DIRECTORY / "near.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    results = read(path)
    done = {key(one) for one in results}
    for order in range(options.orders):
        for name in options.sets or names(folder()):
            one = task(name, *load(folder(), name), order)
            given = None
            for label, budget in budgets(len(one.y)).items():
                for rule in UPDATES if label in BUDGETS else ():
                    for asking in NAMES if takes(rule, one.classes) else ():
                        line = {"set": name, "order": order, "budget": label, "many": one.classes > 2}
                        fits = asking != "SpreadMargin" or has_spread(rule)
                        if not fits or key({**line, "rule": rule, "question": asking}) in done:
                            continue
                        given = given or prepared(one)
                        results.append({**line, **measure(given, rule, asking, budget, order)})
                        with path.open("a", encoding="utf-8") as file:
                            file.write(json.dumps(results[-1]) + "\n")
    for many in (False, True):
        summarize([one for one in results if one["many"] == many], "more classes" if many else "two classes")


def summarize(results: list[dict[str, Any]], kind: str) -> None:
    """Print the means over sets of each rule and question, and each pair of questions compared set by set."""
    for rule in UPDATES:
        means: dict[str, dict[str, list[float]]] = {name: {} for name in NAMES}
        for one in results:
            if one["rule"] == rule:
                found = [100 * one["stream"], 100 * one["held_out"], one["labels"]]
                means[one["question"]].setdefault(one["set"], []).append(found)  # type: ignore[arg-type]
        table = {
            name: {group: np.mean(of_set, axis=0) for group, of_set in sets.items()}
            for name, sets in means.items()
        }
        for name, sets in table.items():
            if sets:
                print(kind, rule, name, len(sets), np.round(np.mean(list(sets.values()), axis=0), 2))
        for one_name, other in PAIRS:
            shared = table[one_name].keys() & table[other].keys()
            for column, where in enumerate(("stream", "held out") if len(shared) > 1 else ()):
                lead = np.array([table[one_name][s][column] - table[other][s][column] for s in sorted(shared)])
                chance = wilcoxon(lead).pvalue
                ahead = f"ahead on {(lead > 0).sum()} of {len(lead)}"
                print(f"{kind} {rule} {where}: {one_name} - {other}: {lead.mean():+.2f}, {ahead}, p {chance:.3f}")


if __name__ == "__main__":
    main()
