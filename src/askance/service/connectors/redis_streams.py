"""Redis Streams: items come from one stream, decisions and labels go to others.

Everything happens at least once. An entry is acknowledged to Redis when the service has the item on disk, in the
same transaction that adds the decision. An item has the same id whenever it is read, so that it is decided once.
How far the labels are is kept in Redis too, and changes in the transaction that adds them.
"""

import json
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec

from askance._util.optional import require
from askance.errors import ServiceError
from askance.service import messages
from askance.service.client import Client
from askance.service.validation import sentence_of

FATAL = (401, 403, 404)  # of the service: no other item would do better
REFUSED = (400, 409, 413, 422)  # this item alone is wrong
CONTENT, RECORD = ("text", "id", "note", "image"), "record"

log = logging.getLogger("askance.service")


class Streams(NamedTuple):
    """The names of the streams, and how to read them. `refused` gets entries that can never become items."""

    items: str | None = None
    decisions: str | None = None
    labels: str | None = None
    group: str = "askance"
    consumer: str = "askance"
    batch: int = 100
    block: float = 0.5  # seconds to wait for items
    claim_after: float = 60.0  # seconds after which entries of a consumer that ended are taken over
    longest: int | None = None  # about how many entries the streams that are written to may have

    @property
    def refused(self) -> str:
        """The stream for entries that are no items."""
        return f"{self.items}:refused"


@dataclass
class Progress:
    """What was done so far."""

    items: int = 0
    asked: int = 0
    again: int = 0
    refused: int = 0
    labels: int = 0


class Read(NamedTuple):
    """An entry of the stream, and the item that it holds or what is wrong with it."""

    entry: bytes
    item: messages.Item | None
    error: str | None = None


def connected(url: str) -> Any:
    """A client of Redis; ImportError with a remedy if the package is missing."""
    redis = require("redis", "redis", "Redis Streams")
    try:
        return redis.Redis.from_url(url, socket_connect_timeout=5, socket_timeout=30)
    except ValueError as error:
        raise ValueError(f"{_without_password(url)}: is not the address of a Redis server ({error})") from None


def check_contact(redis: Any, url: str) -> None:
    """Raise ValueError if Redis does not answer."""
    try:
        redis.ping()
    except require("redis", "redis", "Redis Streams").exceptions.RedisError as error:
        reason = " ".join(str(error).split())
        raise ValueError(
            f"{_without_password(url)}: Redis does not answer ({reason}): start it, or check --redis"
        ) from None


def redis_errors() -> tuple[type[Exception], ...]:
    """The errors after which a request to Redis may be tried again."""
    errors = require("redis", "redis", "Redis Streams").exceptions
    return (errors.ConnectionError, errors.TimeoutError, errors.BusyLoadingError, errors.ReadOnlyError)


class RedisConnector:
    """Moves items from Redis to the service, and decisions and labels back."""

    def __init__(self, client: Client, redis: Any, task: str, streams: Streams) -> None:
        self.progress = Progress()
        self._client = client
        self._redis = redis
        self._task = task
        self._streams = streams
        self._pending = True  # entries that this consumer read before, and did not acknowledge

    def begin(self) -> None:
        """Create the group of consumers, unless it exists."""
        if self._streams.items is None:
            return
        errors = require("redis", "redis", "Redis Streams").exceptions
        try:
            self._redis.xgroup_create(self._streams.items, self._streams.group, id="0", mkstream=True)
        except errors.ResponseError as error:
            if "BUSYGROUP" not in str(error):
                raise
        self._pending = True

    def step(self) -> bool:
        """Move what is there; return whether anything was."""
        moved = self._streams.items is not None and self._move_items()
        return (self._streams.labels is not None and self._move_labels()) or moved

    # ------------------------------------------------------------------ items

    def _move_items(self) -> bool:
        entries = self._entries()
        found = [_read(self._streams.items or "", *entry) for entry in entries]
        for group, decided in self._decided(found):
            self._acknowledge(group, decided)
        return bool(entries)

    def _entries(self) -> list[tuple[bytes, dict[bytes, bytes]]]:
        """First what this consumer read before, then what other consumers left, then what is new."""
        streams = self._streams
        assert streams.items is not None
        if self._pending:
            found = self._read_group("0", None)
            if found:
                return found
            self._pending = False
        idle = int(1000 * streams.claim_after)
        claimed = self._redis.xautoclaim(
            streams.items, streams.group, streams.consumer, idle, "0-0", count=streams.batch
        )[1]
        return [(entry, fields) for entry, fields in claimed if fields] or self._read_group(">", streams.block)

    def _read_group(self, start: str, block: float | None) -> list[tuple[bytes, dict[bytes, bytes]]]:
        streams = self._streams
        wait = None if block is None else max(1, int(1000 * block))
        answer = self._redis.xreadgroup(
            streams.group, streams.consumer, {streams.items: start}, count=streams.batch, block=wait
        )
        found = answer[0][1] if isinstance(answer, list) and answer else []
        if isinstance(answer, dict) and answer:  # in version 3 of the protocol
            found = next(iter(answer.values()))[0]
        # An entry that was deleted from the stream while it was pending has no fields.
        gone = [entry for entry, fields in found if not fields]
        if gone:
            self._redis.xack(streams.items, streams.group, *gone)
        return [(entry, fields) for entry, fields in found if fields]

    def _decided(self, found: list[Read]) -> Iterator[tuple[list[Read], list[messages.ItemDecision]]]:
        """Groups of entries with their decisions. If the service refuses a group, its items go one by one."""
        wrong, right = [one for one in found if one.item is None], [one for one in found if one.item is not None]
        if wrong:
            yield wrong, []
        if not right:
            return
        try:
            yield right, self._client.decide([one.item for one in right if one.item is not None], task=self._task)
        except ServiceError as error:
            if error.status not in REFUSED:
                raise
            if len(right) == 1:
                yield [right[0]._replace(item=None, error=str(error))], []
                return
            for one in right:
                yield from self._decided([one])

    def _acknowledge(self, found: list[Read], decided: list[messages.ItemDecision]) -> None:
        streams = self._streams
        with self._redis.pipeline(transaction=True) as pipeline:
            for one in found:
                if one.item is None:
                    self._add(pipeline, streams.refused, {"entry": one.entry, "error": one.error or ""})
            for decision in decided:
                if streams.decisions is not None:
                    self._add(pipeline, streams.decisions, _fields(msgspec.to_builtins(decision)))
            pipeline.xack(streams.items, streams.group, *(one.entry for one in found))
            pipeline.execute()
        self.progress.items += len(decided)
        self.progress.asked += sum(decision.ask for decision in decided)
        self.progress.again += sum(decision.again for decision in decided)
        self.progress.refused += len(found) - len(decided)

    # ------------------------------------------------------------------ labels

    def _move_labels(self) -> bool:
        """Add the labels that were settled since the last time. Several connectors do not add one twice."""
        errors = require("redis", "redis", "Redis Streams").exceptions
        with self._redis.pipeline(transaction=True) as pipeline:
            pipeline.watch(self._position)
            after = int(pipeline.get(self._position) or 0)
            found = self._client.changes(after, self._streams.batch, event="label.settled", task=self._task)
            if found.position == after:
                return False
            pipeline.multi()
            for change in found.changes:
                fields = {"seq": change.seq, "at": change.at, **change.data}
                self._add(pipeline, self._streams.labels, _fields(fields))
            pipeline.set(self._position, found.position)
            try:
                pipeline.execute()
            except errors.WatchError:
                return True  # another connector was faster
        self.progress.labels += len(found.changes)
        return True

    @property
    def _position(self) -> str:
        return f"askance:{self._task}:{self._streams.labels}:position"

    def _add(self, pipeline: Any, stream: str | None, fields: dict[str, Any]) -> None:
        pipeline.xadd(stream, fields, maxlen=self._streams.longest)


def run(
    connector: RedisConnector,
    *,
    once: bool,
    wait: Callable[[float], bool],
    pause: float = 1.0,
    report: Callable[[Progress], None] = lambda _progress: None,
) -> None:
    """Move everything until `wait`, which waits for some seconds, returns True; if `once`, until nothing is left.

    If Redis or the service does not answer, it tries again. Errors that trying again does not solve are raised.
    """
    lost, begun = redis_errors(), False
    while True:
        try:
            if not begun:
                connector.begin()
                begun = True
            moved = connector.step()
            report(connector.progress)
            if (once and not moved) or wait(0.0):
                return
        except lost as error:
            log.warning("Redis does not answer: %s", error)
            begun = False
            if wait(pause):
                return
        except ServiceError as error:
            if error.status in FATAL or error.status in REFUSED:
                raise
            log.warning("the service does not answer: %s", error)
            begun = False
            if wait(pause):
                return


def _read(stream: str, entry: bytes, fields: dict[bytes, bytes]) -> Read:
    """The item of an entry. Its id is the sender's, or stream and entry."""
    try:
        given = {name.decode(): value.decode() for name, value in fields.items()}
        content: dict[str, Any] = {name: given[name] for name in CONTENT if name in given}
        if RECORD in given:
            content[RECORD] = json.loads(given[RECORD])
        content.setdefault("id", f"{stream}:{entry.decode()}")
        return Read(entry, msgspec.convert(content, messages.Item))
    except msgspec.ValidationError as error:
        return Read(entry, None, sentence_of(error))
    except (ValueError, RecursionError) as error:
        return Read(entry, None, f"the entry cannot be read: {error}")


def _fields(given: dict[str, Any]) -> dict[str, str]:
    """Values as texts: what is not a text is JSON, and what is not known is left out."""
    return {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in given.items()
        if value is not None
    }


def _without_password(url: str) -> str:
    scheme, found, rest = url.partition("://")
    return f"{scheme}{found}{rest.rpartition('@')[2]}"
