"""The calls of the API about tasks, described without input or output: what to send, and how to read the answer.

Items get an id and labels a key before they are first sent, so that they can be sent again when the answer was
lost. Calls without an id or a key that must not be done twice are not `repeatable`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from urllib.parse import quote, urlencode

import msgspec

from askance.service import messages as m
from askance.service.client.encoding import encode
from askance.service.client.errors import service_error
from askance.service.client.export_files import Exported
from askance.service.client.naming import (
    ItemRef,
    batches_of,
    fresh_name,
    named,
    named_label,
    number_of,
)
from askance.service.given_settings import Settings, as_settings
from askance.service.settings import State
from askance.service.validation import sentence_of

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


# ---------------------------------------------------------------------- tasks


def tasks() -> ApiCall[list[m.TaskSummary]]:
    """List tasks."""
    return ApiCall("GET", "/api/tasks", lambda content: read_as(m.Tasks)(content).tasks)


def create(settings: Settings) -> ApiCall[m.TaskDetail]:
    """Create a task."""
    return post("/api/tasks", as_settings(settings), read_as(m.TaskDetail), repeatable=False)


def task_detail(task: str) -> ApiCall[m.TaskDetail]:
    """Get the settings and figures of a task."""
    return ApiCall("GET", path_of(task), read_as(m.TaskDetail))


def figures(task: str) -> ApiCall[m.Figures]:
    """Get the figures of a task."""
    return ApiCall("GET", path_of(task, "figures"), read_as(m.Figures))


def change(task: str, parts: Mapping[str, Any]) -> ApiCall[m.TaskDetail]:
    """Change the settings of a task."""
    try:
        request = msgspec.convert(dict(parts), m.TaskChange)
    except msgspec.ValidationError as error:
        raise ValueError(f"the change is not valid: {sentence_of(error)}") from None
    return ApiCall("PATCH", path_of(task), read_as(m.TaskDetail), encode(request))


def set_columns(task: str, columns: Mapping[str, Any]) -> ApiCall[m.TaskDetail]:
    """Set the columns of records."""
    try:
        request = msgspec.convert({"columns": dict(columns)}, m.ColumnsRequest)
    except msgspec.ValidationError as error:
        raise ValueError(f"the columns are not valid: {sentence_of(error)}") from None
    return post(path_of(task, "columns"), request, read_as(m.TaskDetail))


def change_classes(task: str, add: Sequence[str], rename: Mapping[str, str]) -> ApiCall[m.TaskDetail]:
    """Add or rename classes."""
    if isinstance(add, str):
        raise ValueError(f"{add!r} is one string: give a list of classes")
    return post(path_of(task, "classes"), m.ClassChange(list(add), dict(rename)), read_as(m.TaskDetail))


def set_state(task: str, state: State) -> ApiCall[m.TaskDetail]:
    """Set the state of a task."""
    return post(path_of(task, "state"), m.StateRequest(state), read_as(m.TaskDetail))


def forecast(task: str) -> ApiCall[m.Forecast]:
    """Get what more labels would bring."""
    return ApiCall("GET", path_of(task, "forecast"), read_as(m.Forecast))


def history(task: str) -> ApiCall[m.History]:
    """Get the history of a task."""
    return ApiCall("GET", path_of(task, "history"), read_as(m.History))


def model_detail(task: str) -> ApiCall[m.ModelDetail]:
    """Get the details of the model."""
    return ApiCall("GET", path_of(task, "model"), read_as(m.ModelDetail))


def roll_back(task: str, to: int) -> ApiCall[m.RolledBack]:
    """Roll the model back to a version."""
    return post(path_of(task, "rollbacks"), m.RollbackRequest(to), read_as(m.RolledBack), repeatable=False)


def compact(task: str, keep_days: float) -> ApiCall[m.Compacted]:
    """Drop the content of old items."""
    return post(path_of(task, "compact"), m.Compaction(keep_days), read_as(m.Compacted))


# ---------------------------------------------------------------------- items


def decide(task: str, items: Sequence[m.Item]) -> list[ApiCall[list[m.ItemDecision]]]:
    """Decide about items, one call per batch."""
    return [
        ApiCall("POST", path_of(task, "items"), lambda content: read_as(m.Decisions)(content).decisions, body)
        for body in batches_of([named(item) for item in items])
    ]


def guess(task: str, guesses: Sequence[m.LateGuess]) -> list[ApiCall[list[m.GuessReceipt]]]:
    """Send guesses, one call per batch. The same guess again does nothing, so they need no key."""
    return [
        ApiCall("POST", path_of(task, "guesses"), lambda content: read_as(m.GuessReceipts)(content).guesses, body)
        for body in batches_of(guesses, "guesses")
    ]


def wanted_guesses(task: str, program: str) -> ApiCall[list[m.ItemDetail]]:
    """List the items about which a program is to guess now."""
    request = urlencode({"program": program})
    return ApiCall(
        "GET",
        f"{path_of(task, 'wanted-guesses')}?{request}",
        lambda content: read_as(m.WantedItems)(content).items,
    )


def predict(task: str, items: Sequence[m.Item]) -> list[ApiCall[list[m.Prediction]]]:
    """Predict items, one call per batch."""
    return [
        ApiCall(
            "POST", path_of(task, "predict"), lambda content: read_as(m.Predictions)(content).predictions, body
        )
        for body in batches_of(items)
    ]


def import_items(task: str, items: Sequence[m.LabelledItem]) -> list[ApiCall[m.Imported]]:
    """Import labelled items, one call per batch."""
    labelled = [named(item) for item in items]
    return [ApiCall("POST", path_of(task, "import"), read_as(m.Imported), body) for body in batches_of(labelled)]


def item_detail(task: str, item: ItemRef) -> ApiCall[m.ItemDetail]:
    """Get an item."""
    return ApiCall("GET", path_of(task, "items", number_of(item)), read_as(m.ItemDetail))


def search(task: str, request: Mapping[str, Any]) -> ApiCall[m.ItemsFound]:
    """List items by filter, in an order. What is None is left out."""
    given = {name: value for name, value in request.items() if value is not None}
    try:
        msgspec.convert(given, m.ItemSearch)
    except msgspec.ValidationError as error:
        raise ValueError(f"the search is not valid: {sentence_of(error)}") from None
    return ApiCall("GET", f"{path_of(task, 'items')}?{urlencode(given)}", read_as(m.ItemsFound))


def similar(task: str, item: ItemRef, count: int, open_only: bool) -> ApiCall[m.SimilarItems]:
    """List similar items."""
    request = urlencode({"count": count, "open": str(open_only).lower()})
    return ApiCall(
        "GET", f"{path_of(task, 'items', number_of(item), 'similar')}?{request}", read_as(m.SimilarItems)
    )


def explain(task: str, item: m.Item | int) -> ApiCall[m.Explanation]:
    """Explain the prediction for an item."""
    return post(path_of(task, "explain"), m.ExplainRequest(item), read_as(m.Explanation))


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
    return post(path_of(task, "leases"), request, read_as(m.Questions))


def return_question(task: str, item: ItemRef) -> ApiCall[m.Questions]:
    """Return a question."""
    return ApiCall("DELETE", path_of(task, "leases", number_of(item)), read_as(m.Questions))


def label_all(task: str, labels: Sequence[m.Label]) -> list[ApiCall[list[m.Receipt]]]:
    """Label items, one call per batch."""
    return [
        ApiCall("POST", path_of(task, "labels"), lambda content: read_as(m.Receipts)(content).labels, body)
        for body in batches_of([named_label(label) for label in labels], "labels")
    ]


def skip(task: str, item: ItemRef, key: str | None = None, reason: str | None = None) -> ApiCall[m.Skipped]:
    """Skip a question, with a reason if there is one."""
    why = reason or msgspec.UNSET
    return post(path_of(task, "skips"), m.Skip(number_of(item), key or fresh_name(), why), read_as(m.Skipped))


def undo(task: str, item: ItemRef | None = None, key: str | None = None) -> ApiCall[m.Amendment]:
    """Undo your label of an item, or the last one."""
    number = msgspec.UNSET if item is None else number_of(item)
    return post(path_of(task, "undo"), m.Undo(number, key or fresh_name()), read_as(m.Amendment))


def correct(task: str, correction: m.Correction) -> ApiCall[m.Amendment]:
    """Correct the label of an item."""
    return post(path_of(task, "corrections"), correction, read_as(m.Amendment))


def label_group(
    task: str, items: Sequence[ItemRef], label: str, key: str | None, correct: bool
) -> ApiCall[m.GroupLabelled]:
    """Label a group of items."""
    group = m.GroupLabel(label, [number_of(item) for item in items], key or fresh_name(), correct)
    return post(path_of(task, "group-labels"), group, read_as(m.GroupLabelled))


def undo_group(
    task: str, group: str | None, items: Sequence[ItemRef] | None, key: str | None
) -> ApiCall[m.GroupUndone]:
    """Undo a group of labels."""
    named_items = msgspec.UNSET if items is None else [number_of(item) for item in items]
    request = m.GroupUndo(key or fresh_name(), msgspec.UNSET if group is None else group, named_items)
    return post(path_of(task, "group-undo"), request, read_as(m.GroupUndone))


def delete(task: str, items: Sequence[ItemRef], key: str | None) -> ApiCall[m.ItemsDeleted]:
    """Delete items."""
    request = m.ItemDeletion([number_of(item) for item in items], key or fresh_name())
    return post(path_of(task, "deletions"), request, read_as(m.ItemsDeleted))


# ---------------------------------------------------------------------- streams and files


def events(task: str) -> ApiCall[None]:
    """Watch the figures."""
    return ApiCall("GET", path_of(task, "events"), lambda _content: None)


def exported(task: str, what: str) -> ApiCall[dict[str, Any]]:
    """Export labels or decisions as JSON lines; `read` reads one line. The last line may be an error."""
    decode = msgspec.json.Decoder(dict[str, Any]).decode

    def read(line: bytes) -> dict[str, Any]:
        found = decode(line)
        if found.keys() == {"error"}:
            raise service_error(SUCCESS, line)
        return found

    return ApiCall("GET", path_of(task, "export", what), read)


def export_file(task: str, what: Exported, form: m.ExportFormat) -> ApiCall[bytes]:
    """Export to a file of this format."""
    return ApiCall("GET", f"{path_of(task, 'export', what)}?{urlencode({'format': form})}", bytes)


def card(task: str) -> ApiCall[str]:
    """Export the data card of the labels."""
    return ApiCall("GET", path_of(task, "export", "card"), bytes.decode)


def model_file(task: str) -> ApiCall[bytes]:
    """Download the model as the content of a model file."""
    from askance._util.sealed_file import header_of

    def checked(content: bytes) -> bytes:
        header_of(content)
        return content

    return ApiCall("GET", path_of(task, "export", "model"), checked)


# ---------------------------------------------------------------------- webhooks


def webhooks(task: str) -> ApiCall[list[m.Webhook]]:
    """List webhooks."""
    return ApiCall("GET", path_of(task, "webhooks"), lambda content: read_as(m.Webhooks)(content).webhooks)


def changes(task: str, after: int, count: int, kind: m.EventType | None) -> ApiCall[m.Changes]:
    """List what happened after an entry."""
    request = {"after": after, "count": count} | ({} if kind is None else {"type": kind})
    return ApiCall("GET", f"{path_of(task, 'changes')}?{urlencode(request)}", read_as(m.Changes))


def add_webhook(task: str, request: m.WebhookRequest) -> ApiCall[m.NewWebhook]:
    """Add a webhook."""
    return post(path_of(task, "webhooks"), request, read_as(m.NewWebhook), repeatable=False)


def remove_webhook(task: str, number: int) -> ApiCall[m.Webhook]:
    """Remove a webhook."""
    return ApiCall("DELETE", path_of(task, "webhooks", number), read_as(m.Webhook))


def replay_webhook(task: str, number: int, after: int | None) -> ApiCall[m.Webhook]:
    """Send events again."""
    return post(path_of(task, "webhooks", number, "replay"), m.ReplayRequest(after), read_as(m.Webhook))


# ---------------------------------------------------------------------- helpers


def path_of(task: str, *parts: str | int) -> str:
    """The path of something that belongs to a task."""
    return "/".join(("/api/tasks", *(quote(str(part), safe="") for part in (task, *parts))))


def read_as(kind: type[A]) -> Callable[[bytes], A]:
    """How to read an answer of this kind."""
    return msgspec.json.Decoder(kind).decode


def post(path: str, body: msgspec.Struct, read: Callable[[bytes], T], *, repeatable: bool = True) -> ApiCall[T]:
    """A request with a body."""
    return ApiCall("POST", path, read, encode(body), repeatable)
