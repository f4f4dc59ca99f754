# Generated from asynchronous_requests.py by tools/make_sync_client.py: edit that file, and run the tool.
"""Sending requests and reading answers."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

import httpx

from askance.service.client.base import BaseClient
from askance.service.client.calls import ApiCall
from askance.service.client.errors import cut_off
from askance.service.client.lines import LineCutter

T = TypeVar("T")


class Requests(BaseClient):
    """Requests that are sent again if necessary, and answers that come in pieces."""

    _http: httpx.Client

    def _all(self, batches: list[ApiCall[list[T]]]) -> list[T]:
        return [one for call in batches for one in self._do(call)]

    def _do(self, call: ApiCall[T]) -> T:
        answer = self._answer(call)
        return self._read(call, answer.content)

    def _answer(self, call: ApiCall[Any], *, stream: bool = False) -> httpx.Response:
        """Send a request, again if necessary, and return the answer; of a stream only the head."""
        attempts = self._attempts(call)
        while True:
            try:
                answer = self._http.send(self._request(call), stream=stream)
                if answer.is_success:
                    return answer
                content = answer.read()
            except httpx.TransportError as error:
                pause = attempts.pause_after_error(error)
            else:
                pause = attempts.pause_after(answer.status_code, answer.headers, content)
            time.sleep(pause)

    def _save(self, call: ApiCall[Any], path: Path) -> None:
        """Write an answer to a file. After the first bytes, the request is not sent again."""
        answer = self._answer(call, stream=True)
        try:
            with path.open("wb") as file:
                for content in answer.iter_bytes():
                    file.write(content)
        except httpx.TransportError as error:
            raise cut_off(self._connection.url, answer.num_bytes_downloaded, error, "bytes") from error
        finally:
            answer.close()

    def _lines(self, call: ApiCall[Any]) -> Iterator[bytes]:
        """The lines of an answer. After the first line, the request is not sent again."""
        answer = self._answer(call, stream=True)
        cutter = LineCutter()
        try:
            for content in answer.iter_bytes():
                for line in cutter.take(content):
                    yield line
            for line in cutter.end():
                yield line
        except httpx.TransportError as error:
            raise cut_off(self._connection.url, cutter.count, error) from error
        finally:
            answer.close()

    def _objects(self, call: ApiCall[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        for line in self._lines(call):
            if line:
                yield self._read(call, line)
