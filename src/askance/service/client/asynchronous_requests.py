"""Sending requests and reading answers, asynchronously. The synchronous twin is generated from this file."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, TypeVar

import httpx

from askance.service.client.base import BaseClient
from askance.service.client.calls import ApiCall
from askance.service.client.errors import cut_off
from askance.service.client.lines import LineCutter

T = TypeVar("T")


class AsyncRequests(BaseClient):
    """Requests that are sent again if necessary, and answers that come in pieces."""

    _http: httpx.AsyncClient

    async def _all(self, batches: list[ApiCall[list[T]]]) -> list[T]:
        return [one for call in batches for one in await self._do(call)]

    async def _do(self, call: ApiCall[T]) -> T:
        answer = await self._answer(call)
        return self._read(call, answer.content)

    async def _answer(self, call: ApiCall[Any], *, stream: bool = False) -> httpx.Response:
        """Send a request, again if necessary, and return the answer; of a stream only the head."""
        attempts = self._attempts(call)
        while True:
            try:
                answer = await self._http.send(self._request(call), stream=stream)
                if answer.is_success:
                    return answer
                content = await answer.aread()
            except httpx.TransportError as error:
                pause = attempts.pause_after_error(error)
            else:
                pause = attempts.pause_after(answer.status_code, answer.headers, content)
            await asyncio.sleep(pause)

    async def _save(self, call: ApiCall[Any], path: Path) -> None:
        """Write an answer to a file. After the first bytes, the request is not sent again."""
        answer = await self._answer(call, stream=True)
        try:
            with path.open("wb") as file:
                async for content in answer.aiter_bytes():
                    file.write(content)
        except httpx.TransportError as error:
            raise cut_off(self._connection.url, answer.num_bytes_downloaded, error, "bytes") from error
        finally:
            await answer.aclose()

    async def _lines(self, call: ApiCall[Any]) -> AsyncIterator[bytes]:
        """The lines of an answer. After the first line, the request is not sent again."""
        answer = await self._answer(call, stream=True)
        cutter = LineCutter()
        try:
            async for content in answer.aiter_bytes():
                for line in cutter.take(content):
                    yield line
            for line in cutter.end():
                yield line
        except httpx.TransportError as error:
            raise cut_off(self._connection.url, cutter.count, error) from error
        finally:
            await answer.aclose()

    async def _objects(self, call: ApiCall[dict[str, Any]]) -> AsyncIterator[dict[str, Any]]:
        async for line in self._lines(call):
            if line:
                yield self._read(call, line)
