"""Every verb of the service, described once and without doing it: what to send, and how to read the answer.

Whatever could be done twice carries a name of its own before it is first sent (an item its id, a label its key),
so that it may be sent again when the answer was lost. What has no such name is not `repeatable`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Generic, TypeVar
from urllib.parse import quote, urlencode

import msgspec

from askance.service import messages as m
from askance.service.client.errors import refusal
from askance.service.client.naming import (
    Named,
    batches_of,
    fresh_name,
    labelled_items,
    named,
    named_label,
    number_of,
)
from askance.service.settings import State, TaskSettings, from_toml

T = TypeVar("T")
SUCCESS = 200
A = TypeVar("A", bound=m.Answer)
Settings = TaskSettings | Mapping[str, Any] | str | PathLike[str]


@dataclass(frozen=True)
class Call(Generic[T]):
    """A request, how its answer is read, and whether it may be sent again when the answer was lost."""

    method: str
    path: str
    read: Callable[[bytes], T]
    body: bytes | None = None
    repeatable: bool = True


# ---------------------------------------------------------------------- tasks and tokens


def tasks() -> Call[list[m.TaskSummary]]:
    """All tasks."""
    return Call("GET", "/api/tasks", lambda content: _read(m.Tasks)(content).tasks)


def create(settings: Settings) -> Call[m.TaskStory]:
    """A new task."""
    return _post("/api/tasks", _settings(settings), _read(m.TaskStory), repeatable=False)


def task_story(task: str) -> Call[m.TaskStory]:
    """A task's settings and figures."""
    return Call("GET", _of(task), _read(m.TaskStory))


def figures(task: str) -> Call[m.Figures]:
    """How a task is doing."""
    return Call("GET", _of(task, "figures"), _read(m.Figures))


def change(task: str, parts: Mapping[str, Any]) -> Call[m.TaskStory]:
    """Other settings from now on."""
    try:
        wish = msgspec.convert(dict(parts), m.TaskChange)
    except msgspec.ValidationError as error:
        raise ValueError(f"a task's settings cannot change so: {error}") from None
    return Call("PATCH", _of(task), _read(m.TaskStory), msgspec.json.encode(wish))


def become(task: str, state: State) -> Call[m.TaskStory]:
    """A task that runs, is paused or is archived."""
    return _post(_of(task, "state"), m.StateWish(state), _read(m.TaskStory))


def history(task: str) -> Call[m.History]:
    """What a task has been."""
    return Call("GET", _of(task, "history"), _read(m.History))


def model_story(task: str) -> Call[m.ModelStory]:
    """What the model has learned."""
    return Call("GET", _of(task, "model"), _read(m.ModelStory))


def roll_back(task: str, to: int) -> Call[m.RolledBack]:
    """The model as it was at a version."""
    return _post(_of(task, "rollbacks"), m.RollbackWish(to), _read(m.RolledBack), repeatable=False)


def compact(task: str, keep_days: float) -> Call[m.Compacted]:
    """Old items lose their content."""
    return _post(_of(task, "compact"), m.Compaction(keep_days), _read(m.Compacted))


def first(code: str) -> Call[m.NewToken]:
    """The first token, for the code of the link that the first start prints."""
    return _post("/api/first", m.FirstVisit(code), _read(m.NewToken), repeatable=False)


def tokens() -> Call[list[m.KnownToken]]:
    """All tokens."""
    return Call("GET", "/api/tokens", lambda content: _read(m.Tokens)(content).tokens)


def create_token(name: str, role: m.Role) -> Call[m.NewToken]:
    """A new token."""
    return _post("/api/tokens", m.TokenWish(name, role), _read(m.NewToken), repeatable=False)


def revoke_token(name: str) -> Call[m.KnownToken]:
    """A token that is no longer good."""
    return Call("DELETE", f"/api/tokens/{quote(name, safe='')}", _read(m.KnownToken))


# ---------------------------------------------------------------------- items


def decide(task: str, items: Sequence[m.Item]) -> list[Call[list[m.Decided]]]:
    """Decisions, a call a batch."""
    return [
        Call("POST", _of(task, "items"), lambda content: _read(m.Decisions)(content).decisions, body)
        for body in batches_of([named(item) for item in items])
    ]


def predict(task: str, items: Sequence[m.Item]) -> list[Call[list[m.Prediction]]]:
    """Predictions, a call a batch."""
    return [
        Call("POST", _of(task, "predict"), lambda content: _read(m.Predictions)(content).predictions, body)
        for body in batches_of(items)
    ]


def teach(task: str, items: Sequence[m.Item], labels: Sequence[str]) -> list[Call[m.Imported]]:
    """Labelled items to learn from, a call a batch."""
    taught = [named(item) for item in labelled_items(items, labels)]
    return [Call("POST", _of(task, "import"), _read(m.Imported), body) for body in batches_of(taught)]


def story(task: str, item: Named) -> Call[m.ItemStory]:
    """Everything about an item."""
    return Call("GET", _of(task, "items", number_of(item)), _read(m.ItemStory))


def search(task: str, state: m.ItemState, text: str, before: int | None, count: int) -> Call[m.ItemsFound]:
    """Items by state and text."""
    wish = {"state": state, "search": text, "count": count} | ({} if before is None else {"before": before})
    return Call("GET", f"{_of(task, 'items')}?{urlencode(wish)}", _read(m.ItemsFound))


def explain(task: str, item: m.Item) -> Call[m.Why]:
    """What the model says of an item, and because of what."""
    return _post(_of(task, "explain"), m.Explain(item), _read(m.Why))


# ---------------------------------------------------------------------- questions and answers


def questions(
    task: str, count: int, seconds: float | None = None, items: Sequence[int] | None = None
) -> Call[m.Questions]:
    """Questions for whoever holds the token."""
    wish = m.LeaseWish(
        count=count,
        seconds=msgspec.UNSET if seconds is None else seconds,
        items=msgspec.UNSET if items is None else list(items),
    )
    return _post(_of(task, "leases"), wish, _read(m.Questions))


def give_back(task: str, item: Named) -> Call[m.Questions]:
    """A question for others."""
    return Call("DELETE", _of(task, "leases", number_of(item)), _read(m.Questions))


def label_all(task: str, labels: Sequence[m.Label]) -> list[Call[list[m.Noted]]]:
    """Labels, a call a batch."""
    return [
        Call("POST", _of(task, "labels"), lambda content: _read(m.NotedLabels)(content).labels, body)
        for body in batches_of([named_label(label) for label in labels], "labels")
    ]


def skip(task: str, item: Named, key: str | None = None) -> Call[m.Skipped]:
    """A question that this labeller leaves to others."""
    return _post(_of(task, "skips"), m.Skip(number_of(item), key or fresh_name()), _read(m.Skipped))


def undo(task: str, item: Named | None = None, key: str | None = None) -> Call[m.Mended]:
    """This labeller's label of an item, or the last one, taken back."""
    number = msgspec.UNSET if item is None else number_of(item)
    return _post(_of(task, "undo"), m.Undo(number, key or fresh_name()), _read(m.Mended))


def correct(task: str, correction: m.Correction) -> Call[m.Mended]:
    """The right label of an item."""
    return _post(_of(task, "corrections"), correction, _read(m.Mended))


# ---------------------------------------------------------------------- what comes in many lines or as a file


def events(task: str) -> Call[None]:
    """Figures whenever something changed."""
    return Call("GET", _of(task, "events"), lambda _content: None)


def exported(task: str, what: str) -> Call[dict[str, Any]]:
    """The labels or the decisions, a JSON object a line; `read` reads one. The last may be a refusal."""
    decode = msgspec.json.Decoder(dict[str, Any]).decode

    def read(line: bytes) -> dict[str, Any]:
        found = decode(line)
        if found.keys() == {"error"}:
            raise refusal(SUCCESS, line)
        return found

    return Call("GET", _of(task, "export", what), read)


def model_file(task: str) -> Call[bytes]:
    """The content of a model file, checked to be whole."""
    from askance._util.sealed_file import header_of

    def whole(content: bytes) -> bytes:
        header_of(content)
        return content

    return Call("GET", _of(task, "export", "model"), whole)


# ---------------------------------------------------------------------- how


def _of(task: str, *parts: str | int) -> str:
    return "/".join(("/api/tasks", *(quote(str(part), safe="") for part in (task, *parts))))


def _read(kind: type[A]) -> Callable[[bytes], A]:
    return msgspec.json.Decoder(kind).decode


def _post(path: str, body: msgspec.Struct, read: Callable[[bytes], T], *, repeatable: bool = True) -> Call[T]:
    return Call("POST", path, read, msgspec.json.encode(body), repeatable)


def _settings(given: Settings) -> TaskSettings:
    if isinstance(given, TaskSettings):
        return given
    if isinstance(given, Mapping):
        try:
            return msgspec.convert(given, TaskSettings)
        except msgspec.ValidationError as error:
            raise ValueError(f"these are no settings of a task: {error}") from None
    try:
        return from_toml(Path(given))
    except OSError as error:
        raise ValueError(f"{given}: cannot be read ({error.strerror}): check the path") from None
