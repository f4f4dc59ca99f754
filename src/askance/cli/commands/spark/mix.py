"""`askance spark mix`: one model over files that arrive faster than one processor learns."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from askance.cli import options
from askance.cli.commands.run.command import Dtype, Param
from askance.cli.options import option
from askance.cli.output.console import print_json, stdout

if TYPE_CHECKING:
    from askance.distributed.spark_mixing import MixedBatch

EXAMPLE = (
    "Example:   askance spark mix --input incoming --output clicks.model --classes -1,1 --checkpoint state --once"
)

Input = Annotated[str, option(f"The directory in which files arrive: {options.FORMATS}.", "DIRECTORY")]
Output = Annotated[Path, option("Where the model goes, anew after each batch.", "MODEL")]
Checkpoint = Annotated[
    Path,
    option("What is done so far: interrupted and called again, it goes on. All machines see it.", "DIRECTORY"),
]
TwoClasses = Annotated[str, option("The two classes; of numbers, the larger is the positive one.", "A,B")]
Algorithm = Annotated[
    str, option("A name of `askance catalog`; PAA-II unless said.", "NAME", None, "--algorithm", "-a")
]
Seed = Annotated[int, option("Of the coins that decide about asking; 0 unless said.", "N", min=0)]
FilesABatch = Annotated[
    int, option("Files that are learned side by side and then mixed; 4 unless said.", "N", min=1)
]
Once = Annotated[bool, typer.Option("--once", help="End when all files that are there now are done.")]
Cluster = Annotated[str | None, option("A Spark master; workers on this machine unless said.", "ADDRESS")]
Jobs = Annotated[int, option("Workers on this machine; one for each processor unless said.", "N")]


def mix(
    input: Input,  # noqa: A002 - the word that users expect
    output: Output,
    checkpoint: Checkpoint,
    classes: TwoClasses,
    algorithm: Algorithm = "PAA-II",
    param: Param = None,
    seed: Seed = 0,
    dtype: Dtype = "float32",
    files_a_batch: FilesABatch = 4,
    label: options.Label = None,
    once: Once = False,
    cluster: Cluster = None,
    jobs: Jobs = -1,
    json: options.Json = False,
) -> None:
    """Learn one model from files that arrive faster than one processor learns.

    The files of a batch are learned side by side, and the models averaged, each by its updates.
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
    request = MixRequest(input, output, checkpoint, files_a_batch, not once, reading)
    check_mixable(learner)  # before Spark takes its time to start
    with spark_session(jobs, cluster) as session:
        batches = _watched(lambda watch: run(session, learner, request, watch))
    if json:
        print_json({"batches": [batch._asdict() for batch in batches], "model": str(output)})
    else:
        _show(batches, output)


def _two(given: str) -> list[Any]:
    """`a,b` as two classes: numbers if both are."""
    names = sorted({name.strip() for name in given.split(",")})
    if len(names) != 2 or not all(names):
        raise ValueError(f"--classes {given}: give two different classes, as in --classes ham,spam")
    try:
        return sorted(map(float, names))
    except ValueError:
        return list(names)


def _watched(work: Any) -> "list[MixedBatch]":
    """The batches, each told when it is mixed."""
    from askance.cli.output.progress import figures

    batches: list[MixedBatch] = []
    with figures("mixing") as tell:

        def watch(batch: "MixedBatch") -> None:
            batches.append(batch)
            tell(f"batch {batch.number}  {sum(one.rows for one in batches):,} rows")

        work(watch)
    return batches


def _show(batches: "list[MixedBatch]", output: Path) -> None:
    console = stdout()
    rows = sum(batch.rows for batch in batches)
    if not rows:
        console.print(f"no file that has not been mixed before; the model is in {output}")
        return
    asked, mistakes = (sum(getattr(batch, name) for batch in batches) for name in ("asked", "mistakes"))
    console.print(
        f"{rows:,} rows in {len(batches):,} batches, {asked:,} labels asked, accuracy {1 - mistakes / rows:.4f}"
    )
    console.print(f"wrote {output}")
