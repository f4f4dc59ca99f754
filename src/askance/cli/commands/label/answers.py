"""Where the answers come from: a keyboard, one key each, or lines."""

import sys
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from askance.cli.commands.label.keystrokes import Keyboard, KeyGuard
from askance.service.shortcuts import QUIT, VERBS, keys_if_enough, keys_of, with_chosen

POLL_SECONDS = 1.0


class Answer(NamedTuple):
    """A label, or a verb: s, u or q."""

    label: str | None
    verb: str | None = None


class Answers(Protocol):
    """Answers, one after the other."""

    @property
    def keys(self) -> Mapping[str, str]:
        """Which key means which class."""
        ...

    def begin(self) -> None:
        """A new question is shown: what was typed before is not meant for it."""

    def next(self) -> Answer:
        """The answer to the question shown."""
        ...

    def wait(self) -> Answer | None:
        """While there is no question: a verb, or after a while None."""
        ...


class KeyAnswers:
    """One key each."""

    def __init__(self, source: Keyboard, classes: Sequence[str], chosen: Mapping[str, str]) -> None:
        self.keys = with_chosen(keys_of(classes), chosen)
        self._keyboard = source
        self._guard = KeyGuard()

    def begin(self) -> None:
        """Keys that come at once were for the question before."""
        self._guard.question_is_shown()

    def next(self) -> Answer:
        """The next key that is meant and means something."""
        while True:
            key = self._keyboard.key()
            if key is None or not self._guard.is_meant(key):
                continue
            if key in self.keys:
                return Answer(self.keys[key])
            if key in VERBS:
                return Answer(None, key)

    def wait(self) -> Answer | None:
        """A second, unless a verb comes."""
        key = self._keyboard.key(POLL_SECONDS)
        return Answer(None, key) if key in VERBS else None


class LineAnswers:
    """A class, its key or a verb on each line; the end of the lines ends it."""

    def __init__(self, classes: Sequence[str], chosen: Mapping[str, str]) -> None:
        self._classes = classes
        self.keys = with_chosen(keys_if_enough(classes), chosen)

    def begin(self) -> None:
        """Lines are answers in their order, whenever they were written."""

    def next(self) -> Answer:
        """The next line."""
        line = sys.stdin.readline()
        said = line.strip()
        if not line:
            return Answer(None, QUIT)
        if said in self._classes:
            return Answer(said)
        if said in self.keys:
            return Answer(self.keys[said])
        if said in VERBS:
            return Answer(None, said)
        verbs = ", ".join(f"{key} ({verb})" for key, verb in VERBS.items())
        raise ValueError(f"{said!r} is no answer: give one of {', '.join(self._classes)}, or {verbs}")

    def wait(self) -> Answer | None:
        """A script ends when nothing is left to ask; people wait."""
        if not sys.stdin.isatty():
            return Answer(None, QUIT)
        time.sleep(POLL_SECONDS)
        return None
