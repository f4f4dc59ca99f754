"""All calls of the API, described without input or output: what to send, and how to read the answer.

Items get an id and labels a key before they are first sent, so that they can be sent again when the answer was
lost. Calls without an id or a key that must not be done twice are not `repeatable`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
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
from askance.service.settings import Settings, State, as_settings

T = TypeVar("T")
SUCCESS = 200
A = TypeVar("A", bound=m.Answer)


@dataclass(frozen=True)
class ApiCall(Generic[T]):
    """A request, how to read its answer, and whether it may be sent again when the answer was lost."""

    method: str
    path: str
    read: Callable[[bytes], T]
    body: bytes | None = None
    repeatable: bool = True


# ---------------------------------------------------------------------- tasks and tokens


def tasks() -> ApiCall[list[m.TaskSummary]]:
    """List tasks."""
    return ApiCall("GET", "/api/tasks", lambda content: _read(m.Tasks)(content).tasks)


def create(settings: Settings) -> ApiCall[m.TaskDetail]:
    """Create a task."""
    return _post("/api/tasks", as_settings(settings), _read(m.TaskDetail), repeatable=False)


def task_detail(task: str) -> ApiCall[m.TaskDetail]:
    """Get the settings and figures of a task."""
    return ApiCall("GET", _of(task), _read(m.TaskDetail))


def figures(task: str) -> ApiCall[m.Figures]:
    """Get the figures of a task."""
    return ApiCall("GET", _of(task, "figures"), _read(m.Figures))


def change(task: str, parts: Mapping[str, Any]) -> ApiCall[m.TaskDetail]:
    """Change the settings of a task."""
    try:
        request = msgspec.convert(dict(parts), m.TaskChange)
    except msgspec.ValidationError as error:
        raise ValueError(f"the change is not valid: {error}") from None
    return ApiCall("PATCH", _of(task), _read(m.TaskDetail), msgspec.json.encode(request))


def set_state(task: str, state: State) -> ApiCall[m.TaskDetail]:
    """Set the state of a task."""
    return _post(_of(task, "state"), m.StateRequest(state), _read(m.TaskDetail))


def history(task: str) -> ApiCall[m.History]:
    """Get the history of a task."""
    return ApiCall("GET", _of(task, "history"), _read(m.History))


def model_detail(task: str) -> ApiCall[m.ModelDetail]:
    """Get the details of the model."""
    return ApiCall("GET", _of(task, "model"), _read(m.ModelDetail))


def roll_back(task: str, to: int) -> ApiCall[m.RolledBack]:
    """Roll the model back to a version."""
    return _post(_of(task, "rollbacks"), m.RollbackRequest(to), _read(m.RolledBack), repeatable=False)


def compact(task: str, keep_days: float) -> ApiCall[m.Compacted]:
    """Drop the content of old items."""
    return _post(_of(task, "compact"), m.Compaction(keep_days), _read(m.Compacted))


def first_token(code: str) -> ApiCall[m.NewToken]:
    """Create the first admin token."""
    return _post("/api/first", m.FirstTokenRequest(code), _read(m.NewToken), repeatable=False)


def tokens() -> ApiCall[list[m.KnownToken]]:
    """List tokens."""
    return ApiCall("GET", "/api/tokens", lambda content: _read(m.Tokens)(content).tokens)


def create_token(name: str, role: m.Role) -> ApiCall[m.NewToken]:
    """Create a token."""
    return _post("/api/tokens", m.TokenRequest(name, role), _read(m.NewToken), repeatable=False)


def revoke_token(name: str) -> ApiCall[m.KnownToken]:
    """Revoke a token."""
    return ApiCall("DELETE", f"/api/tokens/{quote(name, safe='')}", _read(m.KnownToken))


# ---------------------------------------------------------------------- items


def decide(task: str, items: Sequence[m.Item]) -> list[ApiCall[list[m.ItemDecision]]]:
    """Decide about items, one call per batch."""
    return [
        ApiCall("POST", _of(task, "items"), lambda content: _read(m.Decisions)(content).decisions, body)
        for body in batches_of([named(item) for item in items])
    ]


def predict(task: str, items: Sequence[m.Item]) -> list[ApiCall[list[m.Prediction]]]:
    """Predict items, one call per batch."""
    return [
        ApiCall("POST", _of(task, "predict"), lambda content: _read(m.Predictions)(content).predictions, body)
        for body in batches_of(items)
    ]


def import_items(task: str, items: Sequence[m.Item], labels: Sequence[str]) -> list[ApiCall[m.Imported]]:
    """Import labelled items, one call per batch."""
    labelled = [named(item) for item in labelled_items(items, labels)]
    return [ApiCall("POST", _of(task, "import"), _read(m.Imported), body) for body in batches_of(labelled)]


def item_detail(task: str, item: ItemRef) -> ApiCall[m.ItemDetail]:
    """Get an item."""
    return ApiCall("GET", _of(task, "items", number_of(item)), _read(m.ItemDetail))


def search(task: str, state: m.ItemState, text: str, before: int | None, count: int) -> ApiCall[m.ItemsFound]:
    """List items by state and text."""
    request = {"state": state, "search": text, "count": count} | ({} if before is None else {"before": before})
    return ApiCall("GET", f"{_of(task, 'items')}?{urlencode(request)}", _read(m.ItemsFound))


def explain(task: str, item: m.Item) -> ApiCall[m.Explanation]:
    """Explain the prediction for an item."""
    return _post(_of(task, "explain"), m.ExplainRequest(item), _read(m.Explanation))


# ---------------------------------------------------------------------- questions and answers


def questions(
    task: str, count: int, seconds: float | None = None, items: Sequence[int] | None = None
) -> ApiCall[m.Questions]:
    """Lease questions."""
    request = m.LeaseRequest(
        count=count,
        seconds=msgspec.UNSET if seconds is None else seconds,
        items=msgspec.UNSET if items is None else list(items),
    )
    return _post(_of(task, "leases"), request, _read(m.Questions))


def return_question(task: str, item: ItemRef) -> ApiCall[m.Questions]:
    """Return a question."""
    return ApiCall("DELETE", _of(task, "leases", number_of(item)), _read(m.Questions))


def label_all(task: str, labels: Sequence[m.Label]) -> list[ApiCall[list[m.Receipt]]]:
    """Label items, one call per batch."""
    return [
        ApiCall("POST", _of(task, "labels"), lambda content: _read(m.Receipts)(content).labels, body)
        for body in batches_of([named_label(label) for label in labels], "labels")
    ]


def skip(task: str, item: ItemRef, key: str | None = None) -> ApiCall[m.Skipped]:
    """Skip a question."""
    return _post(_of(task, "skips"), m.Skip(number_of(item), key or fresh_name()), _read(m.Skipped))


def undo(task: str, item: ItemRef | None = None, key: str | None = None) -> ApiCall[m.Amendment]:
    """Undo your label of an item, or the last one."""
    number = msgspec.UNSET if item is None else number_of(item)
    return _post(_of(task, "undo"), m.Undo(number, key or fresh_name()), _read(m.Amendment))


def correct(task: str, correction: m.Correction) -> ApiCall[m.Amendment]:
    """Correct the label of an item."""
    return _post(_of(task, "corrections"), correction, _read(m.Amendment))


# ---------------------------------------------------------------------- streams and files


def events(task: str) -> ApiCall[None]:
    """Watch the figures."""
    return ApiCall("GET", _of(task, "events"), lambda _content: None)


def exported(task: str, what: str) -> ApiCall[dict[str, Any]]:
    """Export labels or decisions as JSON lines; `read` reads one line. The last line may be an error."""
    decode = msgspec.json.Decoder(dict[str, Any]).decode

    def read(line: bytes) -> dict[str, Any]:
        found = decode(line)
        if found.keys() == {"error"}:
            raise service_error(SUCCESS, line)
        return found

    return ApiCall("GET", _of(task, "export", what), read)


def model_file(task: str) -> ApiCall[bytes]:
    """Download the model as the content of a model file."""
    from askance._util.sealed_file import header_of

    def checked(content: bytes) -> bytes:
        header_of(content)
        return content

    return ApiCall("GET", _of(task, "export", "model"), checked)


# ---------------------------------------------------------------------- helpers


def _of(task: str, *parts: str | int) -> str:
    return "/".join(("/api/tasks", *(quote(str(part), safe="") for part in (task, *parts))))


def _read(kind: type[A]) -> Callable[[bytes], A]:
    return msgspec.json.Decoder(kind).decode


def _post(path: str, body: msgspec.Struct, read: Callable[[bytes], T], *, repeatable: bool = True) -> ApiCall[T]:
    return ApiCall("POST", path, read, msgspec.json.encode(body), repeatable)
