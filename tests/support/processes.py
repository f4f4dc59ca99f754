"""Running a script in a Python process of its own."""

import os
import pathlib
import subprocess
import sys
import textwrap
from typing import Any


def run_script(path: pathlib.Path, text: str | None = None, **environment: Any) -> str:
    """What the script at `path` prints, after writing `text` to it; it must end well.

    No byte code is written: two edits within one second would be taken for one.
    """
    if text is not None:
        path.write_text(textwrap.dedent(text))
    return _run([sys.executable, str(path)], environment)


def run_code(text: str, **environment: Any) -> str:
    """What `python -c text` prints."""
    return _run([sys.executable, "-c", textwrap.dedent(text)], environment)


def _run(command: list[str], environment: dict[str, Any]) -> str:
    given = {name: str(value) for name, value in environment.items()}
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONWARNINGS": "error"} | given,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout
