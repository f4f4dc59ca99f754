"""What `askance predict` was asked to do."""

from pathlib import Path
from typing import NamedTuple

from askance.cli.predicting import name_of


class PredictRequest(NamedTuple):
    """The arguments and options of `askance predict`."""

    model: Path
    file: Path
    out: Path | None
    keep: list[str]
    format: str | None
    delimiter: str | None

    @property
    def name(self) -> str:
        """The file in reports."""
        return name_of(self.file)
