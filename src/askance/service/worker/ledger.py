"""What a language model has answered, and what it has cost: a file that only grows.

What a request may cost at most is written down before it is sent, and what it did cost afterwards. A request that
was cut off, whose price nobody knows, stays at the most. So the budget holds across interruptions. The file has no
item, no prompt and no key: a prompt is known by its hash.
"""

import hashlib
import json
import os
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

import msgspec
from msgspec import Struct

from askance._util.file_lock import lock
from askance.errors import DataError
from askance.service.messages import Guess

ZERO = Decimal(0)
BEGINNINGS = (b'{"reserved":', b'{"spent":', b'{"prompt":')  # of lines


class Line(Struct, frozen=True, omit_defaults=True):
    """A line of the file: a request that is about to be sent, what it did cost, or the answer to a prompt."""

    reserved: Decimal | None = None
    spent: Decimal | None = None
    prompt: str = ""
    guess: Guess | None = None  # null if there was no answer


class Prices(NamedTuple):
    """The price of an answer, or of 1,000 tokens, and the most to spend; None means that there is no limit."""

    answer: Decimal = ZERO
    tokens: Decimal = ZERO
    budget: Decimal | None = None

    def most(self, tokens: int) -> Decimal:
        """What a request can cost with at most this many tokens, those of the answer included."""
        return self.answer + self.tokens * tokens / 1000


class Ledger:
    """The answers and the cost so far."""

    def __init__(self, path: Path, prices: Prices) -> None:
        self._prices = prices
        self._answers: dict[str, Guess | None] = {}
        self.spent = ZERO  # with what is reserved
        self._file = path.open("a+b")
        try:
            lock(self._file, path, "askance worker")  # both would spend the whole budget
            self._read(path)
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def __contains__(self, prompt: str) -> bool:
        return prompt in self._answers

    def answer(self, prompt: str) -> Guess | None:
        """The answer to a prompt that is known."""
        return self._answers[prompt]

    def keep(self, prompt: str, guess: Guess | None) -> None:
        """Note the answer to a prompt, or that there is none."""
        self._answers[prompt] = guess
        self._write(Line(prompt=prompt, guess=guess))

    def reserve(self, tokens: int) -> Decimal | None:
        """Set aside what a request can cost at most; None if the budget does not have that much left."""
        most = self._prices.most(tokens)
        if self._prices.budget is not None and self.spent + most > self._prices.budget:
            return None
        self.spent += most
        self._write(Line(reserved=most))
        return most

    def settle(self, reserved: Decimal, tokens: int | None) -> None:
        """Replace what was set aside by what the request did cost; if that is not known, it stays."""
        spent = reserved if tokens is None else self._prices.most(tokens)
        self.spent += spent - reserved
        self._write(Line(reserved=-reserved, spent=spent))

    def cancel(self, reserved: Decimal) -> None:
        """Give back what was set aside: the request was refused, and nobody pays for that."""
        self.spent -= reserved
        self._write(Line(reserved=-reserved))

    def _write(self, line: Line) -> None:
        self._file.write(msgspec.json.encode(line) + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def _read(self, path: Path) -> None:
        content = path.read_bytes()
        whole, _, rest = content.rpartition(b"\n")
        lines = whole.split(b"\n") if whole else []
        for number, text in enumerate(lines, 1):
            try:
                line = msgspec.json.decode(text, type=Line)
            except msgspec.DecodeError:
                raise _foreign(path, number) from None
            self.spent += (line.reserved or ZERO) + (line.spent or ZERO)
            if line.prompt:
                self._answers[line.prompt] = line.guess
        if rest:  # a line that was cut off when the machine failed, if it is one of ours
            if not any(rest.startswith(one) or one.startswith(rest) for one in BEGINNINGS):
                raise _foreign(path, len(lines) + 1)
            self._file.truncate(len(content) - len(rest))


def _foreign(path: Path, number: int) -> DataError:
    return DataError(f"{path}, line {number}: is not from askance worker: choose another --cache")


def digest(model: str, url: str, messages: Sequence[dict[str, str]], more: Any) -> str:
    """The name of a prompt to a model."""
    content = json.dumps([model, url, list(messages), more], sort_keys=True)
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()
