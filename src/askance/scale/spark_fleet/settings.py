"""What a fleet on Spark is made of. It is kept with the checkpoint: a restart must say the same."""

import json
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from askance.data.hashing import check_bits

if TYPE_CHECKING:
    from askance.scale.fleet import Fleet

# Of the settings that are kept; raise it when a kept setting changes its meaning.
VERSION = 1


class FleetSettings(NamedTuple):
    """The models of a fleet, and how they are kept.

    `memory` is how many ids each key remembers, and with them the rows that wait for a label. `pages` is into how
    many pieces the state is cut: a micro-batch reads and writes the pages of its keys whole, so a page should hold
    some ten to some hundred keys.
    """

    algorithm: str
    classes: tuple[str, ...]
    parameters: dict[str, Any] = {}  # noqa: RUF012 - never changed
    seed: int = 0
    dtype: str = "float32"
    bits: int = 18
    pairs: bool = False
    memory: int = 1000
    pages: int = 1024

    def check(self) -> None:
        """Raise ValueError, in one sentence, for what cannot be used."""
        check_bits(self.bits)
        if len(set(self.classes)) != len(self.classes) or len(self.classes) < 2:
            raise ValueError(f"classes={','.join(self.classes)}: give two different classes or more, as in a,b")
        for name in ("memory", "pages"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be a whole number from 1 on, not {getattr(self, name)}")
        self.new_fleet()

    def new_fleet(self) -> "Fleet":
        """A fleet without any models yet."""
        from askance.scale.fleet import Fleet

        return Fleet(
            self.algorithm,
            self.parameters,
            classes=list(self.classes),
            seed=self.seed,
            dtype=self.dtype,
            bits=self.bits,
        )

    def to_json(self) -> str:
        """One line, to be kept with the checkpoint."""
        return json.dumps({"version": VERSION, **self._asdict()}, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """What `to_json` wrote; ValueError if another version did."""
        try:
            kept = json.loads(text)
            version = kept.pop("version")
            if version == VERSION:
                return cls(**kept | {"classes": tuple(kept["classes"])})
        except (ValueError, TypeError, KeyError, AttributeError):
            raise ValueError("the settings kept with the checkpoint are damaged: use a backup") from None
        raise ValueError(
            f"the checkpoint has settings of version {version}, and this askance reads version {VERSION}: "
            "use the askance that wrote it, or a new checkpoint"
        )

    def check_same(self, kept: Self) -> None:
        """Raise ValueError that says what differs from the settings of a checkpoint."""
        now, then = self._asdict(), kept._asdict()
        changes = [f"{name} was {then[name]} and is now {now[name]}" for name in now if now[name] != then[name]]
        if changes:
            raise ValueError(
                f"the checkpoint was made with other settings: {'; '.join(changes)}: "
                "give the same again, or a new checkpoint"
            )
