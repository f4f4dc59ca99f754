"""`askance spark`: work for a Spark cluster, or for Spark on this machine."""

from pathlib import Path
from typing import Annotated

import typer

from askance.cli import options
from askance.cli.commands.run.command import Param
from askance.cli.commands.spark import mix
from askance.cli.options import option
from askance.cli.targets import check_ending

FLEET_EXAMPLE = (
    "Example:   askance spark fleet --input rows --labels labels --output out --checkpoint state "
    "--classes ham,spam --once"
)
EXPORT_EXAMPLE = "Example:   askance spark export state --out models.parquet"
MODELS = (".parquet",)

STATE = "The models and their state"
CLUSTER = "Spark"

app = typer.Typer(name="spark")

Input = Annotated[
    str, option("A directory of rows: key, id, order, and text, record, or indices and values.", "DIR")
]
Labels = Annotated[str, option("A directory of labels: key, id and label.", "DIR")]
Output = Annotated[str, option("Where decisions and learned labels go.", "DIR")]
Checkpoint = Annotated[str, option("Where the state is kept: given again, the job goes on.", "DIR")]
Classes = Annotated[str, option("The classes.", "A,B", STATE)]
Algorithm = Annotated[
    str, option("A name of `askance catalog`; PAA-II unless said.", "NAME", STATE, "--algorithm", "-a")
]
Seed = Annotated[int, option("Of the coins that decide about asking; 0 unless said.", "N", STATE, min=0)]
Dtype = Annotated[str, option("float32, which is small, or float64, exact to the last bit.", "TYPE", STATE)]
Bits = Annotated[int, option("Features are hashed into 2**BITS columns; 18 unless said.", "BITS", STATE)]
Pairs = Annotated[bool, typer.Option("--pairs", rich_help_panel=STATE, help="Take pairs of words of a text too.")]
Memory = Annotated[int, option("Each key remembers so many ids; 1000 unless said.", "N", STATE, min=1)]
Pages = Annotated[
    int,
    option("Into how many pages the state is cut; 1024, good for 100,000 keys, unless said.", "N", STATE, min=1),
]
Format = Annotated[
    str, option("Of rows and labels: json, which is lines, or parquet; json unless said.", "FORMAT")
]
OutputFormat = Annotated[str, option("Of the output: json or parquet; parquet unless said.", "FORMAT")]
Once = Annotated[bool, typer.Option("--once", help="End when all files that are there now are done.")]
FilesABatch = Annotated[
    int | None,
    option("Take so many files of each directory in a micro-batch; all new ones unless said.", "N", min=1),
]
Cluster = Annotated[
    str | None,
    option(
        "A Spark master, unless spark-submit says it: workers on this machine unless said.", "ADDRESS", CLUSTER
    ),
]
Conf = Annotated[list[str] | None, option("A setting of Spark; may be repeated.", "NAME=VALUE", CLUSTER)]
Place = Annotated[str, typer.Argument(metavar="CHECKPOINT", show_default=False, help="The checkpoint of a fleet.")]
Out = Annotated[Path, option("A table of keys and models.", "PARQUET")]


@app.callback(invoke_without_command=True)
def _spark(context: typer.Context) -> None:
    """Learn on Spark: here or, with spark-submit, on a cluster."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), nl=False)


@app.command(epilog=FLEET_EXAMPLE)
def fleet(
    input: Input,  # noqa: A002 - the word that users expect
    labels: Labels,
    output: Output,
    checkpoint: Checkpoint,
    classes: Classes,
    algorithm: Algorithm = "PAA-II",
    param: Param = None,
    seed: Seed = 0,
    dtype: Dtype = "float32",
    bits: Bits = 18,
    pairs: Pairs = False,
    memory: Memory = 1000,
    pages: Pages = 1024,
    format: Format = "json",  # noqa: A002 - the word that users expect
    output_format: OutputFormat = "parquet",
    once: Once = False,
    files_a_batch: FilesABatch = None,
    cluster: Cluster = None,
    conf: Conf = None,
    json: options.Json = False,
) -> None:
    """Learn one small model a key from a stream of rows, and of labels that may come much later.

    Rows and labels are files in directories, taken as they appear. Every row is decided about once and every label
    is learned at most once, also if the job is killed and started again.
    """
    from askance.cli.commands.spark import fleet
    from askance.cli.contest.methods import parse_parameters
    from askance.distributed.spark_fleet.job import Files
    from askance.distributed.spark_fleet.settings import StreamSettings
    from askance.fleet.settings import FleetSettings

    names = [name.strip() for name in classes.split(",")]
    models = FleetSettings(algorithm, parse_parameters(param or []), names, None, bits, seed, dtype)
    settings = StreamSettings(models, pairs, memory, pages)
    files = Files(input, labels, output, checkpoint, format, output_format, files_a_batch)
    fleet.run(settings, files, once=once, master=cluster, conf=conf or [], as_json=json)


@app.command(epilog=EXPORT_EXAMPLE)
def export(checkpoint: Place, out: Out, cluster: Cluster = None, conf: Conf = None) -> None:
    """Write the model of each key, as of the last micro-batch, to a table."""
    check_ending(out, "--out", MODELS)
    from askance.cli.commands.spark import fleet

    fleet.export(checkpoint, out, cluster, conf or [])


app.command(epilog=mix.EXAMPLE)(mix.mix)
