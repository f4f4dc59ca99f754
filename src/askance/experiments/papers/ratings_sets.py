"""Data sets of ratings: registered ones, or synthetic ones."""

import numpy as np

from askance.datasets.ratings import load_ratings
from askance.experiments.papers.ratings import Rated, Source
from askance.ratings.synthetic import SyntheticRatings


def load_source(name: str, made_up: SyntheticRatings | None, _random_state: int) -> Source:
    """Return the synthetic data set, if given, or load the named one; DataError if it is not on this machine."""
    if made_up is not None:
        return made_up
    users, items, ratings = load_ratings(name)
    return Rated(users, items, np.asarray(ratings, np.float64))
