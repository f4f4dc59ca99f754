"""`askance sweep`: algorithms compared on data sets, by a plan in TOML."""

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from askance.cli import options
from askance.cli.options import option
from askance.cli.output.console import print_json, stdout

if TYPE_CHECKING:
    from askance.experiments.sweep.results import Results

EXAMPLE = "Example:   askance sweep plan.toml --out results"
KNOWN = (
    "data",
    "algorithms",
    "grid",
    "rates",
    "permutations",
    "tuning",
    "metric",
    "random_state",
    "dtype",
    "points",
)
QUICK = 3

PlanFile = Annotated[
    Path,
    typer.Argument(
        metavar="PLAN.toml", show_default=False, help="What to compare on what: data and algorithms at least."
    ),
]
Out = Annotated[
    Path | None,
    option("Where results, tables and pictures go: a directory, called like the plan unless said.", "DIRECTORY"),
]
Jobs = Annotated[int, option("Workers; one for each processor unless said.", "N")]
Backend = Annotated[
    str, option("Where it is done: loky (processes here, unless said), dask, ray, spark or sequential.", "NAME")
]
Cluster = Annotated[
    str | None,
    option(
        "The cluster: a Dask scheduler (tcp://host:8786), a Ray head (host:6379) or a Spark master "
        "(spark://host:7077); workers on this machine unless said.",
        "ADDRESS",
    ),
]
Quick = Annotated[bool, typer.Option("--quick", help=f"A look only: {QUICK} permutations, {QUICK} for tuning.")]


def sweep(
    plan: PlanFile,
    out: Out = None,
    jobs: Jobs = -1,
    backend: Backend = "loky",
    cluster: Cluster = None,
    quick: Quick = False,
    json: options.Json = False,
) -> None:
    """Compare algorithms on data sets, each at the same shares of labels, over permutations.

    A plan says `data = ["mails.csv"]` and `algorithms = ["PAA-II", "RPA-II"]`, and may say `rates`,
    `permutations`, `metric`, `random_state` and a table `grid` of values to try. Interrupt it and call it
    again: it goes
    on where it was. On a cluster, the directory must be one that all machines see.
    """
    wanted = read_plan(plan)
    if quick:
        wanted |= {"permutations": QUICK, "tuning": QUICK}
    directory = out or plan.with_suffix("")
    from askance.cli.output.progress import progress
    from askance.experiments.sweep.report import write_report
    from askance.experiments.sweep.run import sweep as run

    with progress(plan.stem) as tell:

        def watch(done: int, of: int, _what: str) -> None:
            tell(done / of)

        found = run(**wanted, n_jobs=jobs, backend=backend, cluster=cluster, store=directory, watch=watch)
    written = write_report(found, directory, plan.stem)
    if json:
        print_json({"results": _records(found), "files": [str(path) for path in written]})
    else:
        _show(found, written)


def read_plan(path: Path) -> dict[str, Any]:
    """The plan as arguments; ValueError in one sentence if it is not one."""
    try:
        plan = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as fault:
        raise ValueError(f"{path} is not TOML: {fault}") from fault
    for key in plan:
        if key not in KNOWN:
            raise ValueError(f"{path} says {key!r}, which no plan has: it may say {', '.join(KNOWN)}")
    for key in ("data", "algorithms"):
        if not plan.get(key):
            raise ValueError(f'{path} must say {key}, such as {key} = ["{_example(key)}"]')
    plan["data"] = _data(plan["data"], path.parent)
    return plan


def _example(key: str) -> str:
    return {"data": "mails.csv", "algorithms": "PAA-II"}[key]


def _data(given: Any, beside: Path) -> Any:
    """Files beside the plan, and names of data sets."""
    if isinstance(given, str):
        given = [given]
    if not isinstance(given, list) or not all(isinstance(name, str) for name in given):
        raise ValueError('data must list files or names of data sets, such as data = ["mails.csv", "a8a"]')
    return [str(beside / name) if (beside / name).exists() else name for name in given]


def _records(found: "Results") -> list[dict[str, Any]]:
    columns = {name: column.tolist() for name, column in found.columns.items()}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _show(found: "Results", written: list[Path]) -> None:
    from rich.markdown import Markdown

    from askance.experiments.sweep.tables import result_table

    console = stdout()
    console.print(Markdown(result_table(found).to_markdown()))
    for path in written:
        console.print(f"wrote {path}")
