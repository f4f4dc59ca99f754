"""Every example runs, from its first line to its last."""

import ast
import json
import re
import runpy
from importlib.util import find_spec
from typing import Any

import pytest

from needs import missing
from paths import ROOT
from thinning import compiled_if_long

EXAMPLES = ROOT / "examples"
NOTEBOOK = EXAMPLES / "quickstart.ipynb"

# What an example needs beyond askance itself, and a part of what it prints at the end.
SCRIPTS = {
    "live_service": ("uvicorn", r"569 +\d+   0\.\d+, between .*\nThe model is right about 9\d"),
    "privileged_pool": (None, r"AL-LUPI +\d\d%.*\nmargin +\d\d%.*\nrandom +\d\d%"),
    "rare_class": (None, r"a missed positive costs 0\.\d\d, a false alarm 0\.\d\d\."),
    "raw_table": ("matplotlib", r"The curves of the first order are in raw_table\.png\."),
    "text_stream": (None, r"signals: The filter .*\nstatistics: The test "),
}


def need(package: str | None, what: str) -> None:
    if package is not None and find_spec(package) is None:
        missing(f"the example {what}", package)


@pytest.fixture(autouse=True)
def _in_an_empty_directory(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", [pytest.param(name, marks=compiled_if_long(name)) for name in SCRIPTS])
def test_a_script_runs_and_ends_as_it_should(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    package, end = SCRIPTS[name]
    need(package, name)
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    assert re.search(end, capsys.readouterr().out)


def notebook() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    return content


def test_the_cells_of_the_notebook_run_in_their_order(capsys: pytest.CaptureFixture[str]) -> None:
    need("matplotlib", "quickstart.ipynb")
    names: dict[str, Any] = {"__name__": "__main__"}
    values = []
    for cell in notebook()["cells"]:
        if cell["cell_type"] == "code":
            tree = ast.parse("".join(cell["source"]))
            last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
            exec(compile(tree, NOTEBOOK.name, "exec"), names)
            if isinstance(last, ast.Expr):  # what a notebook shows below the cell
                values.append(eval(compile(ast.Expression(last.value), NOTEBOOK.name, "eval"), names))
    assert values[-1] is True
    assert "true accuracy: 0." in capsys.readouterr().out


def test_the_notebook_is_sound_and_has_no_outputs() -> None:
    content = notebook()
    assert (content["nbformat"], content["nbformat_minor"]) == (4, 5)
    cells = content["cells"]
    assert len({cell["id"] for cell in cells}) == len(cells)
    for cell in cells:
        assert cell["cell_type"] in ("code", "markdown")
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            assert cell["execution_count"] is None


def test_every_example_is_tested_and_listed() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.py")} == set(SCRIPTS)
    listed = set(re.findall(r"^\| \[([\w.]+)\]\(\1\)", (EXAMPLES / "README.md").read_text(), flags=re.MULTILINE))
    assert listed == {path.name for path in EXAMPLES.iterdir() if path.suffix in (".py", ".ipynb")}
