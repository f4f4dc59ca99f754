"""Data sets of ratings: named ones that users gave, or made-up ones."""

import numpy as np

from askance.datasets.ratings import load_ratings
from askance.experiments.papers.ratings import Rated, Source
from askance.ratings.synthetic import SyntheticRatings


def load_rated(name: str, made_up: SyntheticRatings | None, _seed: int) -> Source:
    """What is made up as it is, else the named data set; DataError where that is not on this machine."""
    if made_up is not None:
        return made_up
    users, items, ratings = load_ratings(name)
    return Rated(users, items, np.asarray(ratings, np.float64))
