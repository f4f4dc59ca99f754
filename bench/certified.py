"""`python -m bench.certified`: how often certificates are wrong, how soon they come and how much they cover.

Every data set is a stream in several orders, and `AutoLearner(certify=0.02)` asks about a tenth of it. At every
tenth row the certificate, if there is one, is compared with the truth. Labels come at once or up to 500 rows late,
and from some row on classes may change places. With `--linear`, the learner is a linear one that asks about a
fifth of the rows, half of them at random: it takes less time, and errs more. If labels are late, it works in
blocks.
"""

import argparse
import json
import math
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from scipy import sparse

import askance
from askance.auto.steering import widest
from askance.metrics import Certifier
from askance.metrics.certificate import log_odds_of_lead
from askance.rules.query import LeastCertain
from bench.league.tasks import IN_TIME, folder, load

SETS = (
    *("spamassassin", "spam_corpus", "reuters_r8", "sms_spam"),
    *("spambase", "usps", "optdigits", "segment"),
)
LOOK_EVERY = 10  # rows
LAST = 0.2  # the end of a stream: this share of its rows
BLOCK, AT_RANDOM, DOUBTFUL, RECENT = 50, 0.1, 0.1, 400  # of the linear learner with late labels


class Outcome(NamedTuple):
    """What became of one stream."""

    violated: bool
    certified: bool  # at the end
    share: float  # of the rows at the end that came when their set was certified
    error: float  # of all such rows
    labels: int | None  # in the set when it was first certified
    accuracy: float


class Setting(NamedTuple):
    """One stream, and how its labels come."""

    name: str
    order: int
    error: float
    rate: float
    delay: int
    drift: float  # the share of rows after which classes change places, or 0
    linear: bool = False


def stream(setting: Setting) -> tuple[Any, NDArray[np.int64]]:
    """The rows and classes of a stream."""
    X, y = load(folder(), setting.name)
    random = np.random.default_rng(setting.order)
    order = np.arange(len(y)) if setting.name in IN_TIME else random.permutation(len(y))
    X, y = X[order], y[order]
    if setting.drift:
        later = np.arange(len(y)) >= int(setting.drift * len(y))
        y = np.where(later, (y + 1) % (y.max() + 1), y)
    return X, y


def measure(setting: Setting) -> Outcome:
    """Run one stream, and look at its certificates."""
    X, y = stream(setting)
    if setting.linear:
        learner = _linear(X, y, setting.order)
        decisions = _in_blocks(learner, X, y, setting) if setting.delay else _prompt(learner, X, y)
    else:
        learner = askance.AutoLearner(setting.rate, certify=setting.error, random_state=setting.order)
        decisions = _late(learner, X, y, setting) if setting.delay else _prompt(learner, X, y)
    return _judge(decisions, len(y), setting)


def _linear(X: Any, y: NDArray[np.int64], random_state: int) -> askance.Learner:
    classes = np.unique(y)
    name = "PAA-II" if len(classes) == 2 else "MPAA-II"
    return askance.make(name, random_state=random_state, classes=classes).set_params(
        query=LeastCertain(rate=0.2, audit=0.5), scaling="tfidf" if sparse.issparse(X) else "standard"
    )


class Seen(NamedTuple):
    """A row: its confidence and coin, whether its prediction is wrong, and the labels that came just before it."""

    confidence: float
    ask_probability: float
    asked: bool
    wrong: bool
    told: list[int]


def _prompt(learner: Any, X: Any, y: NDArray[np.int64]) -> Iterator[Seen]:
    trace = learner.run(X, y)
    wrong = trace.predicted_codes != trace.true_codes
    before: list[int] = []
    for row, values in enumerate(zip(trace.confidences, trace.ask_probabilities, trace.asked, wrong, strict=True)):
        confidence, chance, asked, is_wrong = values
        yield Seen(float(confidence), float(chance), bool(asked), bool(is_wrong), before)
        before = [row] if asked else []


def _late(learner: Any, X: Any, y: NDArray[np.int64], setting: Setting) -> Iterator[Seen]:
    """Ask row by row, and tell each label at a random time up to the longest delay."""
    random, due = np.random.default_rng(10_000 + setting.order), {}
    for row in range(len(y)):
        told = due.pop(row, [])
        for other, chance in told:
            learner.tell(X[other : other + 1], y[other], chance)
        decision = learner.ask(X[row : row + 1])
        if decision.ask:
            when = row + 1 + int(random.integers(setting.delay))
            due.setdefault(when, []).append((row, decision.ask_probability))
        is_margin = len(learner._core.encoder.observed) == 2
        confidence = abs(decision.score) if is_margin else float(log_odds_of_lead(decision.score))
        wrong = decision.prediction != y[row]
        yield Seen(confidence, decision.ask_probability, decision.ask, bool(wrong), [one for one, _ in told])


def _in_blocks(learner: Any, X: Any, y: NDArray[np.int64], setting: Setting) -> Iterator[Seen]:
    """Ask about a tenth of the rows at random, and about those as doubtful as the most doubtful tenth of late.

    Between blocks, the labels that have come are learned and told.
    """
    random, classes = np.random.default_rng(10_000 + setting.order), np.unique(y)
    when, told = np.full(len(y), -1), np.zeros(len(y), bool)
    recent = np.zeros(0)
    for start in range(0, len(y), BLOCK):
        block = slice(start, start + BLOCK)
        due = np.flatnonzero((when[:start] >= 0) & (when[:start] <= start) & ~told[:start])
        told[due] = True
        if len(due):
            learner.partial_fit(X[due], y[due], classes)
        predicted, confidences = _predicted(learner, X[block], classes)
        doubtful = confidences <= (np.quantile(recent, DOUBTFUL) if len(recent) else np.inf)
        chances = np.where(doubtful, 1.0, AT_RANDOM)
        asked = random.random(len(chances)) < chances
        rows = start + np.flatnonzero(asked)
        when[rows] = rows + 1 + random.integers(setting.delay - BLOCK, size=len(rows))  # and up to a block
        recent = np.append(recent, confidences)[-RECENT:]
        wrong = predicted != y[block]
        news = [due.tolist()] + [[]] * (len(chances) - 1)
        yield from map(Seen, confidences.tolist(), chances.tolist(), asked.tolist(), wrong.tolist(), news)


def _predicted(learner: Any, X: Any, classes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    if not hasattr(learner, "classes_"):
        return np.full(X.shape[0], classes[0]), np.zeros(X.shape[0])
    scores = learner.decision_function(X)
    if scores.ndim == 1:
        return classes[(scores > 0).astype(int)], np.abs(scores)
    best = np.sort(scores, axis=1)
    return classes[scores.argmax(axis=1)], best[:, -1] - best[:, -2]


def _judge(rows: Iterator[Seen], count: int, setting: Setting) -> Outcome:
    certifier = Certifier(setting.error, widest=1.0 if setting.linear else widest(setting.error))
    mistakes = np.zeros(count + 1, int)  # in the set, before each row
    wrong, members, automatic = np.zeros((3, count), bool)
    violated, labels = False, None
    for number, row in enumerate(rows):
        for told in row.told:
            certifier.tell(told, bool(wrong[told]))
        wrong[number] = row.wrong
        members[number] = certifier.includes(row.confidence, row.ask_probability)
        automatic[number] = members[number] and certifier.certified
        certifier.add(row.confidence, row.ask_probability, row.asked)
        mistakes[number + 1] = mistakes[number] + (row.wrong and members[number])
        if number % LOOK_EVERY == 0 and certifier.certified:
            found = certifier.certificate()
            labels = found.labels if labels is None else labels
            inside = np.count_nonzero(members[found.since : found.until])
            violated |= bool(mistakes[found.until] - mistakes[found.since] > setting.error * inside)
    end = int(count * (1 - LAST))
    error = float(wrong[automatic].mean()) if automatic.any() else 0.0
    share = float(automatic[end:].mean())
    return Outcome(violated, certifier.certified, share, error, labels, float(1 - wrong.mean()))


def known(path: Path | None) -> dict[Setting, Outcome]:
    """The outcomes that an earlier run has stored."""
    if path is None or not path.exists():
        return {}
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return {Setting(*setting): Outcome(*outcome) for setting, outcome in lines}


def measured(each: list[Setting], results: Path | None, pool: ProcessPoolExecutor) -> list[Outcome]:
    """Measure what is not stored yet, and store it."""
    found = known(results)
    missing = [setting for setting in each if setting not in found]
    for setting, outcome in zip(missing, pool.map(measure, missing), strict=True):
        found[setting] = outcome
        if results is not None:
            with results.open("a") as file:
                file.write(json.dumps([setting, outcome]) + "\n")
    return [found[setting] for setting in each]


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--orders", type=int, default=20)
    parser.add_argument("--error", type=float, default=0.02)
    parser.add_argument("--rate", type=float, default=0.1)
    parser.add_argument("--delay", type=int, default=0, help="the most rows by which a label is late")
    parser.add_argument(
        "--drift",
        type=float,
        nargs="?",
        const=0.5,
        default=0.0,
        help="classes change places after this share of rows",
    )
    parser.add_argument("--linear", action="store_true", help="a linear learner instead of the automatic one")
    parser.add_argument("--results", type=Path, help="store outcomes here, and go on from what is stored")
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    table = Table(
        title=f"error {given.error:.0%}, rate {given.rate:.0%}, delay {given.delay}, drift {given.drift}"
    )
    for heading in (
        *("set", "streams", "wrong certificates", "certified at the end", "share at the end"),
        *("error of automatic rows", "labels in the set, median", "accuracy"),
    ):
        table.add_column(heading)
    best = math.log(20) / given.error
    with ProcessPoolExecutor(given.processes) as pool:
        for name in given.sets:
            each = [
                Setting(name, order, given.error, given.rate, given.delay, given.drift, given.linear)
                for order in range(given.orders)
            ]
            found = measured(each, given.results, pool)
            labels = [one.labels for one in found if one.labels is not None]
            needed = f"{np.median(labels):.0f} ({np.median(labels) / best:.2f} × {best:.0f})" if labels else "–"
            table.add_row(
                name,
                str(len(found)),
                str(sum(one.violated for one in found)),
                f"{np.mean([one.certified for one in found]):.0%}",
                f"{np.mean([one.share for one in found]):.2f}",
                f"{np.mean([one.error for one in found if one.labels is not None] or [0]):.4f}",
                needed,
                f"{np.mean([one.accuracy for one in found]):.3f}",
            )
    Console(width=140).print(table)


if __name__ == "__main__":
    main()
