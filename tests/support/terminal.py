"""A program behind a terminal of its own, which a test types into."""

import os
import pty
import select
import sys
import time
from typing import Any, Self

from askance.cli.commands.label.keystrokes import TOO_SOON
from processes import interruptible

READ = TOO_SOON + 0.4  # after which a key is meant, on a busy machine too


class Terminal:
    """The program behind a terminal of its own."""

    def __init__(self, *words: str) -> None:
        self.master, slave = pty.openpty()
        self.screen = b""
        self.process = interruptible(
            [sys.executable, "-m", "askance", *words],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            env=os.environ | {"COLUMNS": "100", "TERM": "xterm", "NO_COLOR": "1"},
        )
        os.close(slave)

    def wait_for(self, text: str) -> None:
        """Wait until the screen has shown a text."""
        end = time.monotonic() + 60
        while text.encode() not in self.screen:
            ready, _, _ = select.select([self.master], [], [], max(0, end - time.monotonic()))
            assert ready, self.screen
            self.screen += os.read(self.master, 65536)

    def press(self, keys: str) -> None:
        """Type keys."""
        os.write(self.master, keys.encode())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: Any) -> None:
        if any(error):
            self.process.kill()
        self.process.wait(20)
        os.close(self.master)
