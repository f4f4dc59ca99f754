"""`askance reproduce`: run the tables of a paper again, with the data that are available."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from askance.cli import options
from askance.cli.commands.sweep.command import Backend, Cluster
from askance.cli.options import flag, option
from askance.cli.output.console import print_json, stdout

if TYPE_CHECKING:
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
                "jobs": n_jobs,
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
    from askance.experiments.papers.replica import Table
    from askance.experiments.papers.report import markdown
    from askance.experiments.sweep.report import write_report
    from askance.experiments.sweep.results import Results

    text = markdown(found)
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "replica.md").write_text(text, encoding="utf-8")
    if isinstance(found.results, Results):
        write_report(found.results, directory, f"{found.table.paper}, {found.table.title}")
    elif found.results is not None and not isinstance(found.table, Table):
        found.table.write(found.results, directory)
    return text


def _as_dict(found: "Reproduction") -> dict[str, Any]:
    from askance.experiments.papers.replica import Table, lines, orderings
    from askance.experiments.sweep.results import Results

    record: dict[str, Any] = {"table": found.table.name, "missing": found.missing, "figures": [], "orderings": []}
    if isinstance(found.results, list) and not isinstance(found.table, Table):
        record |= found.table.told(found.results)
    elif isinstance(found.results, Results) and isinstance(found.table, Table):
        record["figures"] = [line._asdict() for line in lines(found.table, found.results)]
        held = orderings(found.table, found.results)
        record["orderings"] = [{**one._asdict(), "holds": one.holds} for one in held]
    return record


def _show(text: str, directory: Path) -> None:
    from rich.markdown import Markdown

    console = stdout()
    console.print(Markdown(text))
    console.print(f"\nResults are in {directory}")
