"""`askance reproduce`: a paper's tables, done again with the data that are found."""

from pathlib import Path
from typing import Annotated

import typer

from askance.cli import options
from askance.cli.console import print_json, stdout
from askance.cli.options import option
from askance.cli.sweep import Backend, Jobs

EXAMPLE = "Example:   askance reproduce dada2021 2 --quick"

Paper = Annotated[
    str,
    typer.Argument(metavar="PAPER", show_default=False, help="lu2016, nguyen2011, cesabianchi2006 or dada2021."),
]
TableName = Annotated[
    str | None, typer.Argument(metavar="[TABLE]", show_default=False, help="One table or figure; all unless said.")
]
Out = Annotated[Path, option("Where results, tables and pictures go; reproduced/PAPER unless said.", "DIRECTORY")]
Quick = Annotated[bool, typer.Option("--quick", help="A look only: three permutations instead of the paper's.")]


def reproduce(
    paper: Paper,
    table: TableName = None,
    out: Out = Path("reproduced"),
    jobs: Jobs = -1,
    backend: Backend = "loky",
    quick: Quick = False,
    json: options.Json = False,
) -> None:
    """Do a paper's tables again: what it printed, what comes out here, and which of its orderings hold.

    Data sets are looked for in ASKANCE_DATA and in the cache of `askance data fetch`; those missing are named.
    """
    from askance.cli.progress import progress
    from askance.experiments.replicas import reproduce as run
    from askance.experiments.replicas import tables_of
    from askance.experiments.replicas.replica import lines, orderings
    from askance.experiments.replicas.report import markdown
    from askance.experiments.report import write_report

    told = []
    for chosen in tables_of(paper, table):
        directory = out / paper / chosen.name
        with progress(f"{paper} {chosen.name}") as tell:

            def watch(done: int, of: int, _what: str, tell: object = tell) -> None:
                tell(done / of)  # type: ignore[operator]

            found = run(chosen, quick=quick, jobs=jobs, backend=backend, store=directory, watch=watch)
        text = markdown(found)
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "replica.md").write_text(text, encoding="utf-8")
        if found.results is not None and len(found.results):
            write_report(found.results, directory, f"{paper}, {chosen.title}")
        if json:
            told.append(
                {
                    "table": chosen.name,
                    "figures": [line._asdict() for line in lines(chosen, found.results)] if found.results else [],
                    "orderings": [
                        {**one._asdict(), "holds": one.holds} for one in orderings(chosen, found.results)
                    ]
                    if found.results
                    else [],
                    "missing": found.missing,
                }
            )
        else:
            _show(text, directory)
    if json:
        print_json({"paper": paper, "tables": told})


def _show(text: str, directory: Path) -> None:
    from rich.markdown import Markdown

    console = stdout()
    console.print(Markdown(text))
    console.print(f"\nAll of it is in {directory}")
