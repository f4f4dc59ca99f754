"""The results of a contest as a table, as a sentence and as a dictionary."""

from collections.abc import Sequence
from typing import Any

from rich.table import Table

from askance._util.class_names import shown_class
from askance.auto.core import AutoCore
from askance.cli.contest.contest import Contestant
from askance.cli.contest.methods import FULL, RANDOM
from askance.metrics import METRICS, Curve, Tally
from askance.metrics.histograms import BINS
from askance.metrics.positive import OF_POSITIVE

NAMES = {RANDOM: "asking at random", FULL: "asking for all"}
# Budgets leave a few rows of nearly every stream without a chance to be asked for, which changes no estimate much.
FEW_OUT_OF_REACH = 0.05
ROUGH = 0.01  # from here on, what the rounding of scores may have changed is shown


def shown_name(contestant: Contestant) -> str:
    """The name in tables and plots."""
    return NAMES.get(contestant.name, contestant.name)


def titled(metric: str, positive: Any = None) -> str:
    """The name of a metric, with the class that it is about: `F of 'fraud'`."""
    title = METRICS[metric].title
    return title if positive is None or metric not in OF_POSITIVE else f"{title} of {shown_class(positive)!r}"


def table(contestants: Sequence[Contestant], metric: str) -> Table:
    """One line per contestant."""
    result = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    result.add_column("")
    title = METRICS[metric].title.replace(" ", "\n")
    headings = ("rows", "labels\nasked", "", title, "estimated from\nasked labels", "time to\nlearn")
    for heading in headings:
        result.add_column(heading, justify="right")
    for contestant in contestants:
        counts = contestant.recorder.tally.counts
        result.add_row(
            shown_name(contestant),
            f"{counts.rows:,}",
            f"{counts.asked:,}",
            _percent(contestant.share_asked),
            reached(contestant, metric),
            estimated(contestant, metric),
            _duration(contestant.seconds),
        )
    return result


def reached(contestant: Contestant, metric: str) -> str:
    """The metric over all rows; of scores, with what their rounding may have changed if that matters."""
    tally = contestant.recorder.tally
    bound = rounding(tally, metric)
    value = contestant.value(metric)
    return number(metric, value) if bound < ROUGH else f"{value:.2f} ± {bound:.2f}"


def rounding(tally: Tally, metric: str) -> float:
    """How far a metric may be from that of scores that are not rounded; 0 for metrics of counts."""
    if not METRICS[metric].of_scores or tally.many:
        return 0.0
    return (tally.histograms.auroc() if metric == "auroc" else tally.histograms.auprc()).bound


def rounding_note(contestants: Sequence[Contestant], metric: str) -> list[str]:
    """That scores were rounded, if it matters for a metric."""
    if max(rounding(each.recorder.tally, metric) for each in contestants) < ROUGH:
        return []
    return [
        f"{METRICS[metric].title} is of scores in {BINS} bins, and too many are in one of them: save the model, "
        "and askance evaluate computes it for other rows almost exactly."
    ]


def estimated(contestant: Contestant, metric: str) -> str:
    """The metric, estimated from the requested labels alone; empty if all labels were requested."""
    counts = contestant.recorder.tally.counts
    if counts.asked == counts.rows:
        return ""
    found = contestant.estimate(metric)
    if found.value is None or found.low is None or found.high is None:
        return "too few labels"
    value, low, high = (number(metric, one) for one in (found.value, found.low, found.high))
    if found.low == found.high:
        return value
    # With few labels, the best guess may be an end of the interval, which is where nobody should look.
    is_end = value in (low, high) and 0 < found.value < 1
    return f"{low}–{high}" if is_end else f"{value} ({low}–{high})"


def reach_note(contestants: Sequence[Contestant], metric: str) -> list[str]:
    """Which estimates are of a part of the rows, or have no interval."""
    parts = [part for part in (_part_reached(each, metric) for each in contestants) if part]
    return [f"Estimates are of the rows that could be asked for: {'; '.join(parts)}."] if parts else []


def _part_reached(contestant: Contestant, metric: str) -> str:
    """The rows that an estimate is of, if it does not go without saying."""
    counts, found, known = (
        contestant.recorder.tally.counts,
        contestant.estimate(metric),
        contestant.asked.known(),
    )
    if counts.asked == counts.rows or found.value is None:
        return ""
    is_sure = found.low == found.high
    if known.out_of_reach <= FEW_OUT_OF_REACH * known.rows and not is_sure:
        return ""
    reached = f"{shown_name(contestant)} {known.rows - known.out_of_reach:,} of {known.rows:,}"
    return f"{reached}, which all have labels, so that there is no interval" if is_sure else reached


def sentence(contestants: Sequence[Contestant], metric: str, positive: Any = None) -> str:
    """The results in one sentence; `positive` is the positive class."""
    first, *others = contestants
    result = _reached(first, metric, titled(metric, positive))
    words = [f"{first.name} asked for {_percent(first.share_asked)} of the labels and {result}"]
    for other in others:
        value = f"{_verb(metric)} {reached(other, metric)}"
        if other.name == FULL:
            words.append(f"asking for all labels {value}")
        elif other.name == RANDOM:
            words.append(f"asking for {_percent(other.share_asked)} at random {value}")
        else:
            words.append(f"{other.name} asked for {_percent(other.share_asked)} and {value}")
    return "; ".join(words) + "."


def curves(contestants: Sequence[Contestant], metric: str) -> dict[str, Curve]:
    """The metric along the stream, by name."""
    return {shown_name(contestant): contestant.curve(metric) for contestant in contestants}


def as_dict(contestant: Contestant) -> dict[str, Any]:
    """All results except times, which differ between runs."""
    tally = contestant.recorder.tally
    return {
        "name": contestant.name,
        **_rules(contestant),
        "rows": tally.counts.rows,
        "asked": tally.counts.asked,
        "share_asked": contestant.share_asked,
        "refused": contestant.refused,
        "updates": tally.counts.updates,
        "metrics": {
            name: contestant.value(name)
            for name, entry in METRICS.items()
            if not (tally.many and entry.two_classes)
        },
        "rounding": {name: rounding(tally, name) for name, entry in METRICS.items() if entry.of_scores},
        "estimates": {name: contestant.estimate(name).as_dict() for name in contestant.asked.estimates()},
    }


def _rules(contestant: Contestant) -> dict[str, Any]:
    learner = contestant.learner
    if isinstance(learner, AutoCore):
        return {name: getattr(learner.settings, name) for name in ("rate", "limit", "audit", "memory")}
    rules = dict(zip(("update", "query"), map(repr, learner.rules), strict=True))
    return {**rules, "intercept": learner.settings.intercept, "scaling": learner.settings.scaling}


def learning_times(contestants: Sequence[Contestant]) -> dict[str, float]:
    """Seconds by name."""
    return {contestant.name: contestant.seconds for contestant in contestants}


def number(metric: str, value: float) -> str:
    """A value of a metric, formatted."""
    return f"{value:.3f}" if abs(value) <= 1 and metric not in ("mistakes", "cost") else f"{value:,.0f}"


def _reached(contestant: Contestant, metric: str, title: str) -> str:
    value = reached(contestant, metric)
    words = f"{value} mistakes" if metric == "mistakes" else f"{title} {value}"
    return f"{_verb(metric)} {words}"


def _verb(metric: str) -> str:
    return "made" if metric == "mistakes" else "reached"


def _duration(seconds: float) -> str:
    return f"{seconds:,.1f} s" if seconds >= 1 else f"{1000 * seconds:.0f} ms"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %" if share >= 0.01 else f"{100 * share:.2g} %"


def majority_note(contestant: Contestant) -> list[str]:
    """A warning if a constant prediction would be as good."""
    counts = contestant.recorder.tally.counts
    ((guess, often),) = contestant.classes.most_common(1)
    if counts.known - counts.mistakes > often:
        return []
    advice = "check the features" if contestant.many else "look at --metric f, or check the features"
    return [f"Always predicting {shown_class(guess)} would reach accuracy {often / counts.known:.3f}: {advice}."]
