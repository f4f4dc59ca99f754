"""The settings of a fleet on Spark. They are stored with the checkpoint, and a restart must use the same."""

import dataclasses
import json
from typing import Any, NamedTuple, Self

from askance.data.hashing import check_bits
from askance.fleet.fleet import Fleet
from askance.fleet.settings import FleetSettings

# Of the stored settings; raise it when a setting changes its meaning.
VERSION = 1


class StreamSettings(NamedTuple):
    """The models of a fleet on Spark, whose classes are text, and how they are stored.

    Attributes
    ----------
    fleet : FleetSettings
        The algorithm, classes and width of rows.
    pairs : bool
        Whether pairs of neighbouring words of a text are features too.
    memory : int
        How many ids each key remembers, and with them the rows that wait for a label.
    pages : int
        The number of pages of the state. A micro-batch reads and writes whole pages, so a page should hold ten to
        a few hundred keys.
    """

    fleet: FleetSettings
    pairs: bool = False
    memory: int = 1000
    pages: int = 1024

    def check(self) -> None:
        """Raise ValueError for settings that cannot be used."""
        check_bits(self.fleet.bits)
        if not all(isinstance(name, str) for name in self.fleet.classes):
            raise ValueError(f"classes={self.fleet.classes} must be text, because labels on Spark are text")
        for name in ("memory", "pages"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be a positive integer, not {getattr(self, name)}")

    def new_fleet(self) -> Fleet:
        """Create a fleet without models; with one thread, because Spark uses the other cores."""
        return Fleet.from_settings(self.fleet, n_jobs=1)

    def to_json(self) -> str:
        """Return one line of JSON, to be stored with the checkpoint."""
        stored = self._asdict() | {"fleet": self.fleet.as_dict(), "version": VERSION}
        return json.dumps(stored, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Create settings from what `to_json` wrote; ValueError if its version is another one."""
        try:
            stored = json.loads(text)
            version = stored.pop("version")
            if version == VERSION:
                return cls(**stored | {"fleet": FleetSettings.from_dict(stored["fleet"])})
        except (ValueError, TypeError, KeyError, AttributeError):
            raise ValueError("the settings in the checkpoint are damaged: restore a backup") from None
        raise ValueError(
            f"the checkpoint has settings of version {version}, but this askance reads version {VERSION}: "
            "use the version that wrote it, or a new checkpoint"
        )

    def check_same(self, stored: Self) -> None:
        """Raise ValueError if the settings of a checkpoint differ, and say how."""
        now, then = self._flat(), stored._flat()
        changes = [f"{name} was {then[name]} and is now {now[name]}" for name in now if now[name] != then[name]]
        if changes:
            raise ValueError(
                f"the checkpoint has other settings: {'; '.join(changes)}: "
                "use the same settings, or a new checkpoint"
            )

    def _flat(self) -> dict[str, Any]:
        return {**dataclasses.asdict(self.fleet), "pairs": self.pairs, "memory": self.memory, "pages": self.pages}
