"""The program and its commands."""

from typing import Annotated

import typer

from askance import __version__
from askance.cli.commands.catalog import command as catalog
from askance.cli.commands.connect import command as connect
from askance.cli.commands.data import command as data
from askance.cli.commands.demo import command as demo
from askance.cli.commands.doctor import command as doctor
from askance.cli.commands.evaluate import command as evaluate
from askance.cli.commands.export import command as export
from askance.cli.commands.label import command as label
from askance.cli.commands.pool import command as pool
from askance.cli.commands.predict import command as predict
from askance.cli.commands.pull import command as pull
from askance.cli.commands.push import command as push
from askance.cli.commands.ratings import command as ratings
from askance.cli.commands.reproduce import command as reproduce
from askance.cli.commands.run import command as run
from askance.cli.commands.serve import command as serve
from askance.cli.commands.spark import command as spark
from askance.cli.commands.store import command as store
from askance.cli.commands.sweep import command as sweep
from askance.cli.commands.token import command as token
from askance.cli.commands.worker import command as worker
from askance.cli.errors import Group
from askance.cli.every_command import HELP_NAMES

app = typer.Typer(
    cls=Group,
    pretty_exceptions_enable=False,
    context_settings={"max_content_width": 100, "help_option_names": HELP_NAMES},
)
app.command(epilog=run.EXAMPLE)(run.run)
app.command(epilog=predict.EXAMPLE)(predict.predict)
app.command(epilog=evaluate.EXAMPLE)(evaluate.evaluate)
app.command(epilog=export.EXAMPLE)(export.export)
app.command(epilog=demo.EXAMPLE)(demo.demo)
app.command(epilog=pool.EXAMPLE)(pool.pool)
app.command(epilog=sweep.EXAMPLE)(sweep.sweep)
app.command(epilog=serve.EXAMPLE)(serve.serve)
app.command(epilog=reproduce.EXAMPLE)(reproduce.reproduce)
app.command("catalog", epilog=catalog.EXAMPLE)(catalog.show_catalog)
app.add_typer(spark.app)
app.add_typer(data.app)
app.add_typer(ratings.app)
app.command(epilog=push.EXAMPLE)(push.push)
app.command(epilog=pull.EXAMPLE)(pull.pull)
app.command(epilog=label.EXAMPLE)(label.label)
app.add_typer(connect.app)
app.command(epilog=worker.EXAMPLE)(worker.worker)
app.add_typer(store.app)
app.add_typer(token.app)
app.command(epilog=doctor.EXAMPLE)(doctor.doctor)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"askance {__version__}")
        raise typer.Exit


@app.callback(
    invoke_without_command=True, epilog="Start with   askance demo   or   askance run FILE --against random,full"
)
def _askance(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001 - its callback does the work
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Learn from a stream and ask for a label only when in doubt."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), nl=False)
