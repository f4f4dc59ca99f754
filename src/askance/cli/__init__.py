"""The command line. Modules that take long to import are imported by the commands that need them."""

import gc
import sys
from io import TextIOWrapper


def main() -> None:
    """Run the program; the process ends with its exit code."""
    try:
        from askance.cli.quick_start import quick_start

        with quick_start():
            from askance.cli.app import app
    except KeyboardInterrupt:  # commands take care of it once they are imported
        sys.exit(_interrupted())
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # A character that the encoding of the output lacks must not end the program.
            stream.reconfigure(errors="replace")
    try:
        app(prog_name="askance")
    finally:
        gc.freeze()  # Python looks for garbage once more at the end, where nobody needs the memory


def _interrupted() -> int:
    sys.stderr.write("askance: interrupted\n")
    return 130
