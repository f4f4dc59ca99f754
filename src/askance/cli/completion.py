"""Names that a shell completes. They are found without slow imports: each press of Tab starts the program."""

import re
from collections.abc import Iterable
from pathlib import Path

from askance._util.names import METRIC_NAMES, PAPER_NAMES

OTHER_METHODS = ("random", "full")


def algorithm_names() -> list[str]:
    """The names of the catalog and `auto`, from the stub of `make`, which is generated from the catalog."""
    stub = Path(__file__).parents[1] / "algorithms" / "make.pyi"
    return list(dict.fromkeys(re.findall(r'name: Literal\["([^"]+)"\]', stub.read_text(encoding="utf-8"))))


def algorithms(incomplete: str) -> list[str]:
    """Algorithms that begin like this."""
    return _beginning(incomplete, algorithm_names())


def opponents(incomplete: str) -> list[str]:
    """The last of several names, separated by commas."""
    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in _beginning(last, [*OTHER_METHODS, *algorithm_names()])]


def metrics(incomplete: str) -> list[str]:
    """Metrics that begin like this."""
    return _beginning(incomplete, METRIC_NAMES)


def papers(incomplete: str) -> list[str]:
    """Papers that can be reproduced."""
    return _beginning(incomplete, PAPER_NAMES)


def data_sets(incomplete: str) -> list[str]:
    """Data sets of the register."""
    from askance.datasets import REGISTER

    return _beginning(incomplete, REGISTER)


def pool_strategies(incomplete: str) -> list[str]:
    """Strategies of `askance pool`."""
    from askance.cli.commands.pool.request import STRATEGIES

    return _beginning(incomplete, STRATEGIES)


def _beginning(incomplete: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]
