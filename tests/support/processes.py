"""Running a script in a Python process of its own."""

import contextlib
import os
import pathlib
import pty
import signal
import subprocess
import sys
import textwrap
import threading
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
    assert done.returncode == 0, f"ended with {done.returncode}: {done.stderr[-2000:]}"
    return done.stdout


def interruptible(command: list[str], **options: Any) -> subprocess.Popen[Any]:
    """A process that SIGINT ends, also if a shell started the tests in the background.

    There interrupts are ignored, and children inherit that; what has a handler here has the default there.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return subprocess.Popen(command, **options)
    finally:
        signal.signal(signal.SIGINT, before)


class Terminal:
    """A terminal that a program writes to. It is read all the time, because a full one stops the program."""

    def __init__(self) -> None:
        self._ours, self.theirs = pty.openpty()
        self._parts: list[bytes] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        with contextlib.suppress(OSError):  # Linux reports the end as an error
            while part := os.read(self._ours, 10_000):
                self._parts.append(part)

    def written(self) -> bytes:
        """All that was written, once every program has closed the terminal."""
        os.close(self.theirs)
        self._reader.join(60)
        os.close(self._ours)
        return b"".join(self._parts)
