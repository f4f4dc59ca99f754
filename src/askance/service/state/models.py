"""The model of a task: by the catalog, or automatic. Both ask, learn, predict, and become bytes."""

from collections.abc import Sequence
from typing import Any

import msgspec

from askance.jit.interop import COMPILING
from askance.learners import codec
from askance.learners.core import LearnerCore
from askance.service.set_text import joined
from askance.service.settings import Budget, Hashing, TaskSettings
from askance.service.state import journal
from askance.service.state.auto_model import AutoModel
from askance.service.state.item_model import ItemModel
from askance.service.state.multilabel_model import MultiLabelModel
from askance.service.state.rows import hash_contents, rows_of
from askance.service.state.vectors import packed

Model = LearnerCore | ItemModel


def encode(model: Model) -> bytes:
    """The content of a file for `askance.load`."""
    return model.encode() if isinstance(model, ItemModel) else codec.encode(model)


def encode_for_users(model: Model, settings: TaskSettings) -> bytes:
    """Like `encode`, with the current names of classes if the learner is the automatic one."""
    if isinstance(model, ItemModel) and settings.former:
        return model.encode(settings.name_of)
    return encode(model)


def decode(content: bytes, settings: TaskSettings) -> Model:
    """The model that `encode` wrote for a task with these settings."""
    if not settings.is_auto:
        return codec.decode(content)
    budget, kind = settings.budget, MultiLabelModel if settings.multilabel else AutoModel
    return kind.decode(content, settings.layout()).keep_to(budget.rate, budget.burst)


def many_rows(settings: TaskSettings, contents: Sequence[Any]) -> Any:
    """Contents as `predict` and `decision_function` of the task's model take them.

    RequestError names the first one that is not valid.
    """
    return rows_of(settings, contents) if settings.is_auto else hash_contents(settings, contents)


def use_budget(model: Model, before: Budget, settings: TaskSettings) -> None:
    """Ask within the budget of these settings from now on."""
    if isinstance(model, ItemModel):
        model.keep_to(settings.budget.rate, settings.budget.burst)
    elif settings.budget.rate != before.rate:
        model.set_query_rule(settings.query())


def warm_up(settings: TaskSettings) -> None:
    """Compile or load the code of the learner before the first item comes."""
    if not COMPILING:
        return
    if settings.is_auto:  # its code is the same for any number of features
        settings = msgspec.structs.replace(settings, hashing=Hashing(bits=1))
    model = settings.learner()
    examples: dict[str, Any] = {
        "text": "word",
        "record": {} if settings.columns else {"number": 1.0, "name": "value"},
        "vector": packed([1.0] * (settings.vector_length or 0)),
    }
    content = journal.Content(**{part: examples[part] for part in settings.parts})
    row = rows_of(settings, [content])[0]
    labels = [joined([label]) if settings.multilabel else label for label in settings.ids[:2]]
    for place, label in enumerate(labels):
        model.ask(row)
        model.tell(row, label)
        if isinstance(model, ItemModel):
            model.note_item(place)
    if isinstance(model, ItemModel):
        model.relabel(0, labels[1])
    model.ask(row)  # scales have changed, and "auto" goes over what it has learned
    model.predict(many_rows(settings, [content]))
    if isinstance(model, AutoModel):
        model.scores_without(row, {})
