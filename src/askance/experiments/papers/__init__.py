"""The papers' tables and figures, done again with the data that are found."""

import os
import warnings
from typing import Any, NamedTuple

from askance.datasets import load
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
from askance.experiments.papers.convergence_table import ConvergenceTable
from askance.experiments.papers.few_labels_table import FewLabelsTable
from askance.experiments.papers.label_saving_table import SavingTable
from askance.experiments.papers.pool_table import PoolTable
from askance.experiments.papers.ratings_sets import load_source
from askance.experiments.papers.ratings_table import RatingsTable
from askance.experiments.papers.split_table import SplitTable
from askance.experiments.papers.sweep_table import Table
from askance.experiments.papers.views import load_views
from askance.experiments.parallel import Watch
from askance.experiments.sweep.results import Results
from askance.experiments.sweep.run import sweep

AnyTable = Table | SplitTable | SavingTable | FewLabelsTable | PoolTable | RatingsTable | ConvergenceTable

PAPERS: dict[str, tuple[AnyTable, ...]] = {
    module.PAPER: module.TABLES
    for module in (lu2016, nguyen2011, cesabianchi2006, dada2021, yan2017, yan2016_rossel, yan2016_lupi, yan2015)
}
QUICK = 3


class Reproduction(NamedTuple):
    """A table done again: what came of it, why data sets were left out, and in what others differ.

    `results` are those of a sweep, or the rows of splits.
    """

    table: AnyTable
    results: Results | list[dict[str, Any]] | None
    missing: dict[str, str]
    notes: list[str]


def tables_of(paper: str, table: str | None = None) -> tuple[AnyTable, ...]:
    """The tables of a paper but those done only if named, or one of them; ValueError if there is none so named."""
    if paper not in PAPERS:
        raise ValueError(f"there is no paper {paper!r}: there are {', '.join(PAPERS)}")
    tables = PAPERS[paper]
    if table is None:
        return tuple(one for one in tables if not getattr(one, "only_if_named", False))
    chosen = tuple(one for one in tables if one.name == table)
    if not chosen:
        raise ValueError(f"{paper} has no table {table!r} here: there are {', '.join(one.name for one in tables)}")
    return chosen


def reproduce(
    table: AnyTable,
    *,
    quick: bool = False,
    random_state: int = 0,
    jobs: int = -1,
    backend: str = "loky",
    store: str | os.PathLike[str] | None = None,
    watch: Watch | None = None,
    cluster: str | None = None,
) -> Reproduction:
    """Do a table again on the data sets that are found; `quick` takes few permutations or splits."""
    sets: dict[str, Any] = {}
    missing = {}
    read = _reader(table)
    with warnings.catch_warnings(record=True) as notices:
        warnings.simplefilter("always", DataWarning)
        for label, (name, use) in table.data.items():
            try:
                sets[label] = read(name, use, random_state)
            except DataError as fault:
                missing[label] = str(fault)
    notes = [str(notice.message) for notice in notices]
    if not sets:
        return Reproduction(table, None, missing, notes)
    if not isinstance(table, Table):
        how: dict[str, Any] = {
            "jobs": jobs,
            "backend": backend,
            "store": store,
            "watch": watch,
            "cluster": cluster,
        }
        return Reproduction(
            table, table.run(sets, quick=QUICK * quick, random_state=random_state, **how), missing, notes
        )
    found = sweep(
        sets,
        table.algorithms,
        table.grid,
        QUICK if quick else table.permutations,
        table.rates,
        table.metric,
        random_state,
        backend,
        tuning=QUICK if quick else 5,
        points=table.points,
        jobs=jobs,
        cluster=cluster,
        store=store,
        watch=watch,
    )
    return Reproduction(table, found, missing, notes)


def _reader(table: AnyTable) -> Any:
    """What reads a data set of a table, given its name, its preparation and a random_state."""
    if isinstance(table, PoolTable):
        return load_views
    return load_source if isinstance(table, RatingsTable | ConvergenceTable) else load
