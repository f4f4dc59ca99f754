"""`askance doctor`: check the installation."""

import json as json_format
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib import import_module, metadata
from pathlib import Path
from typing import NamedTuple

import typer

from askance import __version__
from askance.cli import options
from askance.cli.errors import INTERNAL_ERROR
from askance.cli.output.console import has_symbols, print_json, stdout
from askance.cli.targets import EXTRAS

EXAMPLE = "Example:   askance doctor --json"
OLDEST_PYTHON = (3, 11)
REINSTALL = "pip install --force-reinstall askance"
CACHE = "NUMBA_CACHE_DIR"


class Finding(NamedTuple):
    """The result of one check; `remedy` says what to do if it failed."""

    what: str
    ok: bool
    detail: str
    remedy: str = ""
    essential: bool = True


def doctor(json: options.Json = False) -> None:
    """Check the installation: versions, compiler, cache, and a small computation.

    The exit code is 1 if something essential is broken.
    """
    findings = []
    for finding in examine():
        findings.append(finding)
        if not json:
            _show(finding)
    broken = [finding.what for finding in findings if finding.essential and not finding.ok]
    if json:
        print_json({"ok": not broken, "findings": [finding._asdict() for finding in findings]})
    else:
        stdout().print(f"\n{_summary(findings, broken)}")
    if broken:
        raise typer.Exit(INTERNAL_ERROR)


def _summary(findings: list[Finding], broken: list[str]) -> str:
    if broken:
        return f"Broken: {', '.join(broken)}."
    return "Everything works." if all(finding.ok for finding in findings) else "Nothing essential is broken."


def _show(finding: Finding) -> None:
    console = stdout()
    good, bad = ("✓", "✗") if has_symbols(console) else ("ok", "!!")
    optional = "" if finding.essential or finding.ok else " (optional)"
    console.print(f"{good if finding.ok else bad} {finding.what}{optional}: {finding.detail}")
    if not finding.ok:
        console.print(f"  → {finding.remedy}")


def examine() -> Iterator[Finding]:
    """Run all checks, even if some of them fail."""
    yield _python()
    yield Finding("askance", True, __version__)
    yield from map(_requirement, _requirements().items())
    yield from map(_extra, EXTRAS)
    try:
        from askance.jit.interop import COMPILING
    except Exception as error:
        yield Finding("compiler", False, f"numba cannot be loaded ({error})", REINSTALL)
        return
    yield _compiler(on=COMPILING)
    if COMPILING:
        yield _cache()
        yield from _self_tests()
    else:
        yield _self_test("self-test without compiler", dict(os.environ))


def _python() -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    oldest = ".".join(map(str, OLDEST_PYTHON))
    return Finding("Python", sys.version_info >= OLDEST_PYTHON, version, f"install Python {oldest} or later")


def _requirements() -> dict[str, str]:
    """The required packages, with their minimum versions."""
    found = (re.fullmatch(r"([\w.-]+)\s*>=\s*([\d.]+)", text) for text in metadata.requires("askance") or ())
    return {match[1]: match[2] for match in found if match}


def _requirement(item: tuple[str, str]) -> Finding:
    package, minimum = item
    remedy = f"pip install '{package}>={minimum}'"
    try:
        version = metadata.version(package)
    except metadata.PackageNotFoundError:
        return Finding(package, False, "is missing", remedy)
    return Finding(package, _numbers(version) >= _numbers(minimum), f"{version} (at minimum {minimum})", remedy)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version.partition("+")[0])[:3])


def _extra(package: str) -> Finding:
    extra = EXTRAS[package]
    try:
        import_module(package)
    except ImportError:
        return Finding(package, False, f"{extra.use} needs it", extra.remedy, essential=False)
    return Finding(package, True, metadata.version(package), essential=False)


def _compiler(*, on: bool) -> Finding:
    detail = "on" if on else "off: everything works, but slowly"
    return Finding("compiler", on, detail, "unset NUMBA_DISABLE_JIT", essential=False)


def _cache() -> Finding:
    """Where compiled code is cached."""
    from askance.jit.interop import cache_place

    folder, trouble = cache_place()
    remedy = f"set {CACHE} to a writable directory"
    detail = str(folder) if trouble is None else f"{trouble}, so every start compiles again"
    return Finding("cache of compiled code", trouble is None, detail, remedy, essential=False)


def _self_tests() -> Iterator[Finding]:
    """The same computation, freshly compiled and from the cache, in a temporary cache."""
    with tempfile.TemporaryDirectory() as directory:
        environment = os.environ | {CACHE: directory}
        yield _self_test("self-test, freshly compiled", environment)
        before = _cached(directory)
        yield _self_test("self-test, from the cache", environment)
        reused = bool(before) and _cached(directory) == before
        yield Finding(
            "cache reused",
            reused,
            "yes" if reused else "no: every start compiles again",
            f"check that the clock is right and {CACHE} is on a local disk",
            essential=False,
        )


def _cached(directory: str) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in Path(directory).rglob("*.nbc")}


def _self_test(what: str, environment: dict[str, str]) -> Finding:
    command = [sys.executable, "-m", "askance.cli.commands.doctor.selftest"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it ended without a message"])[-1]
        return Finding(what, False, last, REINSTALL)
    wrong: dict[str, str] = json_format.loads(done.stdout)
    detail = "; ".join(f"{dtype}: {difference}" for dtype, difference in wrong.items())
    return Finding(what, not wrong, detail or "float32 and float64 agree with plain Python", REINSTALL)
