"""A named data set of ratings in memory."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance.data.faults import DataFault, DataNotice
from askance.data.named.finding import entry_of, find

COLUMNS = ("users", "items", "ratings")


def load_ratings(name: str) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Users, items and ratings of a named data set, from an archive NAME.npz that has these three arrays.

    A `DataNotice` if there are not as many as there should be; `DataFault` for what is not on this machine.
    """
    path = find(name).paths[0]
    if path.suffix != ".npz":
        raise DataFault(f"{path}: ratings are read from an archive: make {name}.npz with {', '.join(COLUMNS)}")
    with np.load(path, allow_pickle=False) as archive:
        lacking = [column for column in COLUMNS if column not in archive.files]
        if lacking:
            raise DataFault(f"{path}: has no {' and no '.join(lacking)}: check that it holds ratings")
        users, items, ratings = (archive[column] for column in COLUMNS)
    entry = entry_of(name)[1]
    if entry is not None and len(ratings) != entry.rows:
        notice = f"{name} has {len(ratings):,} ratings here, {entry.rows:,} in the register"
        warnings.warn(notice, DataNotice, stacklevel=2)
    return users, items, ratings
