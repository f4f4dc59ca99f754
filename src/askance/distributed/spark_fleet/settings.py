"""What a fleet on Spark is made of. It is kept with the checkpoint: a restart must say the same."""

import dataclasses
import json
from typing import Any, NamedTuple, Self

from askance.data.hashing import check_bits
from askance.fleet.fleet import Fleet
from askance.fleet.settings import FleetSettings

# Of the settings that are kept; raise it when a kept setting changes its meaning.
VERSION = 1


class StreamSettings(NamedTuple):
    """The models of a fleet on Spark, whose classes are text, and how they are kept.

    `pairs` takes pairs of neighbouring words of a text too. `memory` is how many ids each key remembers, and with
    them the rows that wait for a label. `pages` is into how many pieces the state is cut: a micro-batch reads and
    writes the pages of its keys whole, so a page should hold some ten to some hundred keys.
    """

    fleet: FleetSettings
    pairs: bool = False
    memory: int = 1000
    pages: int = 1024

    def check(self) -> None:
        """Raise ValueError, in one sentence, for what cannot be used."""
        check_bits(self.fleet.bits)
        if not all(isinstance(name, str) for name in self.fleet.classes):
            raise ValueError(f"classes={self.fleet.classes}: on Spark, labels are text: give the classes as text")
        for name in ("memory", "pages"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be a whole number from 1 on, not {getattr(self, name)}")

    def new_fleet(self) -> Fleet:
        """A fleet without any models yet; Spark has the other cores at work already."""
        return Fleet.from_settings(self.fleet, n_jobs=1)

    def to_json(self) -> str:
        """One line, to be kept with the checkpoint."""
        kept = self._asdict() | {"fleet": self.fleet.as_dict(), "version": VERSION}
        return json.dumps(kept, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """What `to_json` wrote; ValueError if another version did."""
        try:
            kept = json.loads(text)
            version = kept.pop("version")
            if version == VERSION:
                return cls(**kept | {"fleet": FleetSettings.from_dict(kept["fleet"])})
        except (ValueError, TypeError, KeyError, AttributeError):
            raise ValueError("the settings kept with the checkpoint are damaged: use a backup") from None
        raise ValueError(
            f"the checkpoint has settings of version {version}, and this askance reads version {VERSION}: "
            "use the askance that wrote it, or a new checkpoint"
        )

    def check_same(self, kept: Self) -> None:
        """Raise ValueError that says what differs from the settings of a checkpoint."""
        now, then = self._flat(), kept._flat()
        changes = [f"{name} was {then[name]} and is now {now[name]}" for name in now if now[name] != then[name]]
        if changes:
            raise ValueError(
                f"the checkpoint was made with other settings: {'; '.join(changes)}: "
                "give the same again, or a new checkpoint"
            )

    def _flat(self) -> dict[str, Any]:
        return {**dataclasses.asdict(self.fleet), "pairs": self.pairs, "memory": self.memory, "pages": self.pages}
