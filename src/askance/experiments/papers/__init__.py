"""Tables and figures of papers, computed again with the data sets that are on this machine."""

import os
import warnings
from typing import Any, NamedTuple

from askance.errors import DataError, DataWarning
from askance.experiments.papers import (
    cesabianchi2006,
    dada2021,
    lu2016,
    nguyen2011,
    yan2015,
    yan2016_lupi,
    yan2016_rossel,
    yan2017,
)
from askance.experiments.papers.table import PaperTable
from askance.experiments.parallel import Watch

PAPERS: dict[str, tuple[PaperTable, ...]] = {
    module.PAPER: module.TABLES
    for module in (lu2016, nguyen2011, cesabianchi2006, dada2021, yan2017, yan2016_rossel, yan2016_lupi, yan2015)
}
QUICK = 3


class Reproduction(NamedTuple):
    """The results of a table, why data sets were left out, and how others differ from those of the paper.

    `results` is None if no data set was found.
    """

    table: PaperTable
    results: Any
    missing: dict[str, str]
    notes: list[str]


def tables_of(paper: str, table: str | None = None) -> tuple[PaperTable, ...]:
    """Return the named table, or all tables of a paper that need not be named; ValueError if it is unknown."""
    if paper not in PAPERS:
        raise ValueError(f"unknown paper {paper!r}: choose one of {', '.join(PAPERS)}")
    tables = PAPERS[paper]
    if table is None:
        return tuple(one for one in tables if not one.only_if_named)
    chosen = tuple(one for one in tables if one.name == table)
    if not chosen:
        raise ValueError(f"{paper} has no table {table!r}: choose one of {', '.join(one.name for one in tables)}")
    return chosen


def reproduce(
    table: PaperTable,
    *,
    quick: bool = False,
    random_state: int = 0,
    n_jobs: int = -1,
    backend: str = "loky",
    store: str | os.PathLike[str] | None = None,
    watch: Watch | None = None,
    cluster: str | None = None,
) -> Reproduction:
    """Compute a table again on the data sets that are on this machine.

    `quick` uses few permutations or splits. The other parameters are those of `askance.sweep`.
    """
    sets: dict[str, Any] = {}
    missing = {}
    with warnings.catch_warnings(record=True) as notices:
        warnings.simplefilter("always", DataWarning)
        for label, (name, preparation) in table.data.items():
            try:
                sets[label] = table.load(name, preparation, random_state)
            except DataError as error:
                missing[label] = str(error)
    results = None
    if sets:
        results = table.run(
            sets,
            quick=QUICK * quick,
            random_state=random_state,
            n_jobs=n_jobs,
            backend=backend,
            store=store,
            watch=watch,
            cluster=cluster,
        )
    return Reproduction(table, results, missing, [str(notice.message) for notice in notices])
