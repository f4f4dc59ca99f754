"""The tables and diagrams of the documentation."""

import csv
from pathlib import Path
from typing import Any

import numpy as np

from askance.plotting.ranks import draw_ranks
from bench.league.tables import NOTHING, Sheet
from bench.rules.entries import RULES
from bench.rules.figures import AUTO, FOR_ALL, OWN, Figures, Pair
from bench.rules.questions import NAMES

KINDS = {"two-classes": False, "more-classes": True}
# What the page recommends, in the order of the page.
RECOMMENDED_RULES = ("Replay", "SCW-I-diag", "AROW-diag", "PAM-II-diag", "PA-I")
RECOMMENDED_QUESTIONS = ("SpreadMargin", "IWAL", "LeastCertain")
BEST = 12  # pairs that are listed


def write(results: list[dict[str, Any]], tables: Path, pictures: Path) -> list[Path]:
    """Write the tables and diagrams of both kinds of sets, as far as there are results; return the files."""
    written = []
    for kind, many in KINDS.items():
        if not any((one["classes"] > 2) == many for one in results):
            continue
        figures = Figures(results, many=many)
        for name, sheet in sheets(figures).items():
            written.append(tables / f"{kind}-{name}.csv")
            written[-1].parent.mkdir(parents=True, exist_ok=True)
            with written[-1].open("w", encoding="utf-8", newline="") as file:
                csv.writer(file, lineterminator="\n").writerows([sheet.header, *sheet.rows])
        written += draw(figures, kind, pictures)
    return written


def draw(figures: Figures, kind: str, pictures: Path) -> list[Path]:
    """Draw the ranks of rules, of questions, and of the recommended pairs beside the automatic learner."""
    pictures.mkdir(parents=True, exist_ok=True)
    diagrams = {
        "rules": figures.rules_ranked(),
        "questions": figures.questions_ranked("stream"),
        "questions-held-out": figures.questions_ranked("held_out"),
        "pairs": figures.pairs_ranked(recommended(figures)),
    }
    for name, found in diagrams.items():
        draw_ranks(found.ranks, found.groups, pictures / f"rules-{kind}-{name}.png")
    return [pictures / f"rules-{kind}-{name}.png" for name in diagrams]


def recommended(figures: Figures) -> list[Pair]:
    """The recommended rules, each with the recommended questions."""
    pairs = [Pair(rule, asking) for rule in RECOMMENDED_RULES for asking in RECOMMENDED_QUESTIONS]
    return [pair for pair in pairs if pair in figures.pairs]


def sheets(figures: Figures) -> dict[str, Sheet]:
    """The tables by the names of their files."""
    return {
        "rules": by_rule(figures),
        "questions": by_question(figures),
        "pairs": best_pairs(figures),
        "recommended": pair_sheet(figures, recommended(figures)),
        "crossing": crossing(figures),
        "sets": by_set(figures),
    }


def by_rule(figures: Figures) -> Sheet:
    """A line per rule, the best first: its accuracy, and what other choices of its parameter would change."""
    header = (
        *("rule", "rank", "stream", "held out", "with the default", "best in hindsight", "value chosen"),
        *("best question", "points behind AutoLearner"),
    )
    rows = []
    found = figures.rules_ranked().ranks
    for rule in sorted(found, key=lambda name: found[name]):
        best = figures.best_question(rule)
        stream, held_out = (
            np.mean([figures.mean(Pair(rule, asking), field) for asking in FOR_ALL])
            for field in ("stream", "held_out")
        )
        shares = (stream, held_out, figures.default(rule), figures.hindsight(rule))
        value = list(RULES[rule])[figures.best_value(rule)] or NOTHING
        behind = f"{np.mean(figures.behind(best)):.1f}"
        rows.append((rule, f"{found[rule]:.1f}", *(f"{one:.1f}" for one in shares), value, best.question, behind))
    return Sheet("update rules", header, rows)


def by_question(figures: Figures) -> Sheet:
    """A line per question, the best first."""
    found, held_out = (figures.questions_ranked(field).ranks for field in ("stream", "held_out"))
    header = ("question", "rank over the stream", "rank held out", "stream", "held out", "labels spent")
    rows = []
    for asking in sorted(found, key=lambda name: found[name]):
        pairs = [Pair(rule, asking) for rule in figures.able]
        accuracies = (np.mean([figures.mean(pair, field) for pair in pairs]) for field in ("stream", "held_out"))
        rows.append(
            (
                asking,
                f"{found[asking]:.1f}",
                f"{held_out[asking]:.1f}",
                *(f"{one:.1f}" for one in accuracies),
                f"{spent(figures, asking):.0%}",
            )
        )
    return Sheet("query rules", header, rows)


def spent(figures: Figures, asking: str) -> float:
    """The labels that a question asked for, as a share of those of the automatic learner."""
    auto = Pair(AUTO, OWN)
    shares = [
        figures.value(Pair(rule, asking), name, "labels") / figures.value(auto, name, "labels")
        for rule in figures.able
        for name in figures.sets
    ]
    return float(np.mean(shares))


def best_pairs(figures: Figures) -> Sheet:
    """The pairs with the highest accuracy, mean of that over the stream and that on held-out rows."""

    def both(pair: Pair) -> float:
        return figures.mean(pair) + figures.mean(pair, "held_out")

    best = sorted(figures.pairs, key=both, reverse=True)[:BEST]
    return pair_sheet(figures, best)


def pair_sheet(figures: Figures, pairs: list[Pair]) -> Sheet:
    """A line per pair, and one for the automatic learner."""
    header = (
        *("rule", "question", "stream", "held out", "points behind AutoLearner, stream", "and held out"),
        "sets at or above it, stream",
    )
    rows = []
    for pair in [Pair(AUTO, OWN), *pairs]:
        behind = figures.behind(pair), figures.behind(pair, "held_out")
        accuracies = (f"{figures.mean(pair, field):.1f}" for field in ("stream", "held_out"))
        points = (f"{np.mean(one):.1f}" for one in behind)
        wins = f"{sum(one <= 0 for one in behind[0])} of {len(figures.sets)}"
        rows.append((*pair, *accuracies, *points, wins))
    return Sheet("pairs", header, rows)


def crossing(figures: Figures) -> Sheet:
    """Every rule with every question: the accuracy over the stream, mean over sets and budgets."""
    rows = []
    for rule in figures.rules:
        pairs = [Pair(rule, asking) for asking in NAMES]
        rows.append((rule, *(f"{figures.mean(pair):.1f}" if pair in figures.pairs else NOTHING for pair in pairs)))
    return Sheet("rules and questions", ("rule", *NAMES), rows)


def by_set(figures: Figures) -> Sheet:
    """Every rule with every question on every set, at each budget."""
    rows = []
    for pair in [Pair(AUTO, OWN), *figures.pairs]:
        for budget in ("200", "10%"):
            has = [figures.has(pair, name, budget) for name in figures.sets]
            values = [
                f"{100 * figures.value(pair, name, 'stream', budget):.1f}" if there else NOTHING
                for name, there in zip(figures.sets, has, strict=True)
            ]
            rows.append((*pair, budget, *values))
    return Sheet("every set", ("rule", "question", "labels", *figures.sets), rows)
