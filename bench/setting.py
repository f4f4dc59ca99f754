"""What a run of the benchmark works with: data, the directory for files, how long to measure."""

import functools
from pathlib import Path

from bench.datasets import QUICK_SHAPES, SHAPES, Dataset, make_dataset
from bench.ours import choose_delta

DIRECTORY = Path(__file__).with_name(".data")
ROOT = Path(__file__).parents[1]


class Setting:
    """A whole run, or a quick one to see that everything works."""

    def __init__(self, directory: Path, *, quick: bool) -> None:
        self.quick = quick
        self.directory = directory
        directory.mkdir(exist_ok=True)

    def seconds(self, wanted: float) -> float:
        """How long to measure."""
        return 0.1 if self.quick else wanted

    @functools.cache  # noqa: B019 - there is one setting a run
    def dataset(self, name: str) -> Dataset:
        return make_dataset(name, (QUICK_SHAPES if self.quick else SHAPES)[name])

    @functools.cache  # noqa: B019
    def delta(self, name: str) -> float:
        """With which PAA-II asks for about a fifth of this data set's labels."""
        return choose_delta(self.dataset(name))
