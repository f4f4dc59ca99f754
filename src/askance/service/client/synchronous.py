# Generated from asynchronous.py by tools/make_sync_client.py: edit that file, and run the tool.
"""The synchronous client."""

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar, overload

import httpx

from askance._util.atomic_write import write_whole
from askance.errors import ServiceError
from askance.service import messages as m
from askance.service.client import calls, naming
from askance.service.client.base import RECONNECT_AFTER, BaseClient, total_imported
from askance.service.client.calls import ApiCall
from askance.service.client.connection import connection
from askance.service.client.errors import CUT_OFF, cut_off
from askance.service.client.lines import EventReader, LineCutter
from askance.service.client.naming import ItemLike, ItemRef
from askance.service.settings import Settings, State

if TYPE_CHECKING:
    from askance.auto.learner import AutoLearner
    from askance.learners.learner import Learner

T = TypeVar("T")


class Client(BaseClient):
    """A client of the service.

    Requests that fail because the connection was lost or the service is busy are sent again; ids and keys make
    sure that each takes effect only once. Several threads may share a client.

    Parameters
    ----------
    url : str, optional
        The URL of the service. Default: the environment variable ASKANCE_URL, or http://127.0.0.1:8383.
    token : str, optional
        The token. Default: the environment variable ASKANCE_TOKEN.
    task : str, optional
        The task that methods use unless they get their own `task`.
    retries : int, default=8
        How often a request is sent again.
    timeout : float, default=30.0
        Seconds to wait for an answer.
    transport : httpx.BaseTransport, optional
        A transport for httpx, for tests.

    Raises
    ------
    ServiceError
        By all methods, if the service refuses the request or cannot be reached.

    Examples
    --------
    >>> with Client(task="tickets") as client:  # doctest: +SKIP
    ...     decision = client.decide("my invoice is wrong")
    ...     decision.prediction, decision.ask
    """

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        task: str | None = None,
        retries: int = 8,
        timeout: float = 30.0,
        *,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._connection = connection(url, token, task, retries, timeout)
        self._http: httpx.Client = httpx.Client(**self._connection.options(), transport=transport)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    # ------------------------------------------------------------------ tasks and tokens

    def tasks(self) -> list[m.TaskSummary]:
        """List all tasks."""
        return self._do(calls.tasks())

    def create(self, settings: Settings) -> m.TaskDetail:
        """Create a task from `TaskSettings`, a dict of settings, or the path of a TOML file."""
        return self._do(calls.create(settings))

    def task_detail(self, *, task: str | None = None) -> m.TaskDetail:
        """Get the settings and the figures of a task."""
        return self._do(calls.task_detail(self._of(task)))

    def figures(self, *, task: str | None = None) -> m.Figures:
        """Get the current counts, rates and estimates of a task."""
        return self._do(calls.figures(self._of(task)))

    def change(self, *, task: str | None = None, **parts: Any) -> m.TaskDetail:
        """Replace sections of the settings of a task: `budget`, `labels`, `costs` or `interface`."""
        return self._do(calls.change(self._of(task), parts))

    def set_state(self, state: State, *, task: str | None = None) -> m.TaskDetail:
        """Set the state of a task: "running", "paused" or "archived"."""
        return self._do(calls.set_state(self._of(task), state))

    def history(self, *, task: str | None = None) -> m.History:
        """Get the estimates over time, the last day by minutes, and the labellers."""
        return self._do(calls.history(self._of(task)))

    def model_detail(self, *, task: str | None = None) -> m.ModelDetail:
        """Get the strongest features, the versions and the rollbacks of the model."""
        return self._do(calls.model_detail(self._of(task)))

    def roll_back(self, to: int, *, task: str | None = None) -> m.RolledBack:
        """Make the model forget what it learned after version `to`."""
        return self._do(calls.roll_back(self._of(task), to))

    def compact(self, keep_days: float, *, task: str | None = None) -> m.Compacted:
        """Drop the content of items that are older than `keep_days` days and were not asked about."""
        return self._do(calls.compact(self._of(task), keep_days))

    def first_token(self, code: str) -> m.NewToken:
        """Create the first admin token, with the code in the link that the first start prints."""
        return self._do(calls.first_token(code))

    def tokens(self) -> list[m.KnownToken]:
        """List all tokens, including revoked ones."""
        return self._do(calls.tokens())

    def create_token(self, name: str, role: m.Role) -> m.NewToken:
        """Create a token. Its secret is only in this answer."""
        return self._do(calls.create_token(name, role))

    def revoke_token(self, name: str) -> m.KnownToken:
        """Revoke a token."""
        return self._do(calls.revoke_token(name))

    # ------------------------------------------------------------------ items

    @overload
    def decide(  # type: ignore[overload-overlap]
        self, items: ItemLike, *, task: str | None = None
    ) -> m.ItemDecision: ...

    @overload
    def decide(self, items: Iterable[ItemLike], *, task: str | None = None) -> list[m.ItemDecision]: ...

    def decide(
        self, items: ItemLike | Iterable[ItemLike], *, task: str | None = None
    ) -> m.ItemDecision | list[m.ItemDecision]:
        """Predict an item, or several in order, and decide whether to ask for their labels.

        Parameters
        ----------
        items : str, dict, Item, or an iterable of them
            A string is a text, a dict a record, and an `Item` may have an id. Long lists are sent in batches.
        task : str, optional
            The task. Default: that of the client.

        Returns
        -------
        ItemDecision or list of ItemDecision
            One decision for one item, or a list for several.
        """
        given, alone = naming.as_items(items)
        decided = self._all(calls.decide(self._of(task), given))
        return decided[0] if alone else decided

    @overload
    def predict(  # type: ignore[overload-overlap]
        self, items: ItemLike, *, task: str | None = None
    ) -> m.Prediction: ...

    @overload
    def predict(self, items: Iterable[ItemLike], *, task: str | None = None) -> list[m.Prediction]: ...

    def predict(
        self, items: ItemLike | Iterable[ItemLike], *, task: str | None = None
    ) -> m.Prediction | list[m.Prediction]:
        """Predict an item or several with the current model. Nothing is stored and nothing is asked."""
        given, alone = naming.as_items(items)
        predicted = self._all(calls.predict(self._of(task), given))
        return predicted[0] if alone else predicted

    def import_items(
        self, items: Iterable[ItemLike], labels: Sequence[str], *, task: str | None = None
    ) -> m.Imported:
        """Import items whose labels you already know, and learn from them."""
        given, _ = naming.as_items(items)
        done = [self._do(call) for call in calls.import_items(self._of(task), given, labels)]
        return total_imported(done)

    def item_detail(self, item: ItemRef, *, task: str | None = None) -> m.ItemDetail:
        """Get everything that is known about an item."""
        return self._do(calls.item_detail(self._of(task), item))

    def search(
        self,
        text: str = "",
        state: m.ItemState = "all",
        *,
        before: int | None = None,
        count: int = 50,
        task: str | None = None,
    ) -> m.ItemsFound:
        """List items by text and state, the newest first. For the next page, pass the `before` of the answer."""
        return self._do(calls.search(self._of(task), state, text, before, count))

    def explain(self, item: ItemLike, *, task: str | None = None) -> m.Explanation:
        """Explain the prediction of the current model for an item. Nothing is stored."""
        return self._do(calls.explain(self._of(task), naming.as_item(item)))

    # ------------------------------------------------------------------ questions and answers

    def questions(
        self,
        count: int = 1,
        seconds: float | None = None,
        *,
        items: Sequence[int] | None = None,
        task: str | None = None,
    ) -> list[m.Question]:
        """Lease questions.

        Parameters
        ----------
        count : int, default=1
            At most this many questions.
        seconds : float, optional
            The length of the lease. Default: that of the task.
        items : sequence of int, optional
            The items to lease, for example to renew a lease.
        task : str, optional
            The task. Default: that of the client.

        Returns
        -------
        list of Question
            Nobody else gets these questions until the lease ends.
        """
        leased = self._do(calls.questions(self._of(task), count, seconds, items))
        return leased.questions

    def return_question(self, item: ItemRef, *, task: str | None = None) -> None:
        """Return a leased question, so that others can answer it."""
        self._do(calls.return_question(self._of(task), item))

    def label(
        self,
        item: ItemRef | str,
        label: str,
        lease: int | None = None,
        *,
        key: str | None = None,
        task: str | None = None,
    ) -> m.Receipt:
        """Label an item.

        Parameters
        ----------
        item : int, str, or an answer about an item
            The number of the item, your own id, or for example a `Question`.
        label : str
            The class.
        lease : int, optional
            Accept the label only while this lease lasts.
        key : str, optional
            An idempotency key. Default: a new one.
        task : str, optional
            The task. Default: that of the client.
        """
        labels = [naming.label_of(item, label, lease, key)]
        receipts = self._all(calls.label_all(self._of(task), labels))
        return receipts[0]

    def label_all(
        self, labels: Iterable[m.Label | tuple[ItemRef | str, str]], *, task: str | None = None
    ) -> list[m.Receipt]:
        """Label many items, as pairs of item and label or as `Label` objects, in batches of up to a thousand."""
        return self._all(calls.label_all(self._of(task), naming.as_labels(labels)))

    def skip(self, item: ItemRef, *, key: str | None = None, task: str | None = None) -> m.Skipped:
        """Skip a question: you will not get it again."""
        return self._do(calls.skip(self._of(task), item, key))

    def undo(self, item: ItemRef | None = None, *, key: str | None = None, task: str | None = None) -> m.Amendment:
        """Undo your label of an item. Default: the last label that you gave."""
        return self._do(calls.undo(self._of(task), item, key))

    def correct(
        self, item: ItemRef | str, label: str, *, key: str | None = None, task: str | None = None
    ) -> m.Amendment:
        """Correct the label of an item. The model becomes as if the label had been correct from the start."""
        return self._do(calls.correct(self._of(task), naming.correction_of(item, label, key)))

    # ------------------------------------------------------------------ streams and files

    def watch(self, *, task: str | None = None) -> Iterator[m.Figures]:
        """Iterate over the figures, once per change and without end. A lost connection is opened again."""
        call = calls.events(self._of(task))
        while True:
            reader = EventReader()
            try:
                for line in self._lines(call):
                    figures = reader.take(line)
                    if figures is not None:
                        yield figures
            except ServiceError as error:
                if error.code != CUT_OFF:
                    raise
            time.sleep(RECONNECT_AFTER)

    def labels(self, *, task: str | None = None) -> Iterator[dict[str, Any]]:
        """Iterate over all labelled items."""
        return self._objects(calls.exported(self._of(task), "labels"))

    def decisions(self, *, task: str | None = None) -> Iterator[dict[str, Any]]:
        """Iterate over all decisions."""
        return self._objects(calls.exported(self._of(task), "decisions"))

    def model(self, *, task: str | None = None) -> "Learner | AutoLearner":
        """Download the current model: an `AutoLearner`, or a `Learner` if the algorithm is one of the catalog."""
        from askance.persistence import model_of

        return model_of(self._do(calls.model_file(self._of(task))))

    def save_model(self, path: str | os.PathLike[str], *, task: str | None = None) -> None:
        """Save the current model to a file for `askance.load`."""
        write_whole(path, self._do(calls.model_file(self._of(task))))

    # ------------------------------------------------------------------ requests

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
