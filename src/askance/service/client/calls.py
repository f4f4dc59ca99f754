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
from askance.service.client.errors import service_error
from askance.service.client.naming import (
    ItemRef,
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
class ApiCall(Generic[T]):
    """A request, how its answer is read, and whether it may be sent again when the answer was lost."""

    method: str
    path: str
    read: Callable[[bytes], T]
    body: bytes | None = None
    repeatable: bool = True


# ---------------------------------------------------------------------- tasks and tokens


def tasks() -> ApiCall[list[m.TaskSummary]]:
    """All tasks."""
    return ApiCall("GET", "/api/tasks", lambda content: _read(m.Tasks)(content).tasks)


def create(settings: Settings) -> ApiCall[m.TaskDetail]:
    """A new task."""
    return _post("/api/tasks", _settings(settings), _read(m.TaskDetail), repeatable=False)


def task_detail(task: str) -> ApiCall[m.TaskDetail]:
    """A task's settings and figures."""
    return ApiCall("GET", _of(task), _read(m.TaskDetail))


def figures(task: str) -> ApiCall[m.Figures]:
    """How a task is doing."""
    return ApiCall("GET", _of(task, "figures"), _read(m.Figures))


def change(task: str, parts: Mapping[str, Any]) -> ApiCall[m.TaskDetail]:
    """Other settings from now on."""
    try:
        request = msgspec.convert(dict(parts), m.TaskChange)
    except msgspec.ValidationError as error:
        raise ValueError(f"a task's settings cannot change so: {error}") from None
    return ApiCall("PATCH", _of(task), _read(m.TaskDetail), msgspec.json.encode(request))


def set_state(task: str, state: State) -> ApiCall[m.TaskDetail]:
    """A task that runs, is paused or is archived."""
    return _post(_of(task, "state"), m.StateRequest(state), _read(m.TaskDetail))


def history(task: str) -> ApiCall[m.History]:
    """What a task has been."""
    return ApiCall("GET", _of(task, "history"), _read(m.History))


def model_detail(task: str) -> ApiCall[m.ModelDetail]:
    """What the model has learned."""
    return ApiCall("GET", _of(task, "model"), _read(m.ModelDetail))


def roll_back(task: str, to: int) -> ApiCall[m.RolledBack]:
    """The model as it was at a version."""
    return _post(_of(task, "rollbacks"), m.RollbackRequest(to), _read(m.RolledBack), repeatable=False)


def compact(task: str, keep_days: float) -> ApiCall[m.Compacted]:
    """Old items lose their content."""
    return _post(_of(task, "compact"), m.Compaction(keep_days), _read(m.Compacted))


def first_token(code: str) -> ApiCall[m.NewToken]:
    """The first token, for the code of the link that the first start prints."""
    return _post("/api/first", m.FirstTokenRequest(code), _read(m.NewToken), repeatable=False)


def tokens() -> ApiCall[list[m.KnownToken]]:
    """All tokens."""
    return ApiCall("GET", "/api/tokens", lambda content: _read(m.Tokens)(content).tokens)


def create_token(name: str, role: m.Role) -> ApiCall[m.NewToken]:
    """A new token."""
    return _post("/api/tokens", m.TokenRequest(name, role), _read(m.NewToken), repeatable=False)


def revoke_token(name: str) -> ApiCall[m.KnownToken]:
    """A token that is no longer good."""
    return ApiCall("DELETE", f"/api/tokens/{quote(name, safe='')}", _read(m.KnownToken))


# ---------------------------------------------------------------------- items


def decide(task: str, items: Sequence[m.Item]) -> list[ApiCall[list[m.ItemDecision]]]:
    """Decisions, a call a batch."""
    return [
        ApiCall("POST", _of(task, "items"), lambda content: _read(m.Decisions)(content).decisions, body)
        for body in batches_of([named(item) for item in items])
    ]


def predict(task: str, items: Sequence[m.Item]) -> list[ApiCall[list[m.Prediction]]]:
    """Predictions, a call a batch."""
    return [
        ApiCall("POST", _of(task, "predict"), lambda content: _read(m.Predictions)(content).predictions, body)
        for body in batches_of(items)
    ]


def import_items(task: str, items: Sequence[m.Item], labels: Sequence[str]) -> list[ApiCall[m.Imported]]:
    """Labelled items to learn from, a call a batch."""
    labelled = [named(item) for item in labelled_items(items, labels)]
    return [ApiCall("POST", _of(task, "import"), _read(m.Imported), body) for body in batches_of(labelled)]


def item_detail(task: str, item: ItemRef) -> ApiCall[m.ItemDetail]:
    """Everything about an item."""
    return ApiCall("GET", _of(task, "items", number_of(item)), _read(m.ItemDetail))


def search(task: str, state: m.ItemState, text: str, before: int | None, count: int) -> ApiCall[m.ItemsFound]:
    """Items by state and text."""
    request = {"state": state, "search": text, "count": count} | ({} if before is None else {"before": before})
    return ApiCall("GET", f"{_of(task, 'items')}?{urlencode(request)}", _read(m.ItemsFound))


def explain(task: str, item: m.Item) -> ApiCall[m.Explanation]:
    """What the model says of an item, and because of what."""
    return _post(_of(task, "explain"), m.ExplainRequest(item), _read(m.Explanation))


# ---------------------------------------------------------------------- questions and answers


def questions(
    task: str, count: int, seconds: float | None = None, items: Sequence[int] | None = None
) -> ApiCall[m.Questions]:
    """Questions for whoever holds the token."""
    request = m.LeaseRequest(
        count=count,
        seconds=msgspec.UNSET if seconds is None else seconds,
        items=msgspec.UNSET if items is None else list(items),
    )
    return _post(_of(task, "leases"), request, _read(m.Questions))


def return_question(task: str, item: ItemRef) -> ApiCall[m.Questions]:
    """A question for others."""
    return ApiCall("DELETE", _of(task, "leases", number_of(item)), _read(m.Questions))


def label_all(task: str, labels: Sequence[m.Label]) -> list[ApiCall[list[m.Receipt]]]:
    """Labels, a call a batch."""
    return [
        ApiCall("POST", _of(task, "labels"), lambda content: _read(m.Receipts)(content).labels, body)
        for body in batches_of([named_label(label) for label in labels], "labels")
    ]


def skip(task: str, item: ItemRef, key: str | None = None) -> ApiCall[m.Skipped]:
    """A question that this labeller leaves to others."""
    return _post(_of(task, "skips"), m.Skip(number_of(item), key or fresh_name()), _read(m.Skipped))


def undo(task: str, item: ItemRef | None = None, key: str | None = None) -> ApiCall[m.Amendment]:
    """This labeller's label of an item, or the last one, taken back."""
    number = msgspec.UNSET if item is None else number_of(item)
    return _post(_of(task, "undo"), m.Undo(number, key or fresh_name()), _read(m.Amendment))


def correct(task: str, correction: m.Correction) -> ApiCall[m.Amendment]:
    """The right label of an item."""
    return _post(_of(task, "corrections"), correction, _read(m.Amendment))


# ---------------------------------------------------------------------- what comes in many lines or as a file


def events(task: str) -> ApiCall[None]:
    """Figures whenever something changed."""
    return ApiCall("GET", _of(task, "events"), lambda _content: None)


def exported(task: str, what: str) -> ApiCall[dict[str, Any]]:
    """The labels or the decisions, a JSON object a line; `read` reads one. The last may be a service_error."""
    decode = msgspec.json.Decoder(dict[str, Any]).decode

    def read(line: bytes) -> dict[str, Any]:
        found = decode(line)
        if found.keys() == {"error"}:
            raise service_error(SUCCESS, line)
        return found

    return ApiCall("GET", _of(task, "export", what), read)


def model_file(task: str) -> ApiCall[bytes]:
    """The content of a model file, checked to be whole."""
    from askance._util.sealed_file import header_of

    def whole(content: bytes) -> bytes:
        header_of(content)
        return content

    return ApiCall("GET", _of(task, "export", "model"), whole)


# ---------------------------------------------------------------------- how


def _of(task: str, *parts: str | int) -> str:
    return "/".join(("/api/tasks", *(quote(str(part), safe="") for part in (task, *parts))))


def _read(kind: type[A]) -> Callable[[bytes], A]:
    return msgspec.json.Decoder(kind).decode


def _post(path: str, body: msgspec.Struct, read: Callable[[bytes], T], *, repeatable: bool = True) -> ApiCall[T]:
    return ApiCall("POST", path, read, msgspec.json.encode(body), repeatable)


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
