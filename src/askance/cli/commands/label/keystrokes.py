"""Single keys without Enter, and which of them were meant."""

import os
import re
import select
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

TOO_SOON = 0.15
# A key that is held down repeats after up to two thirds of a second, then about thirty times per second.
HELD_DOWN = 0.7
LOOK = 1.0  # seconds: Ctrl-C just before waiting for a key would otherwise be noticed at the next key only

# What arrow and function keys send: several characters, none of them an answer.
_SEQUENCE = re.compile(r"\x1b(\[[0-?]*[ -/]*[@-~]|O.|.)?", re.DOTALL)


class KeyGuard:
    """Filters out keystrokes that were meant for the previous question, and keys held down."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._shown = now()
        self._last = ""
        self._last_at = -HELD_DOWN
        self._answered_with = ""

    def question_is_shown(self) -> None:
        """From now on, keys are for this question."""
        self._shown = self._now()

    def is_meant(self, key: str) -> bool:
        """Whether to accept this key, which was just pressed."""
        now = self._now()
        repeated = key == self._last and now - self._last_at < TOO_SOON
        soon = HELD_DOWN if key == self._answered_with else TOO_SOON
        meant = not repeated and now - self._shown >= soon
        self._last, self._last_at = key, now
        if meant:
            self._answered_with = key
        return meant


class Keyboard:
    """The keys of a terminal, one at a time."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._pressed: list[str] = []

    def key(self, seconds: float | None = None) -> str | None:
        """The next key, in lower case; None if there is none within `seconds`."""
        typed = self._next(seconds)
        return None if typed is None else typed.lower()

    def character(self) -> str:
        """The next character, as it was typed."""
        return self._next(None) or ""

    def _next(self, seconds: float | None) -> str | None:
        while not self._pressed:
            ready, _, _ = select.select([self._number], [], [], LOOK if seconds is None else seconds)
            if not ready and seconds is None:
                continue
            if not ready:
                return None
            typed = os.read(self._number, 1024)
            if not typed:
                raise ValueError("the terminal was closed")
            self._pressed.extend(_SEQUENCE.sub("", typed.decode("utf-8", "ignore")))
        return self._pressed.pop(0)


@contextmanager
def keyboard() -> Iterator[Keyboard | None]:
    """The keyboard, if there is one; restores the terminal at the end."""
    try:
        import termios
        import tty
    except ImportError:  # Windows: answers end with Enter
        yield None
        return
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        yield None
        return
    number = sys.stdin.fileno()
    before = termios.tcgetattr(number)
    tty.setcbreak(number)
    try:
        yield Keyboard(number)
    finally:
        termios.tcsetattr(number, termios.TCSADRAIN, before)
