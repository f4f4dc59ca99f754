"""The settings of a task as people give them: an object, a mapping, or a TOML file."""

import os
import pathlib
from collections.abc import Mapping
from typing import Any

import msgspec

from askance.service.settings import TaskSettings
from askance.service.validation import sentence_of

Settings = TaskSettings | Mapping[str, Any] | str | os.PathLike[str]


def from_toml(path: pathlib.Path) -> TaskSettings:
    """Read the settings in a TOML file; ValueError with the file's name if they are not valid."""
    try:
        settings = msgspec.toml.decode(path.read_bytes(), type=TaskSettings)
        settings.learner()
    except msgspec.ValidationError as error:
        raise ValueError(f"{path}: {sentence_of(error)}") from None
    except (msgspec.DecodeError, ValueError, TypeError, MemoryError) as error:
        raise ValueError(f"{path}: {error}") from None
    return settings


def as_settings(given: Settings) -> TaskSettings:
    """Make settings from `TaskSettings`, a mapping, or the path of a TOML file."""
    if isinstance(given, TaskSettings):
        return given
    if isinstance(given, Mapping):
        try:
            return msgspec.convert(given, TaskSettings)
        except msgspec.ValidationError as error:
            raise ValueError(f"the settings are not valid: {sentence_of(error)}") from None
    try:
        return from_toml(pathlib.Path(given))
    except OSError as error:
        raise ValueError(f"{given}: cannot be read ({error.strerror}): check the path") from None
