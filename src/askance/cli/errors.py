"""Errors as one line on stderr, and exit codes."""

import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from typer.core import TyperGroup

from askance.cli.every_command import complete_options, show_no_values
from askance.cli.output.console import set_quiet
from askance.errors import AskanceError, DataError, ParameterError, ServiceError

INTERNAL_ERROR, USAGE_ERROR, INTERRUPTED = 1, 2, 130

# What a wrong value, a file that cannot be read or written, a missing package and the service raise.
USAGE_ERRORS = (AskanceError, ValueError, TypeError, ImportError, OSError, MemoryError)

# Set it to see where an error was raised.
TRACEBACK = "ASKANCE_TRACEBACK"

# Parameters of the library whose options have another name.
RENAMED = {"random_state": "seed", "categories": "category", "numbers": "number", "dates": "date"}


class StoppedError(Exception):
    """Ctrl-C, with a message about the work that was done before."""


class Group(TyperGroup):
    """The commands of the program; `main` ends the process, and never with a traceback."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        complete_options(self)

    def main(self, args: Sequence[str] | None = None, *more: Any, **options: Any) -> Any:
        """Run a command and exit."""
        set_quiet(False)  # of a command before, in this process
        show_no_values(self)  # those for completion were added later
        words = list(sys.argv[1:] if args is None else args)
        work = partial(super().main, words, *more, **options | {"standalone_mode": False})
        sys.exit(exit_code(work, option_names(self, words)))


def option_names(group: TyperGroup, words: Sequence[str]) -> dict[str, str]:
    """The options of the command that these words call, by the names of their parameters."""
    command: Any = group
    for word in words:
        command = getattr(command, "commands", {}).get(word, command)
    named = {each.name: option for each in command.params for option in each.opts if option.startswith("--")}
    return named | {name: named[other] for name, other in RENAMED.items() if other in named}


def exit_code(work: Callable[[], Any], options: Mapping[str, str]) -> int:
    """Do the work, and report an error if there is one; `options` are those of the command."""
    try:
        code = int(work() or 0)
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = INTERRUPTED
    except StoppedError as done:
        complain(f"interrupted: {done}")
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of the output has closed it. Python flushes once more at exit: into nothing.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return INTERNAL_ERROR
    except Exception as error:
        if os.environ.get(TRACEBACK):
            raise
        complain(message_of(error, options))
        return USAGE_ERROR if is_usage_error(error) else INTERNAL_ERROR
    if code == INTERRUPTED:  # also what Typer returns after Ctrl-C
        complain("interrupted")
    return code


def complain(text: str) -> None:
    """Write one line to stderr."""
    sys.stderr.write(f"askance: {text}\n")


def is_usage_error(error: Exception) -> bool:
    """Whether the user can fix it."""
    return isinstance(error, USAGE_ERRORS) or _is_from_typer(error)


def message_of(error: Exception, options: Mapping[str, str]) -> str:
    """What is wrong, in one line, with the options of the command where the library names parameters."""
    if _is_from_typer(error):
        return _one_line(error.format_message()).rstrip(".") + _help_hint(error)  # type: ignore[attr-defined]
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    if isinstance(error, ParameterError):
        return _one_line(_about_parameter(error, options))
    if isinstance(error, DataError) and error.parameter and error.parameter in options:
        return _one_line(_with_option(str(error), error.parameter, options[error.parameter]))
    if isinstance(error, ServiceError) and "token" in options:
        return _one_line(_with_option(str(error), "token", options["token"]))
    if is_usage_error(error):
        return _one_line(str(error)) or type(error).__name__
    what = _one_line(f"{type(error).__name__}: {error}")
    return f"internal error: {what} (please report; {TRACEBACK}=1 shows the traceback)"


def _about_parameter(error: ParameterError, options: Mapping[str, str]) -> str:
    """The message with the option that sets the parameter; --param sets those of algorithms."""
    option = options.get(error.name)
    if option is None and "param" in options:
        option = f"--param {error.name}"
    return str(error) if option is None else f"{option} must be {error.allowed}, not {error.value!r}"


def _with_option(text: str, parameter: str, option: str) -> str:
    """`label=` in a message as `--label`, before a value with a blank."""
    alone = re.sub(rf"{parameter}=(True|(?=[,;:.)\s]|$))", option, text)
    return alone.replace(f"{parameter}=", f"{option} ")


def _is_from_typer(error: Exception) -> bool:
    # Recognised by a method, because the class has moved between versions of Typer.
    return hasattr(error, "format_message")


def _help_hint(error: Exception) -> str:
    context = getattr(error, "ctx", None)
    return f"; see {context.command_path} --help" if context else ""


def _one_line(text: str) -> str:
    return " ".join(text.split())
