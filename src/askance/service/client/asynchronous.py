"""The asynchronous client. The synchronous client is generated from this file."""

import asyncio
import os
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar, overload

import httpx

from askance._util.atomic_write import atomic_write, write_whole
from askance.errors import ServiceError
from askance.service import messages as m
from askance.service.client import calls, naming
from askance.service.client.asynchronous_reviews import AsyncReviews
from askance.service.client.asynchronous_tokens import AsyncTokens
from askance.service.client.base import RECONNECT_AFTER, total_imported
from askance.service.client.connection import connection
from askance.service.client.errors import CUT_OFF
from askance.service.client.export_files import Exported, check_exported, format_of, is_folder, unpack
from askance.service.client.lines import EventReader
from askance.service.client.naming import ItemLike, ItemRef
from askance.service.given_settings import Settings
from askance.service.settings import State

if TYPE_CHECKING:
    from askance.auto.learner import AutoLearner
    from askance.learners.learner import Learner

T = TypeVar("T")


class AsyncClient(AsyncReviews, AsyncTokens):
    """An asynchronous client of the service.

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
    transport : httpx.AsyncBaseTransport, optional
        A transport for httpx, for tests.

    Raises
    ------
    ServiceError
        By all methods, if the service refuses the request or cannot be reached.

    Examples
    --------
    >>> async with AsyncClient(task="tickets") as client:  # doctest: +SKIP
    ...     decision = await client.decide("my invoice is wrong")
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
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._connection = connection(url, token, task, retries, timeout)
        self._http: httpx.AsyncClient = httpx.AsyncClient(**self._connection.options(), transport=transport)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    # ------------------------------------------------------------------ tasks

    async def tasks(self) -> list[m.TaskSummary]:
        """List all tasks."""
        return await self._do(calls.tasks())

    async def create(self, settings: Settings) -> m.TaskDetail:
        """Create a task from `TaskSettings`, a dict of settings, or the path of a TOML file."""
        return await self._do(calls.create(settings))

    async def task_detail(self, *, task: str | None = None) -> m.TaskDetail:
        """Get the settings and the figures of a task."""
        return await self._do(calls.task_detail(self._of(task)))

    async def figures(self, *, task: str | None = None) -> m.Figures:
        """Get the current counts, rates and estimates of a task."""
        return await self._do(calls.figures(self._of(task)))

    async def change(self, *, task: str | None = None, **parts: Any) -> m.TaskDetail:
        """Replace sections: `budget`, `labels`, `costs`, `interface`, `goal`, `certify` or `oracles`."""
        return await self._do(calls.change(self._of(task), parts))

    async def set_columns(self, columns: Mapping[str, Any], *, task: str | None = None) -> m.TaskDetail:
        """Say what the fields of records hold: number, category, text, date, id or ignored.

        It is possible before the first item.
        """
        return await self._do(calls.set_columns(self._of(task), columns))

    async def add_classes(self, names: Sequence[str], *, task: str | None = None) -> m.TaskDetail:
        """Add classes to a task. Its algorithm must be "auto", or one for more than two classes."""
        return await self._do(calls.change_classes(self._of(task), names, {}))

    async def rename_class(self, name: str, new_name: str, *, task: str | None = None) -> m.TaskDetail:
        """Rename a class. Labels under its earlier name count under the new one, also if they come later."""
        return await self._do(calls.change_classes(self._of(task), [], {name: new_name}))

    async def set_state(self, state: State, *, task: str | None = None) -> m.TaskDetail:
        """Set the state of a task: "running", "paused" or "archived"."""
        return await self._do(calls.set_state(self._of(task), state))

    async def forecast(self, *, task: str | None = None) -> m.Forecast:
        """Get what more labels would bring."""
        return await self._do(calls.forecast(self._of(task)))

    async def history(self, *, task: str | None = None) -> m.History:
        """Get the estimates over time, the last day by minutes, and the labellers."""
        return await self._do(calls.history(self._of(task)))

    async def model_detail(self, *, task: str | None = None) -> m.ModelDetail:
        """Get the strongest features, the versions and the rollbacks of the model."""
        return await self._do(calls.model_detail(self._of(task)))

    async def roll_back(self, to: int, *, task: str | None = None) -> m.RolledBack:
        """Make the model forget what it learned after version `to`."""
        return await self._do(calls.roll_back(self._of(task), to))

    async def compact(self, keep_days: float, *, task: str | None = None) -> m.Compacted:
        """Drop the content of items that are older than `keep_days` days and were not asked about."""
        return await self._do(calls.compact(self._of(task), keep_days))

    # ------------------------------------------------------------------ items

    @overload
    async def decide(  # type: ignore[overload-overlap]
        self, items: ItemLike, *, task: str | None = None
    ) -> m.ItemDecision: ...

    @overload
    async def decide(self, items: Iterable[ItemLike], *, task: str | None = None) -> list[m.ItemDecision]: ...

    async def decide(
        self, items: ItemLike | Iterable[ItemLike], *, task: str | None = None
    ) -> m.ItemDecision | list[m.ItemDecision]:
        """Predict an item, or several in order, and decide whether to ask for their labels.

        Parameters
        ----------
        items : str, dict, array, Item, or an iterable of them
            A string is a text, a dict a record, an array of numbers a vector, and an `Item` may have several of
            them and an id. Long lists are sent in batches.
        task : str, optional
            The task. Default: that of the client.

        Returns
        -------
        ItemDecision or list of ItemDecision
            One decision for one item, or a list for several.
        """
        given, alone = naming.as_items(items)
        decided = await self._all(calls.decide(self._of(task), given))
        return decided[0] if alone else decided

    @overload
    async def predict(  # type: ignore[overload-overlap]
        self, items: ItemLike, *, task: str | None = None
    ) -> m.Prediction: ...

    @overload
    async def predict(self, items: Iterable[ItemLike], *, task: str | None = None) -> list[m.Prediction]: ...

    async def predict(
        self, items: ItemLike | Iterable[ItemLike], *, task: str | None = None
    ) -> m.Prediction | list[m.Prediction]:
        """Predict an item or several with the current model. Nothing is stored and nothing is asked."""
        given, alone = naming.as_items(items)
        predicted = await self._all(calls.predict(self._of(task), given))
        return predicted[0] if alone else predicted

    async def import_items(
        self,
        items: Iterable[ItemLike],
        labels: Sequence[str],
        *,
        source: str | None = None,
        labeller: str | None = None,
        labelled_at: float | None = None,
        gold: bool | None = None,
        task: str | None = None,
    ) -> m.Imported:
        """Import items whose labels you already know, and learn from them, unless they are gold items.

        Parameters
        ----------
        items : iterable of str, dict or Item
            The items. A `LabelledItem` may have a source, labeller and time of its own.
        labels : sequence of str
            Their classes.
        source : str, optional
            Where the labels come from, such as "vendor 2024".
        labeller : str, optional
            Who gave them.
        labelled_at : float, optional
            When they were given, in seconds since 1970.
        gold : bool, optional
            Whether they are gold items: people label them among other questions, which shows who is right.
        task : str, optional
            The task. Default: that of the client.

        Returns
        -------
        Imported
            The number of items learned, and of those imported before.
        """
        given, _ = naming.as_items(items)
        labelled = naming.labelled_items(given, labels, naming.Origin(source, labeller, labelled_at, gold))
        done = [await self._do(call) for call in calls.import_items(self._of(task), labelled)]
        return total_imported(done)

    async def guess(
        self, guesses: Iterable[m.LateGuess | Mapping[str, Any]], *, task: str | None = None
    ) -> list[m.GuessReceipt]:
        """Send what a program thinks the labels of items are. They are features of the model, and never labels.

        Parameters
        ----------
        guesses : iterable of LateGuess or dict
            Each has the `name` of the program, the `item` or your `id` of it, a `label`, and optionally a
            `confidence` between 0 and 1.
        task : str, optional
            The task. Default: that of the client.

        Returns
        -------
        list of GuessReceipt
            The receipts, in the order of the guesses.
        """
        given = [naming.as_guess(one) for one in guesses]
        done = [await self._do(call) for call in calls.guess(self._of(task), given)]
        return [receipt for receipts in done for receipt in receipts]

    async def wanted_guesses(self, program: str, *, task: str | None = None) -> list[m.ItemDetail]:
        """List the items about which a program is to guess now.

        Parameters
        ----------
        program : str
            The name of the program, which has a price in `oracles.guesses`.
        task : str, optional
            The task, which has `oracles.enough`. Default: that of the client.

        Returns
        -------
        list of ItemDetail
            The items that people would be asked about next. There are none if the money is spent.
        """
        return await self._do(calls.wanted_guesses(self._of(task), program))

    async def item_detail(self, item: ItemRef, *, task: str | None = None) -> m.ItemDetail:
        """Get everything that is known about an item."""
        return await self._do(calls.item_detail(self._of(task), item))

    async def search(
        self,
        text: str = "",
        state: m.ItemState = "all",
        *,
        label: str | None = None,
        predicted: str | None = None,
        labeller: str | None = None,
        min_score: float | None = None,
        max_score: float | None = None,
        since: float | None = None,
        until: float | None = None,
        order: m.ItemOrder = "newest",
        before: int | None = None,
        count: int = 50,
        task: str | None = None,
    ) -> m.ItemsFound:
        """List items by filter, in an order. For the next page, pass the `before` of the answer.

        Parameters
        ----------
        text : str, default=""
            A part of the content, the id, the note or the number.
        state : str, default="all"
            One of "all", "asked", "waiting", "open", "skipped", "flagged", "labelled", "imported",
            "corrected" and "disagreement".
        label, predicted : str, optional
            The label, and the prediction on arrival.
        labeller : str, optional
            Who gave a label or made the last correction.
        min_score, max_score : float, optional
            The limits of the score on arrival.
        since, until : float, optional
            When the item arrived, in seconds since 1970; `until` itself is not included.
        order : {"newest", "oldest", "doubtful", "certain"}, default="newest"
            By arrival, or by the score on arrival.
        before : int, optional
            The `before` of the previous page.
        count : int, default=50
            At most this many items.
        task : str, optional
            The task. Default: that of the client.

        Returns
        -------
        ItemsFound
            The items, and the number of all matching items. If it is not `exact`, there are at least that many.
        """
        scores = {"min_score": min_score, "max_score": max_score, "since": since, "until": until}
        wanted = {"search": text, "state": state, "label": label, "predicted": predicted, "labeller": labeller}
        page = {"order": order, "before": before, "count": count}
        return await self._do(calls.search(self._of(task), wanted | scores | page))

    async def similar(
        self, item: ItemRef, count: int = 10, *, open_only: bool = False, task: str | None = None
    ) -> m.SimilarItems:
        """List the items that are most like an item; optionally only those that can be labelled like it."""
        return await self._do(calls.similar(self._of(task), item, count, open_only))

    async def explain(self, item: ItemLike | ItemRef, *, task: str | None = None) -> m.Explanation:
        """Explain the prediction of the current model for an item, or for one that it knows. Nothing is stored."""
        return await self._do(calls.explain(self._of(task), naming.as_item_or_number(item)))

    # ------------------------------------------------------------------ questions and answers

    async def questions(
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
        leased = await self._do(calls.questions(self._of(task), count, seconds, items))
        return leased.questions

    async def return_question(self, item: ItemRef, *, task: str | None = None) -> None:
        """Return a leased question, so that others can answer it."""
        await self._do(calls.return_question(self._of(task), item))

    async def label(
        self,
        item: ItemRef | str,
        label: str | list[str],
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
        label : str or list of str
            The class; a list of classes if the task is `multilabel`.
        lease : int, optional
            Accept the label only while this lease lasts.
        key : str, optional
            An idempotency key. Default: a new one.
        task : str, optional
            The task. Default: that of the client.
        """
        labels = [naming.label_of(item, label, lease, key)]
        receipts = await self._all(calls.label_all(self._of(task), labels))
        return receipts[0]

    async def label_all(
        self, labels: Iterable[m.Label | tuple[ItemRef | str, str | list[str]]], *, task: str | None = None
    ) -> list[m.Receipt]:
        """Label many items, as pairs of item and label or as `Label` objects, in batches of up to a thousand."""
        return await self._all(calls.label_all(self._of(task), naming.as_labels(labels)))

    async def label_group(
        self,
        items: Sequence[ItemRef],
        label: str,
        *,
        correct: bool = True,
        key: str | None = None,
        task: str | None = None,
    ) -> m.GroupLabelled:
        """Give one label to up to a thousand items.

        Parameters
        ----------
        items : sequence of int, or of answers about items
            The items.
        label : str
            The class.
        correct : bool, default=True
            Whether to correct the labels of items that have another one.
        key : str, optional
            The key of the group, with which it can be undone. Default: a new one.
        task : str, optional
            The task. Default: that of the client.
        """
        return await self._do(calls.label_group(self._of(task), items, label, key, correct))

    async def undo_group(
        self,
        group: str | None = None,
        *,
        items: Sequence[ItemRef] | None = None,
        key: str | None = None,
        task: str | None = None,
    ) -> m.GroupUndone:
        """Undo the labels that you gave with the key of a group, or your labels of some items."""
        return await self._do(calls.undo_group(self._of(task), group, items, key))

    async def delete(
        self, items: Sequence[ItemRef], *, key: str | None = None, task: str | None = None
    ) -> m.ItemsDeleted:
        """Delete up to a thousand items, which cannot be undone.

        Their content, ids, notes and images are erased, and the model is as if they had never come. Labels that
        people gave them stay spent.

        Parameters
        ----------
        items : sequence of int, or of answers about items
            The items.
        key : str, optional
            An idempotency key. Default: a new one.
        task : str, optional
            The task. Default: that of the client.
        """
        return await self._do(calls.delete(self._of(task), items, key))

    async def skip(
        self, item: ItemRef, *, reason: str | None = None, key: str | None = None, task: str | None = None
    ) -> m.Skipped:
        """Skip a question: you will not get it again. Others see the reason, if you give one."""
        return await self._do(calls.skip(self._of(task), item, key, reason))

    async def undo(
        self, item: ItemRef | None = None, *, key: str | None = None, task: str | None = None
    ) -> m.Amendment:
        """Undo your label of an item. Default: the last label that you gave."""
        return await self._do(calls.undo(self._of(task), item, key))

    async def correct(
        self, item: ItemRef | str, label: str | list[str], *, key: str | None = None, task: str | None = None
    ) -> m.Amendment:
        """Correct the label of an item. The model no longer knows the wrong one, and learns the right one."""
        return await self._do(calls.correct(self._of(task), naming.correction_of(item, label, key)))

    # ------------------------------------------------------------------ streams and files

    async def watch(self, *, task: str | None = None) -> AsyncIterator[m.Figures]:
        """Iterate over the figures, once per change and without end. A lost connection is opened again."""
        call = calls.events(self._of(task))
        while True:
            reader = EventReader()
            try:
                async for line in self._lines(call):
                    figures = reader.take(line)
                    if figures is not None:
                        yield figures
            except ServiceError as error:
                if error.code != CUT_OFF:
                    raise
            await asyncio.sleep(RECONNECT_AFTER)

    def labels(self, *, task: str | None = None) -> AsyncIterator[dict[str, Any]]:
        """Iterate over all labelled items."""
        return self._objects(calls.exported(self._of(task), "labels"))

    def decisions(self, *, task: str | None = None) -> AsyncIterator[dict[str, Any]]:
        """Iterate over all decisions."""
        return self._objects(calls.exported(self._of(task), "decisions"))

    async def export(
        self, path: str | os.PathLike[str], what: Exported = "labels", *, task: str | None = None
    ) -> None:
        """Save all labels, decisions or items to a file, piece by piece.

        Parameters
        ----------
        path : str or os.PathLike
            The file: .jsonl, .csv, .parquet, or .zip for an archive with the folder that `datasets.load_dataset`
            reads. A name without an ending is that folder itself. An earlier file is replaced when the new one is
            complete.
        what : {"labels", "decisions", "items"}, default="labels"
            What to export.
        task : str, optional
            The task. Default: that of the client.
        """
        check_exported(what)
        form, folder = format_of(path), Path(path)
        call = calls.export_file(self._of(task), what, form)
        if not is_folder(path):
            with atomic_write(path) as temporary:
                await self._save(call, temporary)
            return
        with TemporaryDirectory() as directory:
            await self._save(call, Path(directory) / "export.zip")
            unpack(Path(directory) / "export.zip", folder)

    async def data_card(self, *, task: str | None = None) -> str:
        """Get the data card of the labels, in Markdown: how they were chosen, and how to use their weights."""
        return await self._do(calls.card(self._of(task)))

    async def model(self, *, task: str | None = None) -> "Learner | AutoLearner":
        """Download the current model: an `AutoLearner`, or a `Learner` if the algorithm is one of the catalog."""
        from askance.persistence import model_of

        return model_of(await self._do(calls.model_file(self._of(task))))

    async def save_model(self, path: str | os.PathLike[str], *, task: str | None = None) -> None:
        """Save the current model to a file for `askance.load`."""
        write_whole(path, await self._do(calls.model_file(self._of(task))))

    # ------------------------------------------------------------------ webhooks

    async def webhooks(self, *, task: str | None = None) -> list[m.Webhook]:
        """List the webhooks of a task, and how they are doing."""
        return await self._do(calls.webhooks(self._of(task)))

    async def changes(
        self, after: int = 0, count: int = 100, *, event: m.EventType | None = None, task: str | None = None
    ) -> m.Changes:
        """List what happened after an entry of the journal. For the next ones, pass `position` as `after`."""
        return await self._do(calls.changes(self._of(task), after, count, event))

    async def add_webhook(
        self, url: str, events: Sequence[m.EventType] = (), *, after: int | None = None, task: str | None = None
    ) -> m.NewWebhook:
        """Send events of a task to a URL.

        Parameters
        ----------
        url : str
            Where to send them.
        events : sequence of str, default=()
            "label.settled", "question.open", "task.state", "model.version" and "item.deleted". Default: all.
        after : int, optional
            Begin after this entry of the journal; 0 sends everything. Default: only what happens from now on.
        task : str, optional
            The task. Default: that of the client.

        Returns
        -------
        NewWebhook
            The webhook, and the secret for `askance.service.connectors.signing.verify`, which is shown only once.
        """
        request = m.WebhookRequest(url, tuple(events), after)
        return await self._do(calls.add_webhook(self._of(task), request))

    async def remove_webhook(self, number: int, *, task: str | None = None) -> m.Webhook:
        """Remove a webhook."""
        return await self._do(calls.remove_webhook(self._of(task), number))

    async def replay_webhook(self, number: int, after: int | None = None, *, task: str | None = None) -> m.Webhook:
        """Send the events after an entry again. Without `after`, go on where it was, also if it was disabled."""
        return await self._do(calls.replay_webhook(self._of(task), number, after))
