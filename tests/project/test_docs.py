"""The code in README and documentation is code that runs."""

import importlib.util
import pathlib
import re
from types import ModuleType

import pytest

import askance

ROOT = pathlib.Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def python_blocks(page: pathlib.Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", page.read_text(), flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", [page for page in PAGES if python_blocks(page)], ids=lambda page: page.stem)
def test_the_examples_of_a_page_run_in_their_order(
    page: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASKANCE_DATA", "")  # examples may set it: afterwards it is as before
    # A file of its own, because rules without a source are compiled anew each time.
    script = tmp_path / f"{page.stem.replace('-', '_')}.py"
    script.write_text("\n".join(python_blocks(page)))
    exec(compile(script.read_text(), script, "exec"), {"__name__": "example"})
    assert python_blocks(page)


def test_every_public_name_is_documented() -> None:
    api = (ROOT / "docs" / "api.md").read_text()
    missing = [name for name in askance.__all__ if f"askance.{name}" not in api]
    assert not missing


@pytest.fixture(scope="module")
def make_api() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_api", ROOT / "docs" / "make_api.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_reference_of_the_api_is_the_one_of_today(make_api: ModuleType) -> None:
    """If this fails, call `python docs/make_api.py`."""
    assert (ROOT / "docs" / "live-api.md").read_text() == make_api.page()
    operations = (ROOT / "docs" / "live-operations.md").read_text()
    assert operations == make_api.filled(operations)
    assert make_api.roles() in operations
    assert make_api.metrics() in operations


def test_the_reference_leads_to_every_message_that_it_names(make_api: ModuleType) -> None:
    page = make_api.page()
    headings = re.findall(r"^#+ (\w+)$", page, flags=re.MULTILINE)
    targets = set(re.findall(r"\]\(#(\w+)\)", page))
    assert len(headings) == len(set(headings))
    assert targets
    assert targets <= {heading.lower() for heading in headings}


def test_every_option_of_serve_is_documented() -> None:
    import typer.main

    from askance.cli.app import app

    command = typer.main.get_command(app).commands["serve"]  # type: ignore[attr-defined]
    commands = (ROOT / "docs" / "commands.md").read_text()
    options = [name for parameter in command.params for name in parameter.opts if name != "--help"]
    assert len(options) > 5
    assert not [name for name in options if not re.search(rf"`{name}[ `]", commands)]
