"""Load a named data set of ratings."""

import warnings

from askance.data.rating_columns import Triplets
from askance.data.rating_files import read_ratings
from askance.datasets.finding import entry_of, find
from askance.errors import DataWarning


def load_ratings(name: str) -> Triplets:
    """Load a named data set of ratings.

    Parameters
    ----------
    name : str
        A name of the register, such as "ml100k".

    Returns
    -------
    Triplets
        Users, items and ratings.

    Raises
    ------
    DataError
        If the data set is not on this machine. The message says how to get it.

    Warns
    -----
    DataWarning
        If the number of ratings is not the one in the register.

    Examples
    --------
    >>> users, items, ratings = load_ratings("ml100k")  # doctest: +SKIP
    >>> len(ratings)  # doctest: +SKIP
    100000
    """
    users, items, ratings = read_ratings(find(name).paths[0])
    entry = entry_of(name)[1]
    if entry is not None and len(ratings) != entry.rows:
        notice = f"{name} has {len(ratings):,} ratings here, {entry.rows:,} in the register"
        warnings.warn(notice, DataWarning, stacklevel=2)
    return Triplets(users, items, ratings)
