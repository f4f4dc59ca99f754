"""`askance spark`: learn on a Spark cluster, or with Spark on this machine."""

from pathlib import Path
from typing import Annotated

import typer

from askance.cli import completion, options
from askance.cli.commands.run.command import Param
from askance.cli.commands.spark import mix
from askance.cli.options import flag, option
from askance.cli.targets import check_ending

FLEET_EXAMPLE = (
    "Example:   askance spark fleet --input rows --labels labels --output out --checkpoint state "
    "--classes ham,spam --once"
)
EXPORT_EXAMPLE = "Example:   askance spark export state --out models.parquet"
MODELS = (".parquet",)

STATE = "Models and state"
CLUSTER = "Spark"

app = typer.Typer(name="spark")

Input = Annotated[
    str, option("The directory of rows: key, id, order, and text, record, or indices and values.", "DIR")
]
Labels = Annotated[str, option("The directory of labels: key, id and label.", "DIR")]
Output = Annotated[str, option("The directory for decisions and learned labels.", "DIR")]
Checkpoint = Annotated[str, option("The directory for the state; give it again to continue a job.", "DIR")]
Classes = Annotated[str, option("The classes.", "A,B", STATE)]
Algorithm = Annotated[
    str,
    option(
        "An algorithm of `askance catalog`.",
        "NAME",
        STATE,
        "--algorithm",
        "-a",
        autocompletion=completion.algorithms,
    ),
]
Seed = Annotated[int, option("The seed of the coins that decide what to ask.", "N", STATE, min=0)]
Dtype = Annotated[str, option("float32 (small) or float64 (exact).", "TYPE", STATE)]
Bits = Annotated[int, option("Hash features to 2**BITS columns.", "BITS", STATE)]
Pairs = Annotated[bool, flag("--pairs", "Also use pairs of words in a text as features.", STATE)]
Memory = Annotated[int, option("The number of ids that each key remembers.", "N", STATE, min=1)]
Pages = Annotated[
    int,
    option("The number of pages of the state; 1024 is good for 100,000 keys.", "N", STATE, min=1),
]
Format = Annotated[str, option("The format of rows and labels: json (lines) or parquet.", "FORMAT")]
OutputFormat = Annotated[str, option("The format of the output: json or parquet.", "FORMAT")]
Once = Annotated[bool, flag("--once", "Stop when the files that exist now are processed.")]
FilesPerBatch = Annotated[
    int | None,
    option("Files of each directory per micro-batch. By default, all new ones.", "N", min=1),
]
Cluster = Annotated[
    str | None,
    option(
        "The Spark master, if spark-submit does not set it. By default, workers on this machine.",
        "ADDRESS",
        CLUSTER,
    ),
]
Conf = Annotated[list[str] | None, option("A Spark setting. Can be repeated.", "NAME=VALUE", CLUSTER)]
Place = Annotated[str, typer.Argument(metavar="CHECKPOINT", show_default=False, help="The checkpoint of a fleet.")]
Out = Annotated[Path, option("Write the table of keys and models to this file.", "PARQUET")]


@app.callback(invoke_without_command=True)
def _spark(context: typer.Context) -> None:
    """Learn with Spark, on this machine or, with spark-submit, on a cluster."""
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
    files_per_batch: FilesPerBatch = None,
    cluster: Cluster = None,
    conf: Conf = None,
    json: options.Json = False,
) -> None:
    """Learn one small model per key, from a stream of rows and a stream of labels that may arrive much later.

    Rows and labels are files in directories, read as they appear. Every row is
    decided once and every label is learned at most once, even if the job is
    killed and started again.
    """
    from askance.cli.commands.spark import fleet
    from askance.cli.contest.methods import parse_parameters
    from askance.distributed.spark_fleet.job import Files
    from askance.distributed.spark_fleet.settings import StreamSettings
    from askance.fleet.settings import FleetSettings

    names = [name.strip() for name in classes.split(",")]
    models = FleetSettings(algorithm, parse_parameters(param or []), names, None, bits, seed, dtype)
    settings = StreamSettings(models, pairs, memory, pages)
    files = Files(input, labels, output, checkpoint, format, output_format, files_per_batch)
    fleet.run(settings, files, once=once, master=cluster, conf=conf or [], as_json=json)


@app.command(epilog=EXPORT_EXAMPLE)
def export(checkpoint: Place, out: Out, cluster: Cluster = None, conf: Conf = None) -> None:
    """Write the models of all keys after the last micro-batch to a table."""
    check_ending(out, "--out", MODELS)
    from askance.cli.commands.spark import fleet

    fleet.export(checkpoint, out, cluster, conf or [])


app.command(epilog=mix.EXAMPLE)(mix.mix)
