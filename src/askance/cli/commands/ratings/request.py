"""What `askance ratings` was asked to do, checked before the slow imports of the work."""

from pathlib import Path
from typing import Any, NamedTuple

from askance.cli.targets import check_apart

AUTO = "auto"
THRESHOLDS = ("global", "user")


class Columns(NamedTuple):
    """How to read a file of ratings."""

    users: str | None
    items: str | None
    ratings: str | None
    delimiter: str | None


class FitRequest(NamedTuple):
    """The arguments and options of `askance ratings fit`."""

    file: Path
    columns: Columns
    out: Path
    test: float | None
    seed: int
    checkpoint: Path | None
    parameters: dict[str, Any]

    def check(self) -> None:
        """Raise ValueError for problems that show before the file is opened."""
        if self.test is not None and not 0 < self.test < 1:
            raise ValueError(f"--test {self.test:g}: give a share between 0 and 1, such as 0.2")
        check_apart({"--out": self.out, "--checkpoint": self.checkpoint})
        if self.checkpoint is not None and not self.checkpoint.parent.is_dir():
            raise ValueError(f"--checkpoint {self.checkpoint}: the directory does not exist: choose another one")
        if not 0 < self.parameters["regularization"] < 1:
            raise ValueError(
                f"--regularization {self.parameters['regularization']:g}: give a number between 0 and 1"
            )
        if self.parameters["thresholds"] not in THRESHOLDS:
            raise ValueError(f"--thresholds {self.parameters['thresholds']}: give {' or '.join(THRESHOLDS)}")
        if not self.parameters["n_jobs"]:
            raise ValueError("--n-jobs 0: give the number of threads, or -1 for one per processor")


def parse_rank(text: str) -> int | str:
    """The value of --rank: `auto` or a number."""
    if text == AUTO:
        return AUTO
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text) > 0):
        raise ValueError(f"--rank {text}: give {AUTO} or a whole number, 1 or more")
    return int(text)


def parse_levels(text: str | None) -> list[float] | None:
    """The value of --levels: numbers separated by commas."""
    if text is None:
        return None
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise ValueError(f"--levels {text}: give numbers separated by commas, such as 1,2,3,4,5") from None
