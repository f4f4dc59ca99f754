"""The webhooks of all tasks: adding, removing and replaying them, and how they are doing."""

import threading
import time
from collections.abc import Callable

from msgspec import UNSET

from askance.service import messages
from askance.service.connectors.addresses import RefusedAddressError, resolved, target_of
from askance.service.connectors.delivery import Delivery, Pace
from askance.service.connectors.events import EVENT_TYPES, KINDS, EventMaker
from askance.service.connectors.signing import new_secret
from askance.service.errors import conflict, invalid, not_found
from askance.service.settings import TaskSettings
from askance.service.store import Store, WebhookRecord

MOST = 10  # per task


class Webhooks:
    """The webhooks of a service. Tasks become known with `serve`; their webhooks begin then."""

    def __init__(
        self,
        store: Store,
        *,
        private: bool = False,
        pace: Pace | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._store = store
        self._private = private
        self._pace = pace or Pace()
        self._clock = clock
        self._lock = threading.Lock()
        self._tasks: dict[str, tuple[int, TaskSettings]] = {}
        self._makers: dict[str, EventMaker] = {}
        self._deliveries: dict[int, Delivery] = {}
        self._records = store.webhooks()

    def serve(self, number: int, settings: TaskSettings) -> None:
        """Begin with the deliveries of a task; `settings` are those that it was created with."""
        self._tasks[settings.name] = (number, settings)
        self._makers[settings.name] = EventMaker(self._store, number, settings)
        for record in self._records:
            if record.task == number:
                self._begin(record, settings)

    def wake(self, task: str) -> None:
        """Look at the journal of a task again; called in the thread of its writer, so it must not wait."""
        number = self._tasks[task][0] if task in self._tasks else None
        for delivery in list(self._deliveries.values()):
            if delivery.record.task == number:
                delivery.wake()

    def add(self, task: str, request: messages.WebhookRequest) -> messages.NewWebhook:
        """Add a webhook, which begins after an entry: by default, the last one."""
        number, settings = self._tasks[task]
        self._check_address(request.url)
        last = self._store.last(number)
        after = last if request.after is None else self._checked(request.after, last)
        with self._lock:
            if len(self._of(task)) >= MOST:
                raise conflict("too_many_webhooks", f"the task {task!r} has {MOST} webhooks: remove one first")
            events = " ".join(dict.fromkeys(request.events or EVENT_TYPES))
            record = WebhookRecord(
                0, number, request.url, new_secret(), events, after, 0, None, None, self._clock()
            )
            delivery = self._begin(self._store.add_webhook(record), settings)
        return messages.NewWebhook(_shown(delivery), record.secret)

    def remove(self, task: str, number: int) -> messages.Webhook:
        """Remove a webhook; what it has not delivered is not sent any more."""
        with self._lock:
            delivery = self._find(task, number)
            shown = _shown(delivery)
            self._store.drop_webhook(number)
            del self._deliveries[number]
        delivery.stop()
        return shown

    def replay(self, task: str, number: int, after: int | None) -> messages.Webhook:
        """Send everything after an entry again; without one, go on, also after it was disabled."""
        delivery = self._find(task, number)
        last = self._store.last(delivery.record.task)
        delivery.restart(None if after is None else self._checked(after, last))
        return _shown(delivery)

    def all(self) -> list[tuple[str, messages.Webhook]]:
        """All webhooks with the names of their tasks."""
        return [(task, webhook) for task in list(self._tasks) for webhook in self.of(task)]

    def of(self, task: str) -> list[messages.Webhook]:
        """The webhooks of a task, the oldest first."""
        return [_shown(delivery) for delivery in self._of(task)]

    def changes(self, task: str, request: messages.ChangesRequest) -> messages.Changes:
        """The events after an entry, for programs that ask for them instead."""
        number = self._tasks[task][0]
        last = self._store.last(number)
        entries = next(self._store.entries(number, request.after, last, KINDS, request.count), [])
        wanted = EVENT_TYPES if request.type is UNSET else (request.type,)
        with self._lock:
            found = [event for _, events in self._makers[task].events(entries, wanted) for event in events]
        position = entries[-1].seq if len(entries) == request.count else max(last, request.after)
        return messages.Changes([messages.Change(*event) for event in found], position, last)

    def stop(self) -> None:
        """End all deliveries, and write their positions."""
        for delivery in list(self._deliveries.values()):
            delivery.stop()

    def _begin(self, record: WebhookRecord, settings: TaskSettings) -> Delivery:
        delivery = Delivery(self._store, record, settings, self._pace, private=self._private, clock=self._clock)
        self._deliveries[record.id] = delivery
        return delivery

    def _of(self, task: str) -> list[Delivery]:
        number = self._tasks[task][0]
        return [delivery for delivery in list(self._deliveries.values()) if delivery.record.task == number]

    def _find(self, task: str, number: int) -> Delivery:
        found = [delivery for delivery in self._of(task) if delivery.record.id == number]
        if not found:
            raise not_found("unknown_webhook", f"the task {task!r} has no webhook {number}")
        return found[0]

    def _check_address(self, url: str) -> None:
        """Refuse what can never work. A name that is not known now may be known later."""
        try:
            resolved(target_of(url), private=self._private)
        except RefusedAddressError as error:
            raise invalid(str(error)) from None
        except OSError:
            return
        except ValueError as error:
            raise invalid(str(error)) from None

    def _checked(self, after: int, last: int) -> int:
        if after > last:
            raise invalid(f"after is {after}, but the last entry of the journal is {last}")
        return after


def _shown(delivery: Delivery) -> messages.Webhook:
    record = delivery.record
    return messages.Webhook(
        number=record.id,
        url=record.url,
        events=record.events.split(),
        position=record.position,
        behind=delivery.behind,
        delivered=delivery.delivered,
        failures=record.failures,
        error=record.error,
        disabled=record.disabled,
        created=record.created,
    )
