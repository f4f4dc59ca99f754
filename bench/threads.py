"""What a second processor gains: the same work with one thread and with two.

Results do not depend on the number; tests check that. Turns are short, so that some of them find both processors
free on a machine that others use too.
"""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from askance.cli.contest.contest import Contestant, LineUp, never
from askance.cli.contest.methods import Budget, automatic
from askance.cli.contest.source import Classes
from askance.data import read_table
from askance.data.svmlight import read_svmlight
from askance.experiments.dataset import Dataset, make_dataset, shuffled
from askance.experiments.store import Store
from askance.experiments.sweep.plan import make_plan
from askance.experiments.sweep.run import run_cell
from askance.experiments.sweep.trial import Candidate, run_trials
from askance.fleet import Fleet
from bench.banks import GRID
from bench.clock import Contender, race
from bench.files import text_file
from bench.fleet import GIVEN, batches
from bench.report import Report
from bench.setting import Setting
from bench.text import exhaust

SECONDS = 30.0
KEYS, SWEPT, TEXTS = 20_000, 20_000, 10_000
WORDS, LENGTH = 5_000, 12

Work = Callable[[int], Any]


def measure(setting: Setting, report: Report) -> None:
    """Each kind of work, interleaved with itself."""
    given = setting.dataset("A")
    data = make_dataset("A", given.X, given.y, np.dtype("float32"))
    kinds: dict[str, Work] = {
        "two banks": banks(data),
        "sweep of one algorithm": sweep(given),
        "fleet": fleet(setting),
        "reading svmlight": reading(setting),
        "reading and learning, automatic": learning(setting),
    }
    for kind, work in kinds.items():
        contenders = [Contender(f"{kind}, {number}", partial(_apply, work, number)) for number in (1, 2)]
        timings = race(contenders, setting.seconds(SECONDS)).wall
        report.keep(f"threads: {kind}", timings)
        report.compare(f"threads: {kind}", *(contender.name for contender in contenders))


def _apply(work: Work, number: int, _: object) -> None:
    work(number)


def banks(data: Dataset) -> Work:
    """Thirty-two settings of PAA-II."""
    stream = shuffled(data, 0, 0)
    candidates = [Candidate(*rules, 1) for rules in GRID[:32]]
    return lambda threads: run_trials(candidates, data, stream, threads=threads)


def sweep(given: Any) -> Work:
    """PAA-II with eleven values of C: tuned at two rates, then run on a permutation."""
    data = make_dataset("A", given.X[:SWEPT], given.y[:SWEPT], np.dtype("float32"))
    plan = make_plan([data], ["PAA-II"], None, 1, [0.1, 0.2], None, 0, tuning=1, dtype="float32", points=1)
    return lambda threads: run_cell(plan._replace(threads=threads), plan.methods[0], data, Store(None))


def fleet(setting: Setting) -> Work:
    """A new fleet, with four rows per key."""
    keys = 2_000 if setting.quick else KEYS
    ((who, X, y),) = batches(keys, 4 * keys)

    def work(threads: int) -> None:
        with Fleet("PAA-II", **GIVEN, n_jobs=threads) as fresh:
            fresh.run(who, X, y)

    return work


def reading(setting: Setting) -> Work:
    """The reader of svmlight alone."""
    path = text_file(setting.dataset("A"), "svm", setting.directory).path
    return lambda threads: exhaust(read_svmlight(path, threads=threads))


def learning(setting: Setting) -> Work:
    """`askance run` of texts, without its start: the second thread reads ahead."""
    stream = read_table(texts(setting.directory, 2_500 if setting.quick else TEXTS))
    method, classes = automatic({}, Budget(None, None)), ["no", "yes"]

    def work(threads: int) -> None:
        learner = method.learner(random_state=0, classes=classes)
        line_up = LineUp(stream, Classes(classes), [Contestant("auto", learner, many=False)])
        # A run that may stop does not read ahead.
        line_up.run(lambda *_: None, stop=never if threads > 1 else lambda: False)

    return work


def texts(directory: Path, count: int) -> Path:
    """A file of texts of which one word in 5,000 says more about the class than the others."""
    random = np.random.default_rng(0)
    path = directory / f"texts-{count}.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for _ in range(count):
            words = np.minimum(random.zipf(1.3, LENGTH), WORDS)
            label = "yes" if 7 in words or random.random() < 0.1 else "no"
            line = {"text": " ".join(f"word{word}" for word in words), "label": label}
            file.write(json.dumps(line) + "\n")
    return path
