"""The command line. Modules that take long to import are imported by the commands that need them."""

import sys
from io import TextIOWrapper


def main() -> None:
    """Run the program; the process ends with its exit code."""
    from askance.cli.app import app

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # A Greek letter must not end the program where the output's encoding has none.
            stream.reconfigure(errors="replace")
    app(prog_name="askance")
