"""What a loaded learner knows of how its rows were read, so that it takes files and tables like those."""

import os
from collections.abc import Iterator, Mapping
from typing import Any

from askance._util.sealed_file import PLAN, RECIPE
from askance.data.stream import Chunk, Stream
from askance.errors import DataError

ATTRIBUTE = "_reading"  # of learners that have been loaded


def remember_reading(learner: Any, header: Mapping[str, Any]) -> None:
    """Let a learner know how the rows were read that it has learned from, if the header of its file says so."""
    if PLAN in header or RECIPE in header:
        setattr(learner, ATTRIBUTE, {key: header[key] for key in (PLAN, RECIPE, "dtype") if key in header})


def labelled_chunks(learner: Any, stream: Stream) -> Iterator[Chunk]:
    """The chunks of a stream to learn from. A learner without rows remembers how it was read, for its files."""
    known, is_blank = getattr(learner, ATTRIBUTE, None), not hasattr(learner, "n_features_in_")
    for number, chunk in enumerate(stream):
        if chunk.y is None:
            raise ValueError(f"{stream.name} has no labels: `run` and `iter_run` simulate, so they need them")
        if known is not None and not number:
            _check_same_plan(known, stream)
        if known is not None or is_blank:
            remember_reading(learner, _header_of(stream))
        yield chunk


def _header_of(stream: Stream) -> dict[str, Any]:
    """What the header of a model file says of a stream that is being read; nothing if its rows have no columns."""
    from askance.data.saved_plans import saved_plan  # imports the readers, which few programs need
    from askance.data.saved_recipes import ROWS, saved_recipe
    from askance.data.typed import TypedTable

    if isinstance(stream, TypedTable):
        return {PLAN: saved_plan(stream)}
    recipe = saved_recipe(stream)
    return {} if recipe["from"] == ROWS else {RECIPE: recipe}


def _check_same_plan(known: Mapping[str, Any], stream: Stream) -> None:
    """DataError if the stream makes other rows of its columns than those that were learned."""
    from askance.data.saved_plans import means_of

    header = _header_of(stream)
    if PLAN in known and PLAN in header and means_of(known[PLAN]).plan != means_of(header[PLAN]).plan:
        raise DataError(
            f"{stream.name}: its columns were read in another way than those that the learner has learned from: "
            "save the learner, and read the file with askance.data.read_for_model and label=None"
        )


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
