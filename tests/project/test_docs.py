"""The code in README and documentation runs, and every name in it exists."""

import importlib
import importlib.util
import pathlib
import re
from types import ModuleType
from typing import Any

import pytest

import askance
from documentation import python_blocks
from paths import ROOT
from thinning import compiled_if_long

DOCS = ROOT / "docs"
GENERATED = {DOCS / "reference" / "http-api.md"}
PAGES = [ROOT / "README.md", *sorted(page for page in DOCS.rglob("*.md") if page not in GENERATED)]


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, id=page.stem, marks=compiled_if_long(page.stem)) for page in PAGES if python_blocks(page)],
)
def test_the_examples_of_a_page_run_in_their_order(
    page: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASKANCE_DATA", "")  # examples may set it: afterwards it is as before
    # The code needs a file of its own, because rules without a source are compiled in each process.
    script = tmp_path / f"{page.stem.replace('-', '_')}.py"
    script.write_text("\n".join(python_blocks(page)))
    exec(compile(script.read_text(), script, "exec"), {"__name__": "example"})


def dotted_names(page: pathlib.Path) -> set[str]:
    """Names such as askance.data.read, without web addresses and without the file askance.db."""
    text = re.sub(r"https?://\S+", "", page.read_text())
    return set(re.findall(r"(?<![\w./@-])askance(?:\.[A-Za-z]\w*)+(?![\w/-]|\.(?:py|md))", text)) - {"askance.db"}


def resolve(name: str) -> Any:
    """What the name stands for; names of modules may be given without importing them first."""
    found: Any = askance
    path = "askance"
    for part in name.split(".")[1:]:
        path = f"{path}.{part}"
        try:
            found = getattr(found, part)
        except AttributeError:
            found = importlib.import_module(path)
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT).with_suffix("")))
def test_every_dotted_name_of_a_page_resolves(page: pathlib.Path) -> None:
    for name in sorted(dotted_names(page)):
        assert resolve(name) is not None, name


def test_dotted_names_are_found_and_a_wrong_one_is_noticed(tmp_path: pathlib.Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("`askance.data.read(path)`, askance.Learner. See askance.db and https://x.org/askance.nothing")
    assert dotted_names(page) == {"askance.data.read", "askance.Learner"}
    with pytest.raises(ModuleNotFoundError):
        resolve("askance.nothing")


def test_every_link_of_the_readme_leads_to_a_file() -> None:
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md"):
        targets = re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text())
        assert targets
        assert not [target for target in targets if not (ROOT / target).exists()]


@pytest.mark.parametrize("page", ["README.md", "CHANGELOG.md"])
def test_the_number_of_algorithms_is_that_of_the_catalog(page: str) -> None:
    (number,) = re.findall(r"(\d+) (?:named )?streaming algorithms", (ROOT / page).read_text())
    assert int(number) == len(askance.catalog)


def test_every_public_name_is_documented() -> None:
    api = (DOCS / "reference" / "api.md").read_text()
    missing = [name for name in askance.__all__ if f"askance.{name}" not in api]
    assert not missing


def loaded_tool(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def make_api() -> ModuleType:
    return loaded_tool("make_api")


def test_the_generated_reference_is_up_to_date(make_api: ModuleType) -> None:
    """If this fails, run `make api-page`."""
    assert make_api.API_PAGE.read_text() == make_api.page()
    operations = make_api.OPERATIONS_PAGE.read_text()
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


def test_every_result_file_of_a_paper_is_named_on_its_page() -> None:
    papers = DOCS / "reference" / "papers"
    files = sorted((papers / "results").rglob("*.csv")) + sorted(papers.glob("*.png"))
    assert len(files) > 50
    pages = {page.stem: page.read_text() for page in papers.glob("*.md")}
    unnamed = []
    for file in files:
        paper = (
            file.parent.name
            if file.suffix == ".csv"
            else max((name for name in pages if file.name.startswith(name)), key=len)
        )
        if file.name not in pages[paper]:
            unnamed.append(file.name)
    assert not unnamed


def test_the_files_of_a_paper_are_written_from_the_report_that_reproduce_leaves(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from askance.cli.commands.reproduce.command import _write
    from askance.experiments.papers import Reproduction, tables_of

    tool, pages = loaded_tool("make_papers"), tmp_path / "pages"
    stored = tmp_path / "reproduced" / "lu2016" / "2"
    _write(Reproduction(tables_of("lu2016", "2")[0], None, {}, []), stored)
    (report,) = stored.iterdir()
    report.write_text("| data | ours |\n|:--|--:|\n| a8a | 71.2 |\n")
    pages.mkdir()
    for page in (DOCS / "reference" / "papers").glob("*.md"):
        (pages / page.name).write_text(page.read_text())
    monkeypatch.setattr(tool, "PAGES", pages)
    monkeypatch.setattr("sys.argv", ["make_papers", str(tmp_path / "reproduced")])
    tool.main()
    assert (pages / "results" / "lu2016" / "2.csv").read_text() == "data,ours\na8a,71.2\n"


def test_every_option_of_serve_is_documented() -> None:
    import typer.main

    from askance.cli.app import app

    command = typer.main.get_command(app).commands["serve"]  # type: ignore[attr-defined]
    commands = (DOCS / "reference" / "commands.md").read_text()
    options = [name for parameter in command.params for name in parameter.opts if name != "--help"]
    assert len(options) > 5
    assert not [name for name in options if not re.search(rf"`{name}[ `]", commands)]
