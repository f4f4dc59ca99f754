"""The common base of both clients: making requests and reading answers."""

from collections.abc import Sequence
from typing import Any, TypeVar

import httpx

from askance.errors import ServiceError
from askance.service.client.calls import ApiCall
from askance.service.client.connection import Connection
from askance.service.client.errors import unreadable
from askance.service.client.retrying import Attempts
from askance.service.messages import Imported

T = TypeVar("T")
RECONNECT_AFTER = 1.0


class BaseClient:
    """The base class of `Client` and `AsyncClient`."""

    _connection: Connection
    _http: httpx.Client | httpx.AsyncClient

    def __repr__(self) -> str:
        return f"{type(self).__name__}(url={self._connection.url!r}, task={self._connection.task!r})"

    def _of(self, task: str | None) -> str:
        return self._connection.of(task)

    def _attempts(self, call: ApiCall[Any]) -> Attempts:
        return Attempts(call, self._connection.retries, self._connection.url)

    def _request(self, call: ApiCall[Any]) -> httpx.Request:
        headers = {} if call.body is None else {"Content-Type": "application/json"}
        return self._http.build_request(call.method, call.path, content=call.body, headers=headers)

    def _read(self, call: ApiCall[T], content: bytes) -> T:
        try:
            return call.read(content)
        except ServiceError:
            raise
        except ValueError as error:
            raise unreadable(self._connection.url, error) from error


def total_imported(done: Sequence[Imported]) -> Imported:
    """The sum of the results of several batches."""
    if not done:
        raise ValueError("there are no items to import: give at least one")
    return Imported(
        learned=sum(one.learned for one in done),
        again=sum(one.again for one in done),
        version=done[-1].version,
        gold=sum(one.gold for one in done),
    )
