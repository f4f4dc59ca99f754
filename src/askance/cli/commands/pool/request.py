"""What `askance pool` was asked to do, checked before the slow imports of the work."""

import shlex
from pathlib import Path
from typing import Any, NamedTuple

from askance.cli.options import Reading
from askance.cli.targets import check_ending

DEFAULT_STRATEGY, DEFAULT_COUNT = "al-lupi-max", 10
STRATEGIES = (
    DEFAULT_STRATEGY,
    "al-lupi-sum",
    "al-lupi-min",
    "al-lupi-product",
    "al-lupi-distance",
    "prediction",
    "correcting",
    "diversity",
    "margin",
    "entropy",
    "co-testing",
    "co-testing-conservative",
    "badge",
    "information-density",
    "expected-error",
    "core-set",
    "typiclust",
    "probcover",
    "random",
)
# These look at the features alone, so that they choose the first rows, too.
WITHOUT_LABELS = ("diversity", "core-set", "typiclust", "probcover", "random")
OUTPUTS = (".csv",)


class PoolRequest(NamedTuple):
    """The arguments and options of `askance pool`."""

    features: Path
    reading: Reading
    labels: list[Path]
    privileged: Path | None
    number: int
    strategy: str
    seed: int
    out: Path | None

    @property
    def following(self) -> str:
        """The command that goes on when the labels are filled in, up to the name of its own output."""
        found = self.reading
        several: dict[str, list[Any]] = {
            "labels": [*self.labels, self.out],
            "text": found.text or [],
            "drop": found.drop or [],
            "category": found.category or [],
            "number": found.number or [],
            "date": found.date or [],
        }
        single: dict[str, Any] = {
            "privileged": self.privileged,
            "strategy": None if self.strategy == DEFAULT_STRATEGY else self.strategy,
            "count": None if self.number == DEFAULT_COUNT else self.number,
            "seed": self.seed or None,
            "label": found.label,
            "format": found.format,
            "delimiter": found.delimiter,
        }
        words = [f"--{name}" for name in ("zero-based",) if found.zero_based]
        for name, value in [*((name, value) for name, many in several.items() for value in many), *single.items()]:
            words += [] if value is None else [f"--{name}", str(value)]
        return shlex.join(["askance", "pool", str(self.features), *words])

    def check(self) -> None:
        """Raise ValueError for problems that show before a file is opened."""
        if self.strategy not in STRATEGIES:
            raise ValueError(f"--strategy {self.strategy}: give one of {', '.join(STRATEGIES)}")
        needs = self.strategy == "correcting" or self.strategy.startswith("co-testing")
        if needs and self.privileged is None:
            raise ValueError(f"--strategy {self.strategy} needs privileged features: give --privileged")
        check_ending(self.out, "--out", OUTPUTS)
        for path in self.labels:
            if self.out is not None and path.exists() and self.out.exists() and self.out.samefile(path):
                raise ValueError(f"--out {self.out}: would overwrite labels: choose another name")
