"""A named data set of ratings in memory."""

import warnings

from askance.data.rating_columns import Triplets
from askance.data.rating_files import read_ratings
from askance.datasets.finding import entry_of, find
from askance.errors import DataWarning


def load_ratings(name: str) -> Triplets:
    """Users, items and ratings of a named data set.

    A `DataWarning` if there are not as many as there should be; `DataError` for what is not on this machine.
    """
    users, items, ratings = read_ratings(find(name).paths[0])
    entry = entry_of(name)[1]
    if entry is not None and len(ratings) != entry.rows:
        notice = f"{name} has {len(ratings):,} ratings here, {entry.rows:,} in the register"
        warnings.warn(notice, DataWarning, stacklevel=2)
    return Triplets(users, items, ratings)
