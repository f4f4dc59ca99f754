"""What every test may use: the long runs, the search for counterexamples, and data that may not be there."""

import collections
import functools
import gc
import inspect
import itertools
import os
import pathlib
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from needs import NOT_RUN, missing
from postgres_server import PostgresServer, running_server
from stores import KINDS

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent
BESIDE = ROOT.parent / "shared"  # data that do not belong to the project

# Compiling makes very many objects, most of which stay: looking through them so often takes a tenth of its time.
gc.set_threshold(100_000, 20, 50)

# Compiling a pass takes a second, once: an example is not slow for that. `make test` tries a tenth of the
# examples; `examples.examples` scales the numbers of tests that want more or fewer than others.
COMMON: dict[str, Any] = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("test", max_examples=10, **COMMON)
settings.register_profile("ci", settings.get_profile("test"), derandomize=True, print_blob=True)
settings.register_profile("soak", max_examples=100, **COMMON)

# `make test` runs a test compiled, or with the compiler off, which saves compiling. These run with it off
# unless they are marked otherwise: they are about mathematics, or about other things than machine code.
PLAIN = (
    *("rules", "learners", "fleet", "theory", "experiments", "distributed", "export", "service", "cli", "metrics"),
    "multilabel",
    *("project/test_docs.py", "project/test_docstrings.py", "project/test_examples.py"),
    "project/test_rules_table.py",
)
# What is compiled of these waits for `make slow`: compiling takes most of the time, and the tests of the engine
# compare what the compiler makes of rules.
COMPILED_SLOWLY = ("rules", "learners", "fleet", "experiments", "multilabel", "cli/test_cli_multilabel.py")
# Of the tests with a browser, these are in `make test`, the others in `make slow`.
QUICK_PAGES = ("service/web/test_pages_label.py", "service/web/test_pages_axe.py")
# Tests that share one of these run in one process, so that it starts once per run; others stay together by file.
SERVERS = ("postgres", "browser", "spark", "dask", "ray")
# So do compiled tests of the automatic learner, whose loop takes half a minute to compile.
AUTO = (
    *("auto", "cli", "export", "jit/test_trees.py", "pool/test_labelling_", "service/test_service_fold.py"),
    *("data/test_guesses.py", "data/test_typed_tables.py", "project/test_league.py", "project/test_raw_files.py"),
    *("project/test_docs.py", "project/test_docstrings.py", "project/test_examples.py"),
)
# What takes longest begins first, so that the processes end at about the same time.
QUEUE = (*SERVERS, "auto", "engine", "rules", "service", "cli")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="also run the tests that `make slow` runs")
    parser.addoption("--soak", action="store_true", help="also run these, and the tests that take minutes")


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("soak" if config.getoption("--soak") else "ci" if os.environ.get("CI") else "test")


@functools.cache
def below_here(path: pathlib.Path) -> str:
    """The path of a file of tests from this folder on."""
    return path.relative_to(HERE).as_posix()


def is_plain(path: pathlib.Path) -> bool:
    """Whether the tests of a file run with the compiler off, unless they are marked otherwise."""
    return below_here(path).startswith(PLAIN)


def pytest_ignore_collect(collection_path: pathlib.Path, config: pytest.Config) -> bool | None:
    """Import no file that has no test of the kind asked for."""
    kind = config.getoption("markexpr").rpartition(" ")[2]
    if kind not in ("plain", "compiled") or collection_path.suffix != ".py":
        return None
    if compiles(config) and "slow" in left_out(config) and below_here(collection_path).startswith(COMPILED_SLOWLY):
        return True
    is_default = is_plain(collection_path) == (kind == "plain")
    said = "also_compiled", "compiled_if_long", f"mark.{kind}"
    text = collection_path.read_text(encoding="utf-8")
    return None if is_default or any(word in text for word in said) else True


def pytest_pycollect_makeitem(collector: pytest.Collector, obj: object) -> list[pytest.Item] | None:
    """Leave out long tests before pytest works out their parameters, of which there are thousands."""
    if not inspect.isfunction(obj):
        return None
    waiting = left_out(collector.config)
    return [] if any(mark.name in waiting for mark in getattr(obj, "pytestmark", [])) else None


def left_out(config: pytest.Config) -> tuple[str, ...]:
    """The marks of the tests that were not asked for."""
    if config.getoption("--soak"):
        return ()
    return ("soak",) if config.getoption("--slow") else ("soak", "slow")


@pytest.hookimpl(tryfirst=True)  # before marks are asked for
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if not any(item.get_closest_marker(kind) for kind in ("plain", "compiled")):
            item.add_marker("plain" if is_plain(item.path) else "compiled")
        path, server = below_here(item.path), server_of(item)
        # Every test of the store runs on both kinds; the others differ too little for two runs in `make test`.
        if server == "postgres" and not item.path.name.startswith("test_service_store"):
            item.add_marker("slow")
        if server == "browser" and not path.startswith(QUICK_PAGES):
            item.add_marker("slow")
        if compiles(config) and path.startswith(COMPILED_SLOWLY):
            item.add_marker("slow")
    leave_samples(items)
    items.sort(key=place_in_queue)
    marks = left_out(config)
    waiting = {item for item in items if any(item.get_closest_marker(mark) for mark in marks)}
    config.hook.pytest_deselected(items=list(waiting))
    items[:] = [item for item in items if item not in waiting]


def leave_samples(items: list[pytest.Item]) -> None:
    """Of a test that is `sampled(n)`, keep every n-th of its parameters for `make test`."""
    counts: collections.Counter[object] = collections.Counter()
    for item in items:
        sampled = item.get_closest_marker("sampled")
        if sampled is None:
            continue
        test = getattr(item, "function", None)
        if counts[test] % sampled.args[0]:
            item.add_marker("slow")
        counts[test] += 1


def compiles(config: pytest.Config) -> bool:
    """Whether only tests with the compiler are asked for."""
    return bool(config.getoption("markexpr").rpartition(" ")[2] == "compiled")


def server_of(item: pytest.Item) -> str | None:
    """The server that a test uses, if any."""
    used = {name.removesuffix("_server") for name in getattr(item, "fixturenames", ())}
    if hasattr(item, "callspec"):
        used |= {value for value in item.callspec.params.values() if isinstance(value, str)}
    return next((server for server in SERVERS if server in used), None)


def place_in_queue(item: pytest.Item) -> int:
    """Where a test comes in the queue."""
    path = below_here(item.path)
    automatic = item.get_closest_marker("compiled") and path.startswith(AUTO)
    group = "auto" if automatic else server_of(item) or path.partition("/")[0]
    return QUEUE.index(group) if group in QUEUE else len(QUEUE)


def group_of(name: str, *, compiled: bool) -> str:
    """What a test shares with others, from its full name: a server, the automatic learner, or its file."""
    path, _, test = name.removeprefix(f"{HERE.name}/").partition("::")
    if compiled and path.startswith(AUTO):
        return "auto"
    parameters = re.split(r"[\[\]-]", test)[1:]
    return next((server for server in SERVERS if server in parameters), path)


@pytest.hookimpl(optionalhook=True)  # of pytest-xdist
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Keep the tests of a group in one process.

    The mark of pytest-xdist has no effect with pytest 9.2, where a test can no longer be given another name.
    """
    from xdist.scheduler import LoadScopeScheduling

    class Groups(LoadScopeScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            return group_of(nodeid, compiled=not config.getoption("markexpr").endswith("plain"))

    return Groups(config, log)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: Any) -> Iterator[None]:
    """Last of all, one line for each thing that was not found, from whichever process the report came."""
    yield
    reasons = set()
    for report in terminalreporter.stats.get("skipped", []):
        text = report.longrepr[-1] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if NOT_RUN in text:
            reasons.add(text[text.index(NOT_RUN) :])
    if reasons:
        terminalreporter.section("what this machine lacks")
        for reason in sorted(reasons):
            terminalreporter.write_line(reason)


@pytest.fixture(scope="session")
def data_directory() -> pathlib.Path:
    """The folder of real data sets: $ASKANCE_DATA, or `shared/data` beside the checkout."""
    directory = pathlib.Path(os.environ.get("ASKANCE_DATA") or BESIDE / "data")
    if not directory.is_dir():
        missing("the tests on real data", "a folder of data sets, named by ASKANCE_DATA")
    return directory


@pytest.fixture(scope="session")
def spec_vectors() -> Mapping[str, Any]:
    """What the papers' algorithms return on three streams, worked out apart from this code and its twins."""
    with np.load(HERE / "support" / "spec_vectors.npz") as archive:
        return {name: archive[name] for name in archive.files}


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """A PostgreSQL server that lives as long as the tests."""
    with running_server() as server:
        yield server


@pytest.fixture
def new_store_url(request: pytest.FixtureRequest, tmp_path: pathlib.Path) -> Callable[[str], str]:
    """Gives new places for stores of either kind."""
    numbers = itertools.count(1)

    def new(kind: str) -> str:
        if kind == "sqlite":
            return str(tmp_path / f"store-{next(numbers)}.db")
        return request.getfixturevalue("postgres_server").new_schema()

    return new


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A browser; for one module, because while it runs no other test could run an event loop."""
    from browser import chromium

    with chromium() as running:
        yield running


@pytest.fixture(params=KINDS)
def store_url(request: pytest.FixtureRequest, new_store_url: Callable[[str], str]) -> str:
    """A new place for a store; a test with it runs once for each kind."""
    return new_store_url(request.param)
