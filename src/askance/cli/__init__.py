"""The command line. Modules that take long to import are imported by the commands that need them."""

import sys
from io import TextIOWrapper


def main() -> None:
    """Run the program; the process ends with its exit code."""
    from askance.cli.app import app

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # A character that the encoding of the output lacks must not end the program.
            stream.reconfigure(errors="replace")
    app(prog_name="askance")
