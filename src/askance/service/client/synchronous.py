"""The client for ordinary programs."""

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


class Client(Speaker):
    """A live service, and in it perhaps one task: `Client(task="tickets").decide("my invoice is wrong")`.

    `url` and `token` come from ASKANCE_URL and ASKANCE_TOKEN unless given. Lost connections and a busy service are
    tried again, `retries` times; whatever is sent is done once. A refusal raises `ServiceError`. Threads may share
    a client.
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
        """End the connections."""
        self._http.close()

    # ------------------------------------------------------------------ tasks and tokens

    def tasks(self) -> list[m.TaskSummary]:
        """All tasks."""
        return self._do(calls.tasks())

    def create(self, settings: Settings) -> m.TaskStory:
        """Make a task from its settings, a dict of them, or a TOML file."""
        return self._do(calls.create(settings))

    def task_story(self, *, task: str | None = None) -> m.TaskStory:
        """A task's settings and figures."""
        return self._do(calls.task_story(self._of(task)))

    def figures(self, *, task: str | None = None) -> m.Figures:
        """How a task is doing."""
        return self._do(calls.figures(self._of(task)))

    def change(self, *, task: str | None = None, **parts: Any) -> m.TaskStory:
        """Change a running task: its `budget`, `labels`, `costs` or `desk`, each as a whole."""
        return self._do(calls.change(self._of(task), parts))

    def become(self, state: State, *, task: str | None = None) -> m.TaskStory:
        """Pause a task, archive it, or have it running again."""
        return self._do(calls.become(self._of(task), state))

    def history(self, *, task: str | None = None) -> m.History:
        """The figures along the way, the last day by minutes, and what labellers did."""
        return self._do(calls.history(self._of(task)))

    def model_story(self, *, task: str | None = None) -> m.ModelStory:
        """The model's strongest features, versions and roll-backs."""
        return self._do(calls.model_story(self._of(task)))

    def roll_back(self, to: int, *, task: str | None = None) -> m.RolledBack:
        """Have the model forget what it learned after a version."""
        return self._do(calls.roll_back(self._of(task), to))

    def compact(self, keep_days: float, *, task: str | None = None) -> m.Compacted:
        """Let items that are older lose their content."""
        return self._do(calls.compact(self._of(task), keep_days))

    def first(self, code: str) -> m.NewToken:
        """The first token, for the code of the link that the first start prints."""
        return self._do(calls.first(code))

    def tokens(self) -> list[m.KnownToken]:
        """All tokens, also revoked ones."""
        return self._do(calls.tokens())

    def create_token(self, name: str, role: m.Role) -> m.NewToken:
        """Make a token; its secret is told this once."""
        return self._do(calls.create_token(name, role))

    def revoke_token(self, name: str) -> m.KnownToken:
        """Make a token good for nothing."""
        return self._do(calls.revoke_token(name))

    # ------------------------------------------------------------------ items

    @overload
    def decide(self, items: Given, *, task: str | None = None) -> m.Decided: ...  # type: ignore[overload-overlap]

    @overload
    def decide(self, items: Iterable[Given], *, task: str | None = None) -> list[m.Decided]: ...

    def decide(self, items: Given | Iterable[Given], *, task: str | None = None) -> m.Decided | list[m.Decided]:
        """Decide about an item, or about a list of them in their order: predicted, and asked about or not.

        A string is a text, a dict a record; an `Item` may have an id. Long lists are sent in batches.
        """
        given, alone = naming.as_items(items)
        decided = self._all(calls.decide(self._of(task), given))
        return decided[0] if alone else decided

    @overload
    def predict(self, items: Given, *, task: str | None = None) -> m.Prediction: ...  # type: ignore[overload-overlap]

    @overload
    def predict(self, items: Iterable[Given], *, task: str | None = None) -> list[m.Prediction]: ...

    def predict(
        self, items: Given | Iterable[Given], *, task: str | None = None
    ) -> m.Prediction | list[m.Prediction]:
        """What the model of now says of an item or a list of them; nothing is kept and nothing asked."""
        given, alone = naming.as_items(items)
        predicted = self._all(calls.predict(self._of(task), given))
        return predicted[0] if alone else predicted

    def teach(self, items: Iterable[Given], labels: Sequence[str], *, task: str | None = None) -> m.Imported:
        """Learn from items whose labels are known already."""
        given, _ = naming.as_items(items)
        done = [self._do(call) for call in calls.teach(self._of(task), given, labels)]
        return in_sum(done)

    def story(self, item: Named, *, task: str | None = None) -> m.ItemStory:
        """Everything that is known of an item."""
        return self._do(calls.story(self._of(task), item))

    def search(
        self,
        text: str = "",
        state: m.ItemState = "all",
        *,
        before: int | None = None,
        count: int = 50,
        task: str | None = None,
    ) -> m.ItemsFound:
        """Items, the newest first, in some state and with some text in them; `before` goes on from an answer's."""
        return self._do(calls.search(self._of(task), state, text, before, count))

    def explain(self, item: Given, *, task: str | None = None) -> m.Why:
        """What the model says of an item, and which features pull where; nothing is kept."""
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
        """Lease up to `count` questions, for so many seconds; `items` names the ones wanted once more."""
        return self._do(calls.questions(self._of(task), count, seconds, items)).questions

    def give_back(self, item: Named, *, task: str | None = None) -> None:
        """Leave a leased question to others."""
        self._do(calls.give_back(self._of(task), item))

    def label(
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
        return self._all(calls.label_all(self._of(task), [naming.label_of(item, label, lease, key)]))[0]

    def label_all(
        self, labels: Iterable[m.Label | tuple[Named | str, str]], *, task: str | None = None
    ) -> list[m.Noted]:
        """Answer many questions: pairs of item and label, or `Label` objects. Of a thousand, all or none."""
        return self._all(calls.label_all(self._of(task), naming.as_labels(labels)))

    def skip(self, item: Named, *, key: str | None = None, task: str | None = None) -> m.Skipped:
        """Leave a question unanswered, for good."""
        return self._do(calls.skip(self._of(task), item, key))

    def undo(self, item: Named | None = None, *, key: str | None = None, task: str | None = None) -> m.Mended:
        """Take back your label of an item, or the last one that you gave."""
        return self._do(calls.undo(self._of(task), item, key))

    def correct(
        self, item: Named | str, label: str, *, key: str | None = None, task: str | None = None
    ) -> m.Mended:
        """Give the right label of an item whose label was learned: the model unlearns the wrong one."""
        return self._do(calls.correct(self._of(task), naming.correction_of(item, label, key)))

    # ------------------------------------------------------------------ what comes in many lines or as a file

    def watch(self, *, task: str | None = None) -> Iterator[m.Figures]:
        """The figures whenever something changed, for ever; a lost connection is made again."""
        call = calls.events(self._of(task))
        while True:
            reader = EventReader()
            try:
                for line in self._lines(call):
                    figures = reader.take(line)
                    if figures is not None:
                        yield figures
            except ServiceError as fault:
                if fault.code != CUT_OFF:
                    raise
            time.sleep(RECONNECT_AFTER)

    def labels(self, *, task: str | None = None) -> Iterator[dict[str, Any]]:
        """All labels, one after the other."""
        return self._objects(calls.exported(self._of(task), "labels"))

    def decisions(self, *, task: str | None = None) -> Iterator[dict[str, Any]]:
        """All decisions, one after the other."""
        return self._objects(calls.exported(self._of(task), "decisions"))

    def model(self, *, task: str | None = None) -> "Learner":
        """The model of now, as a `Learner` of your own."""
        from askance.learners.files import from_bytes

        return from_bytes(self._do(calls.model_file(self._of(task))))

    def save_model(self, path: str | os.PathLike[str], *, task: str | None = None) -> None:
        """Write the model of now to a file, for `askance.load`."""
        write_whole(path, self._do(calls.model_file(self._of(task))))

    # ------------------------------------------------------------------ how

    def _all(self, batches: list[Call[list[T]]]) -> list[T]:
        return [one for call in batches for one in self._do(call)]

    def _do(self, call: Call[T]) -> T:
        return self._read(call, self._answer(call).content)

    def _answer(self, call: Call[Any], *, stream: bool = False) -> httpx.Response:
        """The answer, after as many attempts as it takes; of a stream only the beginning."""
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

    def _lines(self, call: Call[Any]) -> Iterator[bytes]:
        """The lines of an answer; once the first came, it is not asked for again."""
        answer = self._answer(call, stream=True)
        cutter = LineCutter()
        try:
            for content in answer.iter_bytes():
                yield from cutter.take(content)
            yield from cutter.end()
        except httpx.TransportError as error:
            raise cut_off(self._connection.url, cutter.count, error) from error
        finally:
            answer.close()

    def _objects(self, call: Call[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        for line in self._lines(call):
            if line:
                yield self._read(call, line)
