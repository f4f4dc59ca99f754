"""`askance sweep`: compare algorithms on data sets, as planned in a TOML file."""

import tomllib
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from askance._util.class_names import shown_class
from askance.cli import options
from askance.cli.options import flag, option
from askance.cli.output.console import print_json, stdout
from askance.cli.output.markdown import print_markdown
from askance.cli.targets import EXTRAS

if TYPE_CHECKING:
    from askance.data.stream import Stream
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
    "positive",
    "random_state",
    "dtype",
    "intercept",
    "scaling",
    "points",
)
OPTIONS = ("file", "name", "label", "text", "categories", "drop", "bits", "pairs", "delimiter", "zero_based")
QUICK = 3

PlanFile = Annotated[
    Path,
    typer.Argument(metavar="PLAN.toml", show_default=False, help="The plan: at least data and algorithms."),
]
Out = Annotated[
    Path | None,
    option("The directory of results, tables and plots. By default, the name of the plan.", "DIRECTORY"),
]
Backend = Annotated[
    str, option("What runs the work: loky (processes on this machine), dask, ray, spark or sequential.", "NAME")
]
Cluster = Annotated[
    str | None,
    option(
        "The address of the cluster: a Dask scheduler (tcp://host:8786), a Ray head (host:6379) or a Spark master "
        "(spark://host:7077). By default, workers on this machine.",
        "ADDRESS",
    ),
]
Positive = Annotated[
    str | None,
    option(
        "The class that F, precision, recall and costs are about, in all data sets. By default, the rarer one if "
        "it has less than a third of the rows, otherwise the last.",
        "CLASS",
    ),
]
Quick = Annotated[bool, flag("--quick", f"A quick look: {QUICK} permutations, and {QUICK} for tuning.")]


def sweep(
    plan: PlanFile,
    out: Out = None,
    n_jobs: options.NJobs = -1,
    backend: Backend = "loky",
    cluster: Cluster = None,
    positive: Positive = None,
    quick: Quick = False,
    json: options.Json = False,
) -> None:
    """Compare algorithms on data sets, at the same shares of labels, over several permutations of the rows.

    A plan has `data = ["mails.csv"]` and `algorithms = ["PAA-II", "RPA-II"]`,
    and optionally `rates`, `permutations`, `metric`, `positive`, `random_state`, `intercept`, `scaling`
    and a table `grid` of values to try. A file whose label is in another column is
    `{file = "mails.csv", label = "folder"}`. If you interrupt the command, run it again to
    continue. On a cluster, all machines must see the output directory.
    """
    wanted = read_plan(plan)
    if quick:
        wanted |= {"permutations": QUICK, "tuning": QUICK}
    if positive is not None:
        wanted["positive"] = positive
    directory = out or plan.with_suffix("")
    from askance.cli.output.progress import progress
    from askance.experiments.sweep.report import write_report
    from askance.experiments.sweep.run import sweep as run

    with progress(plan.stem) as report:
        found = run(**wanted, n_jobs=n_jobs, backend=backend, cluster=cluster, store=directory, watch=report)
    written = write_report(found, directory, plan.stem)
    if json:
        files = [str(path) for path in written]
        print_json({"results": _records(found), "positive": found.positive, "files": files})
    else:
        _show(found, written)


def read_plan(path: Path) -> dict[str, Any]:
    """Read a plan as keyword arguments of `sweep`; ValueError if it is not valid."""
    try:
        plan = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is not valid TOML: {error}") from error
    for key in plan:
        if key not in KNOWN:
            raise ValueError(f"{path}: unknown key {key!r}: use {', '.join(KNOWN)}")
    for key in ("data", "algorithms"):
        if not plan.get(key):
            raise ValueError(f'{path}: {key} is missing: add {key} = ["{_example(key)}"]')
    plan["data"] = _data(plan["data"], path.parent, plan.get("dtype", "float32"))
    return plan


def _example(key: str) -> str:
    return {"data": "mails.csv", "algorithms": "PAA-II"}[key]


def _data(given: Any, beside: Path, dtype: Any) -> list[Any]:
    """Paths of files next to the plan, names of data sets, and streams of files with options."""
    entries = given if isinstance(given, list) else [given]
    if not all(isinstance(entry, str | dict) for entry in entries):
        raise ValueError('data must be a list of files or names of data sets, such as data = ["mails.csv", "a8a"]')
    return [
        _beside(entry, beside) if isinstance(entry, str) else _stream(entry, beside, dtype) for entry in entries
    ]


def _beside(name: str, beside: Path) -> str:
    return str(beside / name) if (beside / name).exists() else name


def _stream(entry: dict[str, Any], beside: Path, dtype: Any) -> "Stream":
    """The rows of `{file = "mails.csv", label = "folder"}`."""
    from askance.data import read
    from askance.data.stream import NamedStream

    for key in entry:
        if key not in OPTIONS:
            raise ValueError(f"data: unknown key {key!r}: use {', '.join(OPTIONS)}")
    if not isinstance(entry.get("file"), str):
        raise ValueError('data: file is missing: write {file = "mails.csv", label = "folder"}')
    options = {key: value for key, value in entry.items() if key not in ("file", "name")}
    stream = read(_beside(entry["file"], beside), dtype=dtype, **options)
    return NamedStream(entry["name"], stream) if "name" in entry else stream


def _records(found: "Results") -> list[dict[str, Any]]:
    columns = {name: column.tolist() for name, column in found.columns.items()}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _show(found: "Results", written: list[Path]) -> None:
    from askance.experiments.sweep.tables import result_table
    from askance.metrics import METRICS
    from askance.metrics.positive import OF_POSITIVE

    console = stdout()
    print_markdown(console, result_table(found).to_markdown())
    what = f"{METRICS[found.main].title} of" if found.main in OF_POSITIVE else "the positive class is"
    for name, value in found.positive.items():
        console.print(f"{name}: {what} {shown_class(value)!r}")
    for path in written:
        console.print(f"wrote {path}")
    for package in ("matplotlib", "pyarrow"):
        if find_spec(package) is None:
            console.print(f"Left out: {EXTRAS[package].use} needs {package}: {EXTRAS[package].remedy}")
