"""The examples in docstrings run and print what they say."""

import doctest
import importlib
import pathlib

import pytest

from paths import ROOT
from thinning import compiled_if_long

SOURCES = ROOT / "src"
MODULES = sorted(
    ".".join(path.relative_to(SOURCES).with_suffix("").parts).removesuffix(".__init__")
    for path in SOURCES.rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)

# These would need a running service, or data that are not here.
SKIPPED = (
    *("askance.service.client.asynchronous", "askance.service.client.synchronous"),
    "askance.datasets.ratings",
)


@pytest.mark.parametrize("name", [pytest.param(name, marks=compiled_if_long(name)) for name in MODULES])
def test_the_examples_of_a_module_run(name: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    failed, tried = doctest.testmod(importlib.import_module(name))
    assert failed == 0
    assert tried > 0 or name in SKIPPED
