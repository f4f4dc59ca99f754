"""Whatever goes wrong, told in one line on stderr, with an exit code."""

import os
import re
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from typer.core import TyperGroup

FAULT_OF_OURS, FAULT_OF_USE, INTERRUPTED = 1, 2, 130

# What a wrong value, a file that cannot be read or written and a missing package raise.
FAULTS_OF_USE = (ValueError, TypeError, ImportError, OSError, MemoryError)

# Set to show where a fault arose.
TRACEBACK = "ASKANCE_TRACEBACK"

# The library's sentences name its parameters; on the command line these are options.
_FOR_LIBRARY_ONLY = re.compile(r",? or set label=False for [^:;,]*")
_PARAMETER = re.compile(
    r"\b(label|text|format|drop|delimiter|dtype|classes|shuffle|paper|users|items|ratings)=(\.\.\.)?"
)
_OTHER_WORDS = {
    "set zero_based=True": "give --zero-based",
    "categories=": "--category ",
    "levels=[...]": "--levels",
    "set --": "give --",
}


class Interrupted(Exception):
    """Ctrl-C, with what was done until then."""


class Group(TyperGroup):
    """The commands of the program; `main` ends the process, and never with a traceback."""

    def main(self, *args: Any, **options: Any) -> Any:
        """Run a command and exit."""
        sys.exit(exit_code(partial(super().main, *args, **options | {"standalone_mode": False})))


def exit_code(work: Callable[[], Any]) -> int:
    """Do the work, telling a fault if there is one."""
    try:
        code = int(work() or 0)
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = INTERRUPTED
    except Interrupted as done:
        complain(f"interrupted: {done}")
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read the output has gone. Python flushes once more at the end: into nothing.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAULT_OF_OURS
    except Exception as fault:
        if os.environ.get(TRACEBACK):
            raise
        complain(sentence(fault))
        return FAULT_OF_USE if is_of_use(fault) else FAULT_OF_OURS
    if code == INTERRUPTED:  # also typer's own answer to Ctrl-C
        complain("interrupted")
    return code


def complain(text: str) -> None:
    """One line on stderr."""
    sys.stderr.write(f"askance: {text}\n")


def is_of_use(fault: Exception) -> bool:
    """Whether the user can mend it."""
    return isinstance(fault, FAULTS_OF_USE) or _is_usage(fault)


def sentence(fault: Exception) -> str:
    """What is wrong, in one line and in the words of the command line."""
    if _is_usage(fault):
        return _one_line(fault.format_message()).rstrip(".") + _help_hint(fault)  # type: ignore[attr-defined]
    if isinstance(fault, OSError) and fault.strerror:
        return f"{fault.filename}: {fault.strerror}" if fault.filename else fault.strerror
    if is_of_use(fault):
        return in_options(_one_line(str(fault)) or type(fault).__name__)
    told = _one_line(f"{type(fault).__name__}: {fault}")
    return f"stumbled, which is a fault of its own: {told} (set {TRACEBACK}=1 to see where)"


def in_options(text: str) -> str:
    """A sentence of the library in the words of the command line."""
    text = _PARAMETER.sub(r"--\1 ", _FOR_LIBRARY_ONLY.sub("", text))
    for word, option in _OTHER_WORDS.items():
        text = text.replace(word, option)
    return text.rstrip()


def _is_usage(fault: Exception) -> bool:
    # Typer's faults; by what they can do, because their class has moved between typer's versions.
    return hasattr(fault, "format_message")


def _help_hint(fault: Exception) -> str:
    context = getattr(fault, "ctx", None)
    return f"; see {context.command_path} --help" if context else ""


def _one_line(text: str) -> str:
    return " ".join(text.split())
