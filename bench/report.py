"""The table of ratios, and the same as JSON."""

import importlib.metadata
import json
import os
import platform
from pathlib import Path
from typing import Any, NamedTuple

from rich.table import Table

from bench.clock import Timing, Timings, ratio

PACKAGES = ("askance", "numpy", "scipy", "numba", "scikit-learn", "vowpalwabbit", "river")
NOISY = "~"


class Goal(NamedTuple):
    """What the design promises of a figure."""

    bound: float
    is_upper: bool

    def met(self, value: float) -> bool:
        return value <= self.bound if self.is_upper else value >= self.bound

    def __str__(self) -> str:
        return f"{'≤' if self.is_upper else '≥'} {self.bound:g}"


def at_most(bound: float) -> Goal:
    """A promise not to exceed a bound."""
    return Goal(bound, is_upper=True)


def at_least(bound: float) -> Goal:
    """A promise not to fall short of a bound."""
    return Goal(bound, is_upper=False)


class Line(NamedTuple):
    """A figure of the table: `best` counts, `median` shows how far to trust it."""

    group: str
    what: str
    best: float
    median: float
    unit: str
    noisy: bool
    goal: Goal | None
    remark: str

    @property
    def met(self) -> bool | None:
        return None if self.goal is None else self.goal.met(self.best)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return self._asdict() | {"goal": str(self.goal or ""), "met": self.met}


class Report:
    """Collects the figures of all groups."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.lines: list[Line] = []
        self.timings: dict[str, Timings] = {}
        self.missing: list[str] = []
        self.load_before = load()

    def keep(self, group: str, timings: Timings) -> None:
        """Keep the seconds behind the ratios, for the JSON file."""
        self.timings[group] = timings

    def compare(self, group: str, this: str, that: str, goal: Goal | None = None, remark: str = "") -> None:
        """How many times as long `this` takes as `that`, of the timings kept for the group."""
        one, other = self.timings[group][this], self.timings[group][that]
        found = ratio(one, other)
        times = f"{shown(1e3 * one.best)} / {shown(1e3 * other.best)} ms"
        remark = f"{times}; {remark}" if remark else times
        self.add(Line(group, f"{this} / {that}", found.best, found.median, "×", found.noisy, goal, remark))

    def add(self, line: Line) -> None:
        """A line of any kind."""
        self.lines.append(line)

    def seconds(self, group: str, what: str, timing: Timing, goal: Goal | None = None, remark: str = "") -> None:
        """A time that is promised as such."""
        self.add(Line(group, what, timing.best, timing.median, "s", timing.noisy, goal, remark))

    def left_out(self, what: str, why: str) -> None:
        """Something that could not be measured here."""
        self.missing.append(f"left out: {what} ({why})")

    def table(self) -> Table:
        """Everything, for people."""
        busy = f"programs that wanted a processor before and after: {self.load_before:.1f}, {load():.1f}"
        caption = f"this / that: how many times as long this takes; {NOISY} = noisy; {busy}"
        table = Table(title=self.title, caption=caption)
        for heading in ("group", "what", "best", "median", "promised", "met", "remark"):
            table.add_column(heading, justify="right" if heading in ("best", "median", "promised") else "left")
        for before, line in zip([None, *self.lines], self.lines, strict=False):
            if before and before.group != line.group:
                table.add_section()
            table.add_row(*cells(line))
        return table

    def save(self, path: Path) -> None:
        """Everything, for programs."""
        whole = {
            "machine": {
                "processor": platform.machine(),
                "cores": os.cpu_count(),
                "load": [self.load_before, load()],
            },
            "versions": {"python": platform.python_version()} | versions(),
            "lines": [line.as_dict() for line in self.lines],
            "seconds": {
                group: {name: timing.turns for name, timing in timings.items()}
                for group, timings in self.timings.items()
            },
            "missing": self.missing,
        }
        path.write_text(json.dumps(whole, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def cells(line: Line) -> tuple[str, ...]:
    """A line as the table shows it."""
    met = {None: "", True: "[green]yes[/]", False: "[red]no[/]"}[line.met]
    best = f"{NOISY if line.noisy else ''}{shown(line.best)} {line.unit}"
    return line.group, line.what, best, f"{shown(line.median)} {line.unit}", str(line.goal or ""), met, line.remark


def shown(value: float) -> str:
    """Three digits, and no powers of ten."""
    return f"{value:.0f}" if value >= 100 else f"{value:#.3g}"


def load() -> float:
    """How many programs wanted a processor in the last minute; on a busy machine, threads gain nothing."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0


def versions() -> dict[str, str]:
    """Of whatever is installed of the packages compared."""
    found = {}
    for package in PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found
