"""A language model behind an OpenAI-compatible URL: requests are paced, paid for, and repeated if it is busy."""

import json
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import httpx

from askance.errors import ServiceError
from askance.service.client.connection import LOOPBACK
from askance.service.client.retrying import LONGEST_RETRY_AFTER, NOT_SENT, wanted_pause
from askance.service.messages import Guess
from askance.service.worker.answers import Completion, completion_of, guess_of, schema_of
from askance.service.worker.ledger import Ledger, digest

MOST_TOKENS = 200  # of an answer
PER_MESSAGE = 64  # tokens that a server may add to a message
MOST_READ = 2**20  # bytes of a response
TRIES = 6  # of a request to a model that is busy
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0  # seconds
ASKED = 2  # how often a prompt is sent before there is no answer
BUSY = (408, 409, 425, 429)


class Model(NamedTuple):
    """Which model, where, and how to ask it.

    `constrain` sends the form of the answer, which not all servers understand. `per_minute` limits requests.
    """

    name: str
    url: str
    key: str | None = None
    constrain: bool = False
    per_minute: float | None = None
    timeout: float = 60.0

    def __repr__(self) -> str:
        return f"Model({self.name!r}, {self.url!r})"  # without the key


class OutOfBudgetError(Exception):
    """The budget does not have enough left for another request."""


class StoppedError(Exception):
    """Somebody wants the worker to stop."""


class LanguageModel:
    """Asks a model. `wait` sleeps for some seconds, and returns whether to stop."""

    def __init__(self, model: Model, ledger: Ledger, wait: Callable[[float], bool], **options: Any) -> None:
        self._model = model
        self._ledger = ledger
        self._wait = wait
        self._next = 0.0  # when another request may be sent
        headers = {} if model.key is None else {"Authorization": f"Bearer {model.key}"}
        parts = httpx.URL(model.url)
        self._client = httpx.Client(
            headers=headers,
            timeout=model.timeout,
            trust_env=parts.host not in LOOPBACK,
            verify=parts.scheme == "https",
            **options,
        )

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    def guess(self, messages: Sequence[dict[str, str]], classes: Sequence[str]) -> tuple[Guess | None, bool]:
        """The answer to a prompt, or None, and whether it was known before.

        ServiceError if the model cannot be asked, OutOfBudgetError, StoppedError.
        """
        model = self._model
        more = {"response_format": schema_of(classes)} if model.constrain else {}
        prompt = digest(model.name, model.url, messages, more)
        if prompt in self._ledger:
            return self._ledger.answer(prompt), True
        body = {"model": model.name, "messages": messages, "temperature": 0, "max_tokens": MOST_TOKENS, **more}
        found = None
        for _ in range(ASKED):
            found = guess_of(self._completion(json.dumps(body).encode()), classes)
            if found is not None:
                break
        self._ledger.keep(prompt, found)
        return found, False

    def _completion(self, body: bytes) -> Completion:
        """One response, after as many requests as it takes."""
        pause, problem = FIRST_PAUSE, ""
        for _ in range(TRIES):
            self._pace()
            status, retry_after, content, problem = self._sent(body)
            if status == httpx.codes.OK:
                return completion_of(content)
            if status and status not in BUSY and status < httpx.codes.INTERNAL_SERVER_ERROR:
                raise ServiceError(
                    f"{self._model.url}: the server answered {status}: check the URL, the name of the model and "
                    "the key",
                    status,
                )
            if retry_after > LONGEST_RETRY_AFTER:
                raise ServiceError(
                    f"{self._model.url}: the model is busy for {retry_after:.0f} s: try again later"
                )
            if self._wait(max(pause, retry_after)):
                raise StoppedError
            pause = min(LONGEST_PAUSE, 2 * pause)
        raise ServiceError(f"{self._model.url}: the model does not answer ({problem}): try again later")

    def _sent(self, body: bytes) -> tuple[int, float, bytes, str]:
        """Send one request: status (0 if there is none), Retry-After, content and problem. It is paid for."""
        tokens = len(body) + 2 * PER_MESSAGE + MOST_TOKENS  # a token has at least one byte
        reserved = self._ledger.reserve(tokens)
        if reserved is None:
            raise OutOfBudgetError
        try:
            with self._client.stream(
                "POST",
                f"{self._model.url}/chat/completions",
                content=body,
                headers={"Content-Type": "application/json"},
            ) as response:
                content = self._read(response)
                status = response.status_code
        except NOT_SENT as error:
            self._ledger.cancel(reserved)
            return 0, 0.0, b"", type(error).__name__
        except httpx.HTTPError as error:  # nobody knows whether it is paid for
            return 0, 0.0, b"", type(error).__name__
        if status == httpx.codes.OK:
            usage = completion_of(content).usage
            used = None if usage is None else usage.prompt_tokens + usage.completion_tokens
            self._ledger.settle(reserved, used)
        else:
            self._ledger.cancel(reserved)
        return status, wanted_pause(response.headers.get("Retry-After", "")), content, f"status {status}"

    def _read(self, response: httpx.Response) -> bytes:
        """The response, but neither much of it nor for long."""
        end, content = time.monotonic() + self._model.timeout, b""
        for part in response.iter_bytes():
            content += part
            if len(content) > MOST_READ or time.monotonic() > end:
                raise httpx.ReadTimeout("the response is too long")
        return content

    def _pace(self) -> None:
        """Wait until another request may be sent."""
        now = time.monotonic()
        if self._model.per_minute is not None:
            if now < self._next and self._wait(self._next - now):
                raise StoppedError
            self._next = max(now, self._next) + 60.0 / self._model.per_minute
        if self._wait(0.0):
            raise StoppedError
