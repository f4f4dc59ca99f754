"""From text: reading and learning in one pass, compared with programs that do the same and one that only reads."""

from collections.abc import Iterable
from typing import Any

from sklearn.datasets import load_svmlight_file

import askance
from askance.data.svmlight import read_svmlight
from bench.clock import Contender, Timing, race
from bench.files import text_file
from bench.ours import learner
from bench.report import Line, Report, at_least
from bench.setting import Setting
from bench.vowpal import vowpal_run

GROUP, GROUP_BY_PROCESSOR = "text A", "text A, processor time"
LOADING_GROUP, LOADING_GROUP_BY_PROCESSOR = "loading A", "loading A, processor time"
# The slowest of these takes several seconds a turn: it would leave the others too few turns.
SECONDS, SECONDS_WITH_LOADING = 30.0, 20.0

WHOLE, ONE_THREAD, TWO_THREADS = "read + run", "reader alone, one thread", "reader alone, two threads"
VOWPAL, LOADING = "Vowpal Wabbit from text", "load_svmlight_file alone"


def measure(setting: Setting, report: Report) -> None:
    """Data set A as a file. The first turn is not timed, so that compilation is not measured."""
    dataset, delta = setting.dataset("A"), setting.delta("A")
    text = text_file(dataset, "svm", setting.directory)
    whole = Contender(WHOLE, lambda fresh: fresh.run(askance.data.read(text.path)), lambda: learner(delta))
    readers = [
        Contender(ONE_THREAD, lambda _: exhaust(read_svmlight(text.path, threads=1))),
        Contender(TWO_THREADS, lambda _: exhaust(read_svmlight(text.path, threads=2))),
    ]
    loading = Contender(LOADING, lambda _: load_svmlight_file(str(text.path)))
    wall, processor = race([whole, *readers, *vowpal(setting, report)], setting.seconds(SECONDS))
    report.keep(GROUP, wall)
    report.keep(GROUP_BY_PROCESSOR, processor)
    for name in (WHOLE, ONE_THREAD, TWO_THREADS):
        report.add(throughput(name, wall[name], text.megabytes))
    if VOWPAL in wall:
        report.compare(GROUP, VOWPAL, WHOLE, at_least(7))
        report.compare(GROUP_BY_PROCESSOR, VOWPAL, WHOLE)
    wall, processor = race([whole, loading], setting.seconds(SECONDS_WITH_LOADING))
    report.keep(LOADING_GROUP, wall)
    report.keep(LOADING_GROUP_BY_PROCESSOR, processor)
    report.compare(LOADING_GROUP, LOADING, WHOLE, at_least(40))
    report.compare(LOADING_GROUP_BY_PROCESSOR, LOADING, WHOLE)


def vowpal(setting: Setting, report: Report) -> list[Contender]:
    """Vowpal Wabbit on the same rows in its own format."""
    run = vowpal_run(text_file(setting.dataset("A"), "vw", setting.directory).path)
    if run is None:
        report.left_out("Vowpal Wabbit from text", "it is not installed")
        return []
    return [Contender(VOWPAL, run)]


def exhaust(items: Iterable[Any]) -> None:
    """Read everything, keep nothing."""
    for _ in items:
        pass


def throughput(name: str, timing: Timing, megabytes: float) -> Line:
    """The amount of text per second."""
    best, median = megabytes / timing.best, megabytes / timing.median
    return Line(GROUP, name, best, median, "MB/s", timing.noisy, None, f"{megabytes:.0f} MB")
