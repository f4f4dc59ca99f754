"""The code in README and documentation is code that runs."""

import pathlib
import re

import pytest

import askance

ROOT = pathlib.Path(__file__).parents[1]
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
