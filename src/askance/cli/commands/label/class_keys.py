"""Answers about the rows of a file, for which new classes may be added while one labels."""

from collections.abc import Callable, Iterable

from askance.cli.commands.label.answers import Answer, KeyAnswers, LineAnswers
from askance.cli.commands.label.keystrokes import Keyboard
from askance.cli.output.untrusted import in_one_line
from askance.service.shortcuts import USUAL_KEYS, VERBS, keys_of

NEW = "+"


class ClassKeys:
    """One key per class. Keys stay as they are when a class is added."""

    def __init__(self, classes: Iterable[str]) -> None:
        names = list(classes)
        self.by_key = keys_of(names) if 1 < len(names) <= len(USUAL_KEYS) else {}
        self.names: list[str] = []
        for name in names:
            self.add(name)

    def add(self, name: str) -> None:
        """Add a class: its key is its first letter, or else the next key that is free, if there is one."""
        if name in self.names:
            return
        self.names.append(name)
        if name not in self.by_key.values():
            wanted = [name[0].lower(), *USUAL_KEYS]
            free = (key for key in wanted if key in USUAL_KEYS and key not in self.by_key)
            if (key := next(free, None)) is not None:
                self.by_key[key] = name

    def line(self) -> str:
        """The keys and their meanings."""
        meanings = {**self.by_key, NEW: "new class", **VERBS}
        keys = "  ".join(f"[{key}] {in_one_line(meaning)}" for key, meaning in meanings.items())
        others = [in_one_line(name) for name in self.names if name not in self.by_key.values()]
        return f"{keys}\nWithout a key, after {NEW} by their names: {', '.join(others)}" if others else keys


class ClassKeyAnswers(KeyAnswers):
    """Answers by single keys. + is followed by the name of a class and Enter."""

    def __init__(self, keyboard: Keyboard, keys: ClassKeys, echo: Callable[[str], None]) -> None:
        super().__init__(keyboard, keys.by_key)
        self._echo = echo

    def meaning_of(self, key: str) -> Answer | None:
        """The name of a new class."""
        return Answer(name) if key == NEW and (name := self._typed()) else None

    def _typed(self) -> str:
        """A name that ends with Enter."""
        self._echo("name of the class: ")
        name = ""
        while (key := self._keyboard.character()) not in "\r\n":
            if key in "\x7f\b":
                name = name[:-1]
                self._echo("\b \b")
            elif key.isprintable():
                name += key
                self._echo(key)
        self._echo("\n")
        return name.strip()


class ClassLineAnswers(LineAnswers):
    """Answers by lines. +NAME adds a class; so does any other word, unless classes were named (`closed`)."""

    more = f"{NEW}NAME for a new class, "

    def __init__(self, keys: ClassKeys, *, closed: bool) -> None:
        super().__init__(keys.names, keys.by_key)
        self._closed = closed

    def meaning_of(self, said: str) -> Answer | None:
        """The name of a new class."""
        name = said.removeprefix(NEW).strip()
        return None if not name or (self._closed and said == name) else Answer(name)
