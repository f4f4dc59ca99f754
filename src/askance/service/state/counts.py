"""What a fold counts."""

from typing import NamedTuple, Self


class Counts(NamedTuple):
    """Numbers of items labelled, imported and given up, of pairs and equal pairs of votes on an item, and more.

    Items that were deleted are in `deleted`, and no longer among those labelled, imported and given up.
    """

    labelled: int = 0
    imported: int = 0
    given_up: int = 0
    pairs: int = 0
    equal_pairs: int = 0
    questions: int = 0
    votes: int = 0
    deleted: int = 0

    @property
    def known(self) -> int:
        """The number of items whose label is known."""
        return self.labelled + self.imported

    def plus(self, **more: int) -> Self:
        """Return counts that are larger by these numbers."""
        return self._replace(**{name: getattr(self, name) + by for name, by in more.items()})
