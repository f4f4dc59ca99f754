"""The client for programs that wait for many things at once; verb by verb the twin of `Client`."""

import asyncio
import os
from collections.abc import AsyncIterator, Iterable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar, overload

import httpx

from askance._util.atomic_write import write_whole
from askance.errors import ServiceError
from askance.service import messages as m
from askance.service.client import calls, naming
from askance.service.client.calls import Call, Settings
from askance.service.client.connection import connection
from askance.service.client.errors import CUT_OFF, cut_off
from askance.service.client.lines import EventReader, LineCutter
from askance.service.client.naming import Given, Named
from askance.service.client.speaking import RECONNECT_AFTER, Speaker, in_sum
from askance.service.settings import State

if TYPE_CHECKING:
    from askance.learners.learner import Learner

T = TypeVar("T")


class AsyncClient(Speaker):
    """`askance.Client` for asyncio: the same verbs, to be awaited, and asynchronous iterators."""

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
        """End the connections."""
        await self._http.aclose()

    # ------------------------------------------------------------------ tasks and tokens

    async def tasks(self) -> list[m.TaskSummary]:
        """All tasks."""
        return await self._do(calls.tasks())

    async def create(self, settings: Settings) -> m.TaskStory:
        """Make a task from its settings, a dict of them, or a TOML file."""
        return await self._do(calls.create(settings))

    async def task_story(self, *, task: str | None = None) -> m.TaskStory:
        """A task's settings and figures."""
        return await self._do(calls.task_story(self._of(task)))

    async def figures(self, *, task: str | None = None) -> m.Figures:
        """How a task is doing."""
        return await self._do(calls.figures(self._of(task)))

    async def change(self, *, task: str | None = None, **parts: Any) -> m.TaskStory:
        """Change a running task: its `budget`, `labels`, `costs` or `desk`, each as a whole."""
        return await self._do(calls.change(self._of(task), parts))

    async def become(self, state: State, *, task: str | None = None) -> m.TaskStory:
        """Pause a task, archive it, or have it running again."""
        return await self._do(calls.become(self._of(task), state))

    async def history(self, *, task: str | None = None) -> m.History:
        """The figures along the way, the last day by minutes, and what labellers did."""
        return await self._do(calls.history(self._of(task)))

    async def model_story(self, *, task: str | None = None) -> m.ModelStory:
        """The model's strongest features, versions and roll-backs."""
        return await self._do(calls.model_story(self._of(task)))

    async def roll_back(self, to: int, *, task: str | None = None) -> m.RolledBack:
        """Have the model forget what it learned after a version."""
        return await self._do(calls.roll_back(self._of(task), to))

    async def compact(self, keep_days: float, *, task: str | None = None) -> m.Compacted:
        """Let items that are older lose their content."""
        return await self._do(calls.compact(self._of(task), keep_days))

    async def first(self, code: str) -> m.NewToken:
        """The first token, for the code of the link that the first start prints."""
        return await self._do(calls.first(code))

    async def tokens(self) -> list[m.KnownToken]:
        """All tokens, also revoked ones."""
        return await self._do(calls.tokens())

    async def create_token(self, name: str, role: m.Role) -> m.NewToken:
        """Make a token; its secret is told this once."""
        return await self._do(calls.create_token(name, role))

    async def revoke_token(self, name: str) -> m.KnownToken:
        """Make a token good for nothing."""
        return await self._do(calls.revoke_token(name))

    # ------------------------------------------------------------------ items

    @overload
    async def decide(self, items: Given, *, task: str | None = None) -> m.Decided: ...  # type: ignore[overload-overlap]

    @overload
    async def decide(self, items: Iterable[Given], *, task: str | None = None) -> list[m.Decided]: ...

    async def decide(
        self, items: Given | Iterable[Given], *, task: str | None = None
    ) -> m.Decided | list[m.Decided]:
        """Decide about an item, or about a list of them in their order: predicted, and asked about or not.

        A string is a text, a dict a record; an `Item` may have an id. Long lists are sent in batches.
        """
        given, alone = naming.as_items(items)
        decided = await self._all(calls.decide(self._of(task), given))
        return decided[0] if alone else decided

    @overload
    async def predict(self, items: Given, *, task: str | None = None) -> m.Prediction: ...  # type: ignore[overload-overlap]

    @overload
    async def predict(self, items: Iterable[Given], *, task: str | None = None) -> list[m.Prediction]: ...

    async def predict(
        self, items: Given | Iterable[Given], *, task: str | None = None
    ) -> m.Prediction | list[m.Prediction]:
        """What the model of now says of an item or a list of them; nothing is kept and nothing asked."""
        given, alone = naming.as_items(items)
        predicted = await self._all(calls.predict(self._of(task), given))
        return predicted[0] if alone else predicted

    async def teach(self, items: Iterable[Given], labels: Sequence[str], *, task: str | None = None) -> m.Imported:
        """Learn from items whose labels are known already."""
        given, _ = naming.as_items(items)
        done = [await self._do(call) for call in calls.teach(self._of(task), given, labels)]
        return in_sum(done)

    async def story(self, item: Named, *, task: str | None = None) -> m.ItemStory:
        """Everything that is known of an item."""
        return await self._do(calls.story(self._of(task), item))

    async def search(
        self,
        text: str = "",
        state: m.ItemState = "all",
        *,
        before: int | None = None,
        count: int = 50,
        task: str | None = None,
    ) -> m.ItemsFound:
        """Items, the newest first, in some state and with some text in them; `before` goes on from an answer's."""
        return await self._do(calls.search(self._of(task), state, text, before, count))

    async def explain(self, item: Given, *, task: str | None = None) -> m.Why:
        """What the model says of an item, and which features pull where; nothing is kept."""
        return await self._do(calls.explain(self._of(task), naming.as_item(item)))

    # ------------------------------------------------------------------ questions and answers

    async def questions(
        self,
        count: int = 1,
        seconds: float | None = None,
        *,
        items: Sequence[int] | None = None,
        task: str | None = None,
    ) -> list[m.Question]:
        """Lease up to `count` questions, for so many seconds; `items` names the ones wanted once more."""
        return (await self._do(calls.questions(self._of(task), count, seconds, items))).questions

    async def give_back(self, item: Named, *, task: str | None = None) -> None:
        """Leave a leased question to others."""
        await self._do(calls.give_back(self._of(task), item))

    async def label(
        self,
        item: Named | str,
        label: str,
        lease: int | None = None,
        *,
        key: str | None = None,
        task: str | None = None,
    ) -> m.Noted:
        """Answer a question: the item by its number, an answer about it, or your own id (a string).

        With a `lease`, the label is taken only while that lease holds.
        """
        return (await self._all(calls.label_all(self._of(task), [naming.label_of(item, label, lease, key)])))[0]

    async def label_all(
        self, labels: Iterable[m.Label | tuple[Named | str, str]], *, task: str | None = None
    ) -> list[m.Noted]:
        """Answer many questions: pairs of item and label, or `Label` objects. Of a thousand, all or none."""
        return await self._all(calls.label_all(self._of(task), naming.as_labels(labels)))

    async def skip(self, item: Named, *, key: str | None = None, task: str | None = None) -> m.Skipped:
        """Leave a question unanswered, for good."""
        return await self._do(calls.skip(self._of(task), item, key))

    async def undo(
        self, item: Named | None = None, *, key: str | None = None, task: str | None = None
    ) -> m.Mended:
        """Take back your label of an item, or the last one that you gave."""
        return await self._do(calls.undo(self._of(task), item, key))

    async def correct(
        self, item: Named | str, label: str, *, key: str | None = None, task: str | None = None
    ) -> m.Mended:
        """Give the right label of an item whose label was learned: the model unlearns the wrong one."""
        return await self._do(calls.correct(self._of(task), naming.correction_of(item, label, key)))

    # ------------------------------------------------------------------ what comes in many lines or as a file

    async def watch(self, *, task: str | None = None) -> AsyncIterator[m.Figures]:
        """The figures whenever something changed, for ever; a lost connection is made again."""
        call = calls.events(self._of(task))
        while True:
            reader = EventReader()
            try:
                async for line in self._lines(call):
                    figures = reader.take(line)
                    if figures is not None:
                        yield figures
            except ServiceError as fault:
                if fault.code != CUT_OFF:
                    raise
            await asyncio.sleep(RECONNECT_AFTER)

    def labels(self, *, task: str | None = None) -> AsyncIterator[dict[str, Any]]:
        """All labels, one after the other."""
        return self._objects(calls.exported(self._of(task), "labels"))

    def decisions(self, *, task: str | None = None) -> AsyncIterator[dict[str, Any]]:
        """All decisions, one after the other."""
        return self._objects(calls.exported(self._of(task), "decisions"))

    async def model(self, *, task: str | None = None) -> "Learner":
        """The model of now, as a `Learner` of your own."""
        from askance.learners.files import from_bytes

        return from_bytes(await self._do(calls.model_file(self._of(task))))

    async def save_model(self, path: str | os.PathLike[str], *, task: str | None = None) -> None:
        """Write the model of now to a file, for `askance.load`."""
        write_whole(path, await self._do(calls.model_file(self._of(task))))

    # ------------------------------------------------------------------ how

    async def _all(self, batches: list[Call[list[T]]]) -> list[T]:
        return [one for call in batches for one in await self._do(call)]

    async def _do(self, call: Call[T]) -> T:
        return self._read(call, (await self._answer(call)).content)

    async def _answer(self, call: Call[Any], *, stream: bool = False) -> httpx.Response:
        """The answer, after as many attempts as it takes; of a stream only the beginning."""
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

    async def _lines(self, call: Call[Any]) -> AsyncIterator[bytes]:
        """The lines of an answer; once the first came, it is not asked for again."""
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

    async def _objects(self, call: Call[dict[str, Any]]) -> AsyncIterator[dict[str, Any]]:
        async for line in self._lines(call):
            if line:
                yield self._read(call, line)
