"""What every test may use: the long runs, the search for counterexamples, and data that may not be there."""

import gc
import itertools
import os
import pathlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from needs import NOT_RUN, missing
from postgres_server import PostgresServer, running_server
from stores import KINDS

ROOT = pathlib.Path(__file__).parents[1]
BESIDE = ROOT.parent / "shared"  # papers, data and vectors that do not belong to the project

# Compiling makes very many objects, most of which stay: looking through them so often takes a tenth of its time.
gc.set_threshold(100_000, 20, 50)

# Compiling a pass takes a second, once: that is no reason to call an example slow.
settings.register_profile("here", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("here"), derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--soak", action="store_true", help="also run the tests that take minutes")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--soak"):
        return
    long = [item for item in items if item.get_closest_marker("soak")]
    if long:
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if not item.get_closest_marker("soak")]


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
    """What the papers' algorithms return, worked out elsewhere: `shared/spec` beside the checkout."""
    path = BESIDE / "spec" / "vectors.npz"
    if not path.is_file():
        missing("the comparison with the papers' vectors", "shared/spec/vectors.npz beside the checkout")
    with np.load(path) as archive:
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
