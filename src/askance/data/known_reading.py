"""What a loaded learner knows of how its rows were read, so that it takes files and tables like those."""

import os
from collections.abc import Mapping
from typing import Any

from askance._util.sealed_file import PLAN, RECIPE
from askance.errors import DataError

ATTRIBUTE = "_reading"  # of learners that have been loaded


def remember_reading(learner: Any, header: Mapping[str, Any]) -> None:
    """Let a learner know how the rows were read that it has learned from, if the header of its file says so."""
    if PLAN in header or RECIPE in header:
        setattr(learner, ATTRIBUTE, {key: header[key] for key in (PLAN, RECIPE, "dtype") if key in header})


def reading_of(learner: Any) -> dict[str, Any]:
    """What belongs into the header of the learner's next file."""
    known: dict[str, Any] = getattr(learner, ATTRIBUTE, {})
    return {key: known[key] for key in (PLAN, RECIPE) if key in known}


def source_rows(learner: Any, X: Any) -> Any:
    """A stream of rows, if `X` is a file or table and the learner knows how to read it; otherwise `X` itself."""
    known, is_file = getattr(learner, ATTRIBUTE, None), isinstance(X, str | os.PathLike)
    if known is None:
        if is_file:
            raise DataError(
                f"{X}: this learner does not know how its rows were read: load it from a file that askance run "
                "--save wrote, or pass rows of features"
            )
        return X
    from askance.data.memory_tables import is_in_memory  # imports the readers, which few programs need
    from askance.data.model_rows import rows_as_known

    return rows_as_known(known, X) if is_file or is_in_memory(X) else X
