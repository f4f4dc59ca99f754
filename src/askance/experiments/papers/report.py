"""A table done again, in words for people: published beside ours, orderings that hold and those that do not."""

from collections.abc import Iterable

from askance.experiments.papers import Reproduction
from askance.experiments.papers.sweep_table import ComparedValue, Ordering, SweepTable, lines, orderings
from askance.experiments.sweep.results import Results


def markdown(found: Reproduction) -> str:
    """All that is to be said of a table, in Markdown."""
    table = found.table
    parts = [f"### {table.paper}, {_name(table.name)}: {table.title}", ""]
    if isinstance(found.results, Results) and isinstance(table, SweepTable):
        parts += [*_figures(lines(table, found.results)), "", *_orderings(orderings(table, found.results))]
        parts += [
            "",
            f"Over {found.results.columns['permutation'].max() + 1} permutations; {_tuned(found.results)}.",
        ]
    elif isinstance(found.results, list) and not isinstance(table, SweepTable):
        parts += table.body(found.results)
    if found.missing:
        parts += ["", "Left out:", "", *(f"- {label}: {why}" for label, why in found.missing.items())]
    own = filter(None, [table.note]) if isinstance(table, SweepTable) else table.notes
    notes = [*own, *found.notes]
    if notes:
        parts += ["", "To be known:", "", *(f"- {note}" for note in notes)]
    return "\n".join(parts) + "\n"


def _name(name: str) -> str:
    return f"table {name}" if name[0].isdigit() and "-" not in name else name


def _tuned(results: Results) -> str:
    return str(results.columns["tuned_on"][0]) if len(results) else "no run"


def _figures(found: Iterable[ComparedValue]) -> list[str]:
    """Published beside ours, a line a figure."""
    rows = ["| data | algorithm | labels | published | ours | 95 % interval | difference |"]
    rows.append("|:--|:--|--:|--:|--:|:-:|--:|")
    for line in found:
        published = "–" if line.published is None else f"{line.published:.2f}"
        difference = "" if line.difference is None else f"{line.difference:+.2f}"
        rows.append(
            f"| {line.data} | {line.algorithm} | {100 * line.asked:.1f} % | {published} | {line.ours:.2f} | "
            f"{line.low:.2f} to {line.high:.2f} | {difference} |"
        )
    return rows


def _orderings(found: list[Ordering]) -> list[str]:
    """Which of the paper's orderings hold, and where they do not."""
    if not found:
        return []
    rows = ["| claimed | holds | surely | does not | where it does not |", "|:--|--:|--:|--:|:--|"]
    for better, worse in dict.fromkeys((one.better, one.worse) for one in found):
        own = [one for one in found if (one.better, one.worse) == (better, worse)]
        fails = [one for one in own if not one.holds]
        sure = sum(one.holds and one.is_sure for one in own)
        where = ", ".join(f"{one.data} at {100 * one.rate:g} % ({one.lead:+.1f})" for one in fails)
        rows.append(
            f"| {better} > {worse} | {len(own) - len(fails)} of {len(own)} | {sure} | {len(fails)} | {where} |"
        )
    return rows
