"""The line between a page and the service, which loses requests and responses, and delays them."""

import asyncio
import random
import re
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from playwright.async_api import BrowserContext, Error, Route

API = re.compile(r"/api/")
STREAM = "/events"
PARTS = "/parts"  # a browser does not show the bytes of a file, so these requests cannot be sent in its place
SHARES = {"request lost": 0.05, "response lost": 0.05, "delayed": 0.08}
LONGEST_DELAY = 4.0  # seconds
PATIENCE = 60_000


class Exchange(NamedTuple):
    """A request of a page that changes something, and its result."""

    method: str
    path: str
    body: Any
    status: int | None  # None if it is not known what the service did
    content: Any
    told: bool  # whether the page has the response


class Line:
    """All requests of the pages of one person to the API."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.exchanges: list[Exchange] = []
        self.faults: Counter[str] = Counter()
        self.is_calm = False
        self.is_cut = False
        self.under_way = 0

    async def watch(self, context: BrowserContext) -> None:
        """Take all requests of a context."""
        await context.route(API, self._pass_on)

    async def cut(self, context: BrowserContext, seconds: float) -> None:
        """Take the line away for a while; the browser knows that it is offline."""
        self.faults["offline"] += 1
        self.is_cut = True
        await context.set_offline(True)
        await asyncio.sleep(seconds)
        await context.set_offline(False)
        self.is_cut = False

    def _fault(self) -> str | None:
        if self.is_calm:
            return None
        draw = self.chance.random()
        for name, share in SHARES.items():
            draw -= share
            if draw < 0:
                return name
        return None

    async def _pass_on(self, route: Route) -> None:
        self.under_way += 1
        try:
            await self._carry(route)
        except Error as error:
            # The page went away, and its requests with it.
            if not re.search("closed|already handled|Invalid InterceptionId|ended", str(error)):
                raise
        finally:
            self.under_way -= 1

    async def _carry(self, route: Route) -> None:
        if self.is_cut:
            return await route.abort("internetdisconnected")
        if STREAM in route.request.url:
            return await route.continue_()
        fault = self._fault()
        if fault == "request lost":
            self.faults[fault] += 1
            return await route.abort("connectionreset")
        if fault == "delayed":
            self.faults[fault] += 1
            await asyncio.sleep(self.chance.uniform(0.05, LONGEST_DELAY))
        if PARTS in route.request.url:
            return await route.continue_()
        return await self._answer(route, loses=fault == "response lost")

    async def _answer(self, route: Route, *, loses: bool) -> None:
        try:
            response = await route.fetch(timeout=PATIENCE)
            await response.body()
        except Error:
            self._note(route, None, None, told=False)
            self.faults["service away"] += 1
            return await route.abort("connectionrefused")
        content = await response.json() if "json" in response.headers.get("content-type", "") else None
        if loses:
            self.faults["response lost"] += 1
            self._note(route, response.status, content, told=False)
            return await route.abort("connectionreset")
        self._note(route, response.status, content, told=True)
        return await route.fulfill(response=response)

    def _note(self, route: Route, status: int | None, content: Any, *, told: bool) -> None:
        request = route.request
        if request.method == "GET":
            return
        path = request.url.partition("/api/")[2]
        body = request.post_data_json if request.post_data else None
        self.exchanges.append(Exchange(request.method, path, body, status, content, told))

    def of(self, ending: str) -> list[Exchange]:
        """The requests to one route."""
        return [one for one in self.exchanges if one.path.endswith(ending)]


async def until(condition: Callable[[], Awaitable[Any]], what: str, seconds: float = 600.0) -> None:
    """Wait until something is so; a page that is just being left is asked again.

    On a slow machine many answers may wait: each undo replays the journal.
    """
    end = asyncio.get_running_loop().time() + seconds
    while True:
        try:
            if await condition():
                return
        except Error:
            pass
        assert asyncio.get_running_loop().time() < end, what
        await asyncio.sleep(0.05)
