"""Peak memory of a run from text, and how soon a fresh process is at work."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from bench.clock import Timing
from bench.datasets import SHAPES, make_dataset
from bench.files import text_file
from bench.report import Line, Report, at_most
from bench.setting import ROOT, Setting

TURNS = 5
TINY_ROWS = 10


def measure_peak(setting: Setting, report: Report) -> None:
    """A as a file, above the weights."""
    if not Path("/proc/self/clear_refs").exists():
        report.left_out("peak memory", "only Linux tells it")
        return
    tiny = make_dataset("tiny", SHAPES["A"]._replace(rows=TINY_ROWS))
    paths = [str(text_file(dataset, "svm", setting.directory).path) for dataset in (setting.dataset("A"), tiny)]
    found = [child("peak", *paths) for _ in range(1 if setting.quick else TURNS)]
    above = [each["above"] for each in found]
    remark = f"the worst of {len(found)} processes; {found[0]['before']:.0f} MB after imports and a tiny run"
    what = "peak of read + run above the weights"
    report.add(Line("peak", what, max(above), median(above), "MB", False, at_most(150), remark))


def measure_start(setting: Setting, report: Report) -> None:
    """Processes with an empty cache of machine code and with a full one."""
    turns = 1 if setting.quick else TURNS
    cold, cached = [], []
    for _ in range(turns):
        with tempfile.TemporaryDirectory() as directory:
            cold.append(child("start", NUMBA_CACHE_DIR=directory))
            cached.append(child("start", NUMBA_CACHE_DIR=directory))
    for part in ("import askance", "imports that make() needs"):
        report.seconds("start", part, timing_of(cached, part))
    for name, found, goal in (("cached", cached, at_most(0.3)), ("nothing cached", cold, None)):
        remark = f"{timing_of(found, 'first run by processor').best:.3f} s of the processor's time"
        report.seconds("start", f"first run, {name}", timing_of(found, "first run"), goal, remark)


def timing_of(found: list[dict[str, float]], part: str) -> Timing:
    """One part of what each process told."""
    return Timing([each[part] for each in found])


def child(*arguments: str, **environment: str) -> dict[str, float]:
    """What a fresh process measures."""
    done = subprocess.run(
        [sys.executable, "-m", "bench.child", *arguments],
        cwd=ROOT,
        env=os.environ | environment,
        check=True,
        capture_output=True,
        text=True,
    )
    figures: dict[str, float] = json.loads(done.stdout)
    return figures
