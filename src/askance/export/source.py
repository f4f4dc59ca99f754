"""Models to export: learners, or files of them, and the names of their columns."""

import os
from typing import Any, NamedTuple

from askance._util.sealed_file import PLAN, RECIPE, header_of, read
from askance.auto.learner import AutoLearner
from askance.data.encoding import TablePlan
from askance.data.kinds import CATEGORY, DATE, GUESS, ColumnPlan
from askance.data.saved_plans import means_of
from askance.data.saved_recipes import TABLE, recipe_encoder
from askance.errors import ExportError, ModelFileError
from askance.learners.learner import Learner
from askance.persistence import load

DATE_PARTS = ("year", "month", "weekday", "hour")


class ModelSource(NamedTuple):
    """A learner, and the names of its first columns. Hashed columns come after them and have no names."""

    learner: Learner | AutoLearner
    names: list[str]

    def name_of(self, column: int) -> str:
        """The name of a column, or its number, from 0."""
        return self.names[column] if column < len(self.names) else f"column {column}"

    def automatic(self, what: str) -> AutoLearner:
        """The learner, if it remembers labelled rows; raises ExportError if it does not."""
        if not isinstance(self.learner, AutoLearner):
            raise ExportError(
                f"{what}, and only AutoLearner remembers them: write the labels that are asked for with "
                "askance run --labels-out"
            )
        if not self.learner.__sklearn_is_fitted__():
            raise ExportError("this learner has no labels yet: there is nothing to export")
        if len(self.learner.classes_) < 2:
            only = self.learner.classes_.tolist()[0]
            raise ExportError(f"this learner knows only one class, {only!r}: there is nothing to export")
        return self.learner


def model_source(model: Any) -> ModelSource:
    """A learner, or the learner in a model file; raises ExportError for anything else."""
    names: list[str] = []
    if isinstance(model, str | os.PathLike):
        learner = load(model)
        if isinstance(learner, Learner | AutoLearner):
            names = _saved_names(model)
    else:
        learner = model
    if not isinstance(learner, Learner | AutoLearner):
        raise ExportError(f"a {type(learner).__name__} cannot be exported: only Learner and AutoLearner can")
    names = names or [str(name) for name in getattr(learner, "feature_names_in_", ())]
    return ModelSource(learner, _different(names))


def _saved_names(path: Any) -> list[str]:
    """The names of columns that a model file holds; none if they are hashed or have numbers only."""
    header = header_of(read(path))
    try:
        if PLAN in header:
            return column_names(means_of(header[PLAN]).plan)
        saved = header.get(RECIPE, {})
        if isinstance(saved, dict) and saved.get("from") == TABLE:
            encoder = recipe_encoder(saved)
            are_numbers = encoder.numeric.issuperset(encoder.needed) and encoder.fields.text is None
            return encoder.needed if are_numbers else []
    except ModelFileError as error:
        raise ModelFileError(f"{path} {error}") from None
    return []


def column_names(plan: TablePlan) -> list[str]:
    """The names of the dense columns that a table becomes."""
    return [name for column in plan.dense for name in _names_of(column)]


def _names_of(column: ColumnPlan) -> list[str]:
    if column.kind == CATEGORY:
        return [f"{column.name}={level}" for level in (*column.levels, "(other)")]
    if column.kind == GUESS:
        return column.feature_names
    names = [column.name]
    if column.kind == DATE:
        names = [f"{column.name} {part}" for part in DATE_PARTS[: len(column.starts)]]
    return [*names, f"{column.name} is missing"] if column.indicator else names


def _different(names: list[str]) -> list[str]:
    """The same names, with their numbers if two of them are equal."""
    if len(set(names)) == len(names):
        return names
    return [f"{name} (column {number})" for number, name in enumerate(names)]
