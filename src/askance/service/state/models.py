"""The model of a task: by the catalog, or automatic. Both ask, learn, predict, and become bytes."""

from askance.learners import codec
from askance.learners.core import LearnerCore
from askance.service.settings import Budget, TaskSettings
from askance.service.state.auto_model import AutoModel

Model = LearnerCore | AutoModel


def encode(model: Model) -> bytes:
    """The content of a file for `askance.load`."""
    return model.encode() if isinstance(model, AutoModel) else codec.encode(model)


def decode(content: bytes, settings: TaskSettings) -> Model:
    """The model that `encode` wrote for a task with these settings."""
    if not settings.is_auto:
        return codec.decode(content)
    return AutoModel.decode(content, settings.width).keep_to(settings.budget.rate, settings.budget.burst)


def use_budget(model: Model, before: Budget, settings: TaskSettings) -> None:
    """Ask within the budget of these settings from now on."""
    if isinstance(model, AutoModel):
        model.keep_to(settings.budget.rate, settings.budget.burst)
    elif settings.budget.rate != before.rate:
        model.set_query_rule(settings.query())
