"""`askance reproduce`: run the tables of a paper again, with the data that are available."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from askance._util.names import PAPER_NAMES
from askance.cli import completion, options
from askance.cli.commands.sweep.command import Backend, Cluster
from askance.cli.options import flag, option
from askance.cli.output.console import print_json, stdout
from askance.cli.output.markdown import print_markdown

if TYPE_CHECKING:
    from askance.experiments.papers import Reproduction

EXAMPLE = "Example:   askance reproduce dada2021 2 --quick"

Paper = Annotated[
    str,
    typer.Argument(
        metavar="PAPER",
        show_default=False,
        help=f"{', '.join(PAPER_NAMES[:-1])} or {PAPER_NAMES[-1]}.",
        autocompletion=completion.papers,
    ),
]
TableName = Annotated[
    str | None,
    typer.Argument(metavar="[TABLE]", show_default=False, help="One table or figure. By default, all of them."),
]
Out = Annotated[Path, option("The directory of results, tables and plots, in PAPER/TABLE.", "DIRECTORY")]
Quick = Annotated[
    bool, flag("--quick", "A quick look: three permutations or splits instead of the number in the paper.")
]


def reproduce(
    paper: Paper,
    table: TableName = None,
    out: Out = Path("reproduced"),
    n_jobs: options.NJobs = -1,
    backend: Backend = "loky",
    cluster: Cluster = None,
    quick: Quick = False,
    json: options.Json = False,
) -> None:
    """Run the tables of a paper again: the printed values, the values here, and which of the orderings hold.

    Data sets are looked up in ASKANCE_DATA and in the cache of `askance data
    fetch`; missing ones are listed.
    """
    from askance.cli.output.progress import progress
    from askance.experiments.papers import reproduce as run
    from askance.experiments.papers import tables_of

    records = []
    for chosen in tables_of(paper, table):
        directory = out / paper / chosen.name
        with progress(f"{paper} {chosen.name}") as report:
            how: dict[str, Any] = {
                "n_jobs": n_jobs,
                "backend": backend,
                "cluster": cluster,
                "store": directory,
                "watch": report,
            }
            found = run(chosen, quick=quick, **how)
        text = _write(found, directory)
        if json:
            records.append(_as_dict(found))
        else:
            _show(text, directory)
    if json:
        print_json({"paper": paper, "tables": records})


def _write(found: "Reproduction", directory: Path) -> str:
    from askance.experiments.papers.report import markdown

    text = markdown(found)
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "report.md").write_text(text, encoding="utf-8")
    if found.results is not None:
        found.table.write(found.results, directory)
    return text


def _as_dict(found: "Reproduction") -> dict[str, Any]:
    record: dict[str, Any] = {"table": found.table.name, "missing": found.missing, "figures": [], "orderings": []}
    return record if found.results is None else record | found.table.to_dict(found.results)


def _show(text: str, directory: Path) -> None:
    console = stdout()
    print_markdown(console, text)
    console.print(f"\nResults are in {directory}")
