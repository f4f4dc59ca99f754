"""The arguments and options of `askance push`."""

from typing import NamedTuple

from askance.service.files.choices import ColumnChoices


class PushRequest(NamedTuple):
    """The arguments and options of `askance push`."""

    file: str
    task: str
    url: str | None
    token: str | None
    labelled: bool
    batch: int
    limit: int | None
    text: str | None
    label: str | None
    id: str | None
    drop: tuple[str, ...] = ()
    vector: str | None = None
    format: str | None = None
    kinds: tuple[tuple[str, str], ...] = ()
    source: str | None = None
    gold: bool = False  # labelled rows are gold items

    @property
    def choices(self) -> ColumnChoices:
        """What it says of the columns."""
        return ColumnChoices(self.labelled, self.text, self.label, self.id, self.drop, self.vector, self.kinds)
