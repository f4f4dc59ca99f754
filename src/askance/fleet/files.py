"""Read the files that `Fleet.save` writes."""

import os
import pathlib
import sqlite3
from typing import Any

from askance._util.sealed_file import PLAN
from askance.data.known_reading import remember_reading
from askance.errors import ModelFileError
from askance.fleet.fleet import FORMAT, Fleet
from askance.fleet.settings import FleetSettings
from askance.fleet.spill_file import APPLICATION_ID, MAGIC, SpillFile

HEAD_BYTES = 72  # of a file, for `is_fleet_file`


def is_fleet_file(head: bytes) -> bool:
    """Return whether a file that starts with `head`, its first 72 bytes, was written by `Fleet.save`."""
    return head.startswith(MAGIC) and int.from_bytes(head[68:72], "big") == APPLICATION_ID


def load(path: str | os.PathLike[str], **options: Any) -> Fleet:
    """Load the fleet in a file.

    Parameters
    ----------
    path : str or path-like
        A file that `Fleet.save` wrote.
    **options
        `resident`, `spill` and `n_jobs`, as for a new `Fleet`.

    Returns
    -------
    Fleet
        A fleet that continues exactly where the saved one stopped.

    Raises
    ------
    ModelFileError
        If the file cannot be read, is not a fleet file, or is damaged.
    """
    if not is_fleet_file(_head(path)):
        raise ModelFileError(f"{path} is not a fleet file: load a file that Fleet.save wrote")
    with SpillFile(path) as file:
        try:
            metadata = file.metadata()
            if metadata.get("format") != FORMAT:
                raise ModelFileError(
                    f"it has format {metadata.get('format')}, but this version of askance reads format {FORMAT}"
                )
            fleet = Fleet.from_settings(FleetSettings.from_dict(metadata["settings"]), **options)
            fleet.rounds = metadata["rounds"]
            _remember_reading(fleet, metadata)
            for models in file.batches():
                fleet.unpack_all(models)
        except (ValueError, KeyError, TypeError, sqlite3.DatabaseError) as error:
            raise ModelFileError(f"{path} is damaged or not a fleet file: {error}") from None
    return fleet


def _remember_reading(fleet: Fleet, metadata: dict[str, Any]) -> None:
    if PLAN in metadata:
        from askance.data.saved_plans import means_of  # imports the readers, which few programs need

        means_of(metadata[PLAN])  # raises now what is damaged, not at the next table
        remember_reading(fleet, metadata)


def _head(path: str | os.PathLike[str]) -> bytes:
    try:
        with pathlib.Path(path).open("rb") as file:
            return file.read(HEAD_BYTES)
    except OSError as error:
        raise ModelFileError(f"{path} cannot be read: {error.strerror or error}") from None
