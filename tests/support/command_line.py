"""What the tests of the command line share: running it in this process, and files for it to read."""

import csv
import functools
import json
import pathlib
from collections.abc import Iterable, Sequence
from typing import Any

import typer.testing
from typer.testing import CliRunner

import streams
from askance.cli.app import app

# The runner works all commands out of their functions at every call, which takes a tenth of a second.
typer.testing._get_command = functools.cache(typer.testing._get_command)


def askance(*words: object, stdin: bytes | None = None) -> Any:
    """Run a command in this process: `.exit_code`, `.stdout`, `.stderr`."""
    result = CliRunner().invoke(app, [str(word) for word in words], input=stdin, prog_name="askance")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def output(*words: object, stdin: bytes | None = None) -> str:
    """What a command prints that ends well. On stderr it may say that it compiles, but no more."""
    result = askance(*words, stdin=stdin)
    assert result.exit_code == 0, result.stderr
    assert not without_compiling(result.stderr)
    return result.stdout


def without_compiling(stderr: str) -> str:
    """The lines of stderr that do not depend on what machine code was there before."""
    lines = stderr.splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("askance: compiling for this machine, "))


def answer(*words: object, stdin: bytes | None = None) -> dict[str, Any]:
    """What a command says with `--json`."""
    return json.loads(output(*words, "--json", stdin=stdin))


def complaint(*words: object, stdin: bytes | None = None) -> str:
    """The one line that a user's mistake gets."""
    result = askance(*words, stdin=stdin)
    assert result.exit_code == 2, result.stdout
    assert result.stdout == ""
    stderr = without_compiling(result.stderr)
    assert stderr.startswith("askance: ")
    assert stderr.count("\n") == 1
    assert stderr.endswith("\n")
    return stderr.removeprefix("askance: ").strip()


def write_csv(path: pathlib.Path, X: Iterable[Sequence[Any]], y: Iterable[Any]) -> pathlib.Path:
    rows = [[*map(float, x), label] for x, label in zip(X, y, strict=True)]
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*(f"x{number}" for number in range(len(rows[0]) - 1)), "label"])
        writer.writerows(rows)
    return path


def mails(path: pathlib.Path, rows: int = 3000, **options: Any) -> pathlib.Path:
    """Dense rows of ham and spam, more than a chunk of them."""
    made = streams.noisy(rows, 6, **options)
    return write_csv(path, made.X, ["spam" if label > 0 else "ham" for label in made.y])


def saved_model(data: pathlib.Path) -> pathlib.Path:
    """A model that has learned from a file, beside it."""
    path = data.with_suffix(".model")
    output("run", data, "-a", "PAA-II", "--save", path)
    return path
