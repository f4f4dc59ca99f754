"""`askance doctor`: is everything there, and does it compute what it should?"""

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
from askance.cli.errors import FAULT_OF_OURS
from askance.cli.output.console import has_symbols, print_json, stdout
from askance.cli.targets import EXTRAS

EXAMPLE = "Example:   askance doctor --json"
OLDEST_PYTHON = (3, 11)
REINSTALL = "pip install --force-reinstall askance"
CACHE = "NUMBA_CACHE_DIR"


class Finding(NamedTuple):
    """One thing that was looked at; `remedy` says what to do where it is not well."""

    what: str
    well: bool
    detail: str
    remedy: str = ""
    essential: bool = True


def doctor(json: options.Json = False) -> None:
    """Check the installation: versions, compiler, cache, and a small computation.

    Ends with exit code 1 if something essential is broken.
    """
    findings = []
    for finding in examine():
        findings.append(finding)
        if not json:
            _show(finding)
    broken = [finding.what for finding in findings if finding.essential and not finding.well]
    if json:
        print_json({"well": not broken, "findings": [finding._asdict() for finding in findings]})
    else:
        stdout().print(f"\n{_summary(findings, broken)}")
    if broken:
        raise typer.Exit(FAULT_OF_OURS)


def _summary(findings: list[Finding], broken: list[str]) -> str:
    if broken:
        return f"Broken: {', '.join(broken)}."
    return "All is well." if all(finding.well for finding in findings) else "Nothing essential is broken."


def _show(finding: Finding) -> None:
    console = stdout()
    well, ill = ("✓", "✗") if has_symbols(console) else ("ok", "!!")
    optional = "" if finding.essential or finding.well else " (optional)"
    console.print(f"{well if finding.well else ill} {finding.what}{optional}: {finding.detail}")
    if not finding.well:
        console.print(f"  → {finding.remedy}")


def examine() -> Iterator[Finding]:
    """Look at one thing after the other, each whatever became of those before it."""
    yield _python()
    yield Finding("askance", True, __version__)
    yield from map(_requirement, _requirements().items())
    yield from map(_extra, EXTRAS)
    try:
        from askance.jit.interop import COMPILING
    except Exception as fault:
        yield Finding("compiler", False, f"numba cannot be loaded ({fault})", REINSTALL)
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
    """The packages that askance cannot do without, each with its least version."""
    found = (re.fullmatch(r"([\w.-]+)\s*>=\s*([\d.]+)", text) for text in metadata.requires("askance") or ())
    return {match[1]: match[2] for match in found if match}


def _requirement(item: tuple[str, str]) -> Finding:
    package, least = item
    remedy = f"pip install '{package}>={least}'"
    try:
        version = metadata.version(package)
    except metadata.PackageNotFoundError:
        return Finding(package, False, "is missing", remedy)
    return Finding(package, _numbers(version) >= _numbers(least), f"{version} (at least {least})", remedy)


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
    """Where the passes keep their machine code; numba chooses the first directory that can be written."""
    from askance.jit.coins import coins
    from askance.jit.interop import compiled

    what, remedy = "cache of compiled code", f"set {CACHE} to a directory that can be written"
    directory = compiled(coins, exact=True).stats.cache_path  # type: ignore[attr-defined]
    if directory is None:
        return Finding(what, False, "no directory can be written, so each start compiles", remedy, essential=False)
    try:
        Path(directory).mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=directory).close()
    except OSError as error:
        return Finding(what, False, f"{directory}: {error.strerror}", remedy, essential=False)
    return Finding(what, True, directory, essential=False)


def _self_tests() -> Iterator[Finding]:
    """The same computation compiled anew and loaded from a cache, in a cache of its own."""
    with tempfile.TemporaryDirectory() as directory:
        environment = os.environ | {CACHE: directory}
        yield _self_test("self-test, compiled anew", environment)
        before = _cached(directory)
        yield _self_test("self-test, from the cache", environment)
        reused = bool(before) and _cached(directory) == before
        yield Finding(
            "cache reused",
            reused,
            "yes" if reused else "no: each start compiles anew",
            f"check that the clock is right and {CACHE} is on a local disk",
            essential=False,
        )


def _cached(directory: str) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in Path(directory).rglob("*.nbc")}


def _self_test(what: str, environment: dict[str, str]) -> Finding:
    command = [sys.executable, "-m", "askance.cli.commands.doctor.selftest"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it ended without a word"])[-1]
        return Finding(what, False, last, REINSTALL)
    wrong: dict[str, str] = json_format.loads(done.stdout)
    detail = "; ".join(f"{dtype}: {fault}" for dtype, fault in wrong.items())
    return Finding(what, not wrong, detail or "float32 and float64 agree with plain Python", REINSTALL)
