"""`askance spark mix`: learn one model from files that arrive faster than one processor can learn."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from askance.cli import completion, options
from askance.cli.commands.run.command import Dtype, Param
from askance.cli.options import flag, option
from askance.cli.output.console import print_json, stdout

if TYPE_CHECKING:
    from askance.distributed.spark_mixing import MixedBatch

EXAMPLE = (
    "Example:   askance spark mix --input incoming --output clicks.model --classes -1,1 --checkpoint state --once"
)

Input = Annotated[
    str, option("The directory where files arrive: svmlight, csv, tsv, jsonl, parquet or npz.", "DIRECTORY")
]
Output = Annotated[Path, option("The file of the model, written after each batch.", "MODEL")]
Checkpoint = Annotated[
    Path,
    option("Where progress is saved, to continue later. All machines must see it.", "DIRECTORY"),
]
TwoClasses = Annotated[str, option("The two classes. The second in sorted order is the positive one.", "A,B")]
Algorithm = Annotated[
    str,
    option(
        "An algorithm of `askance catalog`.",
        "NAME",
        None,
        "--algorithm",
        "-a",
        autocompletion=completion.algorithms,
    ),
]
FilesPerBatch = Annotated[int, option("Files that are learned in parallel and then mixed.", "N", min=1)]
Once = Annotated[bool, flag("--once", "Stop when the files that exist now are processed.")]
Cluster = Annotated[str | None, option("The Spark master. By default, workers on this machine.", "ADDRESS")]


def mix(
    input: Input,  # noqa: A002 - the word that users expect
    output: Output,
    checkpoint: Checkpoint,
    classes: TwoClasses,
    algorithm: Algorithm = "PAA-II",
    param: Param = None,
    seed: options.Seed = 0,
    dtype: Dtype = "float32",
    files_per_batch: FilesPerBatch = 4,
    label: options.Label = None,
    once: Once = False,
    cluster: Cluster = None,
    n_jobs: options.NJobs = -1,
    json: options.Json = False,
) -> None:
    """Learn one model from files that arrive faster than one processor can learn.

    The files of a batch are learned in parallel. Then the models are averaged,
    weighted by their updates.
    """
    from askance.algorithms.make import make
    from askance.cli.contest.methods import parse_parameters
    from askance.distributed.mixing import check_mixable
    from askance.distributed.spark import spark_session
    from askance.distributed.spark_mixing import MixRequest
    from askance.distributed.spark_mixing import mix as run

    parameters = parse_parameters(param or [])
    learner = make(algorithm, random_state=seed, dtype=dtype or "float32", classes=_two(classes), **parameters)
    reading = {} if label is None else {"label": label}
    request = MixRequest(input, output, checkpoint, files_per_batch, not once, reading)
    check_mixable(learner)  # before Spark takes its time to start
    with spark_session(n_jobs, cluster) as session:
        batches = _watched(lambda watch: run(session, learner, request, watch))
    if json:
        print_json({"batches": [batch._asdict() for batch in batches], "model": str(output)})
    else:
        _show(batches, output)


def _two(given: str) -> list[Any]:
    """Parse `a,b` to two classes: numbers if both are numbers."""
    names = sorted({name.strip() for name in given.split(",")})
    if len(names) != 2 or not all(names):
        raise ValueError(f"--classes {given}: give two different classes, for example --classes ham,spam")
    try:
        return sorted(map(float, names))
    except ValueError:
        return list(names)


def _watched(work: Any) -> "list[MixedBatch]":
    """Do the work, reporting each batch when it is mixed; returns the batches."""
    from askance.cli.output.progress import progress

    batches: list[MixedBatch] = []
    with progress("mixing") as report:

        def watch(batch: "MixedBatch") -> None:
            batches.append(batch)
            report(batch.number, None, f"batch {batch.number}  {sum(one.rows for one in batches):,} rows")

        work(watch)
    return batches


def _show(batches: "list[MixedBatch]", output: Path) -> None:
    console = stdout()
    rows = sum(batch.rows for batch in batches)
    if not rows:
        console.print(f"there are no new files; the model is in {output}")
        return
    asked, mistakes = (sum(getattr(batch, name) for batch in batches) for name in ("asked", "mistakes"))
    console.print(
        f"{rows:,} rows in {len(batches):,} batches, {asked:,} labels asked, accuracy {1 - mistakes / rows:.4f}"
    )
    console.print(f"wrote {output}")
