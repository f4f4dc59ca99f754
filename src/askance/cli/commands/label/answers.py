"""Answers from a keyboard, one key each, or from lines."""

import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from askance.cli.commands.label.keystrokes import Keyboard, KeyGuard
from askance.service.shortcuts import QUIT, VERBS

POLL_SECONDS = 1.0


class Answer(NamedTuple):
    """A label, or a command: s, u or q."""

    label: str | None
    command: str | None = None


class Answers(Protocol):
    """A source of answers."""

    @property
    def keys(self) -> Mapping[str, str]:
        """The classes by key."""
        ...

    def begin(self) -> None:
        """A new question is shown: ignore what was typed before."""

    def next(self) -> Answer:
        """The answer to the current question."""
        ...

    def wait(self) -> Answer | None:
        """While there is no question: a command, or None after a while."""
        ...


class KeyAnswers:
    """Answers by single keys."""

    def __init__(self, keyboard: Keyboard, keys: Mapping[str, str]) -> None:
        self.keys = keys
        self._keyboard = keyboard
        self._guard = KeyGuard()

    def begin(self) -> None:
        """Ignore keys that were pressed for the previous question."""
        self._guard.question_is_shown()

    def next(self) -> Answer:
        """The next key that was meant and has a meaning."""
        while True:
            key = self._keyboard.key()
            if key is None or not self._guard.is_meant(key):
                continue
            if key in self.keys:
                return Answer(self.keys[key])
            if key in VERBS:
                return Answer(None, key)
            if (other := self.meaning_of(key)) is not None:
                return other

    def meaning_of(self, key: str) -> Answer | None:  # noqa: ARG002 - for classes that extend this one
        """What a key means that is neither a class nor a command; None if it is to be ignored."""
        return None

    def wait(self) -> Answer | None:
        """Wait a second for a command."""
        key = self._keyboard.key(POLL_SECONDS)
        return Answer(None, key) if key in VERBS else None


class LineAnswers:
    """Answers by lines: a class, its key or a command; the end of the input quits. Blank lines say nothing."""

    more = ""  # another way to answer, for the message about a line that is not an answer

    def __init__(self, classes: Sequence[str], keys: Mapping[str, str]) -> None:
        self.keys = keys
        self._classes = classes

    def begin(self) -> None:
        """Nothing to do: lines answer the questions in their order."""

    def next(self) -> Answer:
        """The next line that is not blank."""
        said = next(_lines(), None)
        if said is None:
            return Answer(None, QUIT)
        if said in self._classes:
            return Answer(said)
        if said in self.keys:
            return Answer(self.keys[said])
        if said in VERBS:
            return Answer(None, said)
        if (other := self.meaning_of(said)) is not None:
            return other
        commands = ", ".join(f"{key} ({command})" for key, command in VERBS.items())
        known = ", ".join(self._classes)
        raise ValueError(f"{said!r} is not an answer: give one of {known}, {self.more}or {commands}")

    def meaning_of(self, said: str) -> Answer | None:  # noqa: ARG002 - for classes that extend this one
        """What a line means that is neither a class nor a command; None if it is a mistake."""
        return None

    def wait(self) -> Answer | None:
        """Quit if the input is not a terminal; otherwise wait."""
        if not sys.stdin.isatty():
            return Answer(None, QUIT)
        time.sleep(POLL_SECONDS)
        return None


def _lines() -> Iterator[str]:
    """What is left of standard input, without blank lines."""
    while line := sys.stdin.readline():
        if line.strip():
            yield line.strip()
