"""What every command has: -h beside --help, --quiet, and no value in the help of an option that takes none."""

from collections.abc import Iterator
from typing import Annotated, Any

import typer
import typer.main

from askance.cli.output.console import set_quiet

HELP_NAMES = ["-h", "--help"]
# Commands that exist to print or to ask.
ALWAYS_PRINT = frozenset({"catalog", "demo", "doctor", "info", "label", "list", "serve"})
QUIET_HELP = "Print no report, notes or progress: only errors, and data such as --json or rows on stdout."


def complete_options(group: Any) -> None:
    """Add what every command has to the commands of a group and of the groups in it."""
    quiet = _quiet_option()
    for command in _all(group):
        is_group = bool(getattr(command, "commands", None))
        if not is_group and command.name not in ALWAYS_PRINT:
            command.params.append(quiet)
        show_no_values(command)
        _show_no_value_of_help(command)


def _all(command: Any) -> Iterator[Any]:
    yield command
    for each in getattr(command, "commands", {}).values():
        yield from _all(each)


def _quiet_option() -> Any:
    """The option as Typer makes it of a command that has no other."""
    app = typer.Typer(add_completion=False)
    app.command()(_command_with_quiet)
    return typer.main.get_command(app).params[0]


def _command_with_quiet(
    quiet: Annotated[
        bool,
        typer.Option(
            "--quiet", "-q", help=QUIET_HELP, callback=set_quiet, is_eager=True, expose_value=False, metavar=""
        ),
    ] = False,
) -> None: ...


def show_no_values(command: Any) -> None:
    """Show options without a value as such in the help of a command."""
    for parameter in command.params:
        _show_no_value(parameter)


def _show_no_value(parameter: Any) -> None:
    """Otherwise some versions of Typer show `--json <bool>`."""
    if getattr(parameter, "is_flag", False) and parameter.metavar is None:
        parameter.metavar = ""


def _show_no_value_of_help(command: Any) -> None:
    original = command.get_help_option

    def get_help_option(context: Any) -> Any:
        found = original(context)
        _show_no_value(found)
        return found

    command.get_help_option = get_help_option
