"""What every table of a paper can do, so that reports and commands need not know which kind it is."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol


class PaperTable(Protocol):
    """A table or figure of a paper that can be computed again.

    `data` has, by the label of a data set, its registered name and how it is prepared. The results that `run`
    returns are passed to the other methods; only the table knows what they are.
    """

    @property
    def paper(self) -> str:
        """The short name of the paper."""

    @property
    def name(self) -> str:
        """The name of the table within the paper."""

    @property
    def title(self) -> str:
        """The title of the table."""

    @property
    def data(self) -> Mapping[str, tuple[str, Any]]:
        """The data sets, by label: name and preparation."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know about the table."""

    @property
    def only_if_named(self) -> bool:
        """Whether the table is computed only if it is named, because it takes long."""

    @property
    def picture(self) -> str | None:
        """The name of the figure in the report, or None."""

    def load(self, name: str, preparation: Any, random_state: int) -> Any:
        """Load a data set; DataError, which says how to get it, if it is not on this machine."""

    def run(self, sets: Mapping[str, Any], *, quick: int, random_state: int, **execution: Any) -> Any:
        """Compute the table on these data sets. If `quick` is not 0, use that many splits or permutations."""

    def body(self, results: Any) -> list[str]:
        """Return the lines of a report in Markdown."""

    def to_dict(self, results: Any) -> dict[str, Any]:
        """Return figures and orderings, for programs."""

    def write(self, results: Any, directory: Path) -> None:
        """Write results and figures to a directory."""
