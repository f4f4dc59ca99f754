"""Files of fleets: the settings, and every model under its key."""

import os
import pathlib
import secrets
import sqlite3
from typing import Any

from askance.fleet.fleet import Fleet
from askance.fleet.settings import FleetSettings
from askance.fleet.spill_file import Depot

FORMAT = 1


def save(fleet: Fleet, path: str | os.PathLike[str]) -> None:
    """Write a fleet to a file: all of it or nothing, also if the machine stops half-way."""
    target = pathlib.Path(path)
    if target.exists() and not target.is_file():
        raise ValueError(f"{target} is no file that could be replaced: give another name")
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(8)}")
    try:
        with Depot(temporary) as depot:
            depot.say({"format": FORMAT, "settings": fleet.settings.as_dict(), "rounds": fleet.rounds})
            depot.put(fleet.packed())
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def load(path: str | os.PathLike[str], **how: Any) -> Fleet:
    """The fleet in a file; ValueError if it is none, or damaged."""
    if not pathlib.Path(path).is_file():
        raise ValueError(f"{path} is no file")
    with Depot(path) as depot:
        try:
            about = depot.about()
            if about.get("format") != FORMAT:
                raise ValueError(f"it has format {about.get('format')}, and this askance reads format {FORMAT}")
            fleet = Fleet.of(FleetSettings.from_dict(about["settings"]), **how)
            fleet.rounds = about["rounds"]
            for models in depot.in_parts():
                fleet.unpack_all(models)
        except (ValueError, KeyError, TypeError, sqlite3.DatabaseError) as error:
            raise ValueError(f"{path} is no sound file of a fleet: {error}") from None
    return fleet
