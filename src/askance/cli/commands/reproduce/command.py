"""`askance reproduce`: a paper's tables, done again with the data that are found."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from askance.cli import options
from askance.cli.commands.sweep.command import Backend, Cluster, Jobs
from askance.cli.options import option
from askance.cli.output.console import print_json, stdout

if TYPE_CHECKING:
    from askance.data.stream import Tell
    from askance.experiments.papers import Reproduction

EXAMPLE = "Example:   askance reproduce dada2021 2 --quick"

Paper = Annotated[
    str,
    typer.Argument(
        metavar="PAPER",
        show_default=False,
        help="lu2016, nguyen2011, cesabianchi2006, dada2021, yan2017, yan2016-rossel, yan2016-lupi or yan2015.",
    ),
]
TableName = Annotated[
    str | None, typer.Argument(metavar="[TABLE]", show_default=False, help="One table or figure; all unless said.")
]
Out = Annotated[
    Path, option("Where PAPER/TABLE goes, with results, tables and pictures; reproduced unless said.", "DIRECTORY")
]
Quick = Annotated[
    bool, typer.Option("--quick", help="A look only: three permutations or splits instead of the paper's.")
]


def reproduce(
    paper: Paper,
    table: TableName = None,
    out: Out = Path("reproduced"),
    jobs: Jobs = -1,
    backend: Backend = "loky",
    cluster: Cluster = None,
    quick: Quick = False,
    json: options.Json = False,
) -> None:
    """Do a paper's tables again: what it printed, what comes out here, and which of its orderings hold.

    Data sets are looked for in ASKANCE_DATA and in the cache of `askance data fetch`; those missing are named.
    """
    from askance.cli.output.progress import progress
    from askance.experiments.papers import reproduce as run
    from askance.experiments.papers import tables_of

    told = []
    for chosen in tables_of(paper, table):
        directory = out / paper / chosen.name
        with progress(f"{paper} {chosen.name}") as tell:
            watch = partial(_tell_share, tell)
            how: dict[str, Any] = {
                "n_jobs": jobs,
                "backend": backend,
                "cluster": cluster,
                "store": directory,
                "watch": watch,
            }
            found = run(chosen, quick=quick, **how)
        text = _write(found, directory)
        if json:
            told.append(_for_programs(found))
        else:
            _show(text, directory)
    if json:
        print_json({"paper": paper, "tables": told})


def _tell_share(tell: "Tell", done: int, of: int, _what: str) -> None:
    tell(done / of)


def _write(found: "Reproduction", directory: Path) -> str:
    from askance.experiments.papers.report import markdown

    text = markdown(found)
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "report.md").write_text(text, encoding="utf-8")
    if found.results is not None:
        found.table.write(found.results, directory)
    return text


def _for_programs(found: "Reproduction") -> dict[str, Any]:
    told: dict[str, Any] = {"table": found.table.name, "missing": found.missing, "figures": [], "orderings": []}
    return told if found.results is None else told | found.table.to_dict(found.results)


def _show(text: str, directory: Path) -> None:
    from rich.markdown import Markdown

    console = stdout()
    console.print(Markdown(text))
    console.print(f"\nAll of it is in {directory}")
