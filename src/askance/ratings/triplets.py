"""Ratings from what users have: three columns, a sparse matrix, or a data frame."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from askance.data.frames import as_frame, is_frame
from askance.data.rating_columns import Triplets, rating_columns
from askance.errors import DataError
from askance.ratings.ids import as_names

Numbers = NDArray[np.float64]

MOST_LEVELS = 101
PART = 1 << 20


def as_pairs(users: Any, items: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """The ids of users and items, as many of the one as of the other."""
    pair = as_names(users, "users"), as_names(items, "items")
    if len(pair[0]) != len(pair[1]):
        raise ValueError(f"there are {len(pair[0])} users but {len(pair[1])} items: give one of each for a rating")
    return pair


def as_triplets(users: Any, items: Any = None, ratings: Any = None) -> Triplets:
    """Ratings with the ids of their users and items.

    A sparse matrix has users as rows and items as columns, and every entry that it stores is a rating. A data
    frame has columns called user, item and rating or the like, or else these are its first three.
    """
    if sp.issparse(users) and items is None and ratings is None:
        matrix = users.tocoo()
        users, items, ratings = matrix.coords[0], matrix.coords[1], matrix.data
    elif is_frame(users) and items is None and ratings is None:
        users, items, ratings = _columns(as_frame(users))
    elif items is None or ratings is None:
        raise ValueError("give users, items and ratings, or a sparse matrix or a data frame in their place")
    users, items = as_pairs(users, items)
    try:
        values = np.asarray(ratings, np.float64)
    except (TypeError, ValueError):
        raise ValueError("ratings must be numbers") from None
    if values.shape != users.shape:
        raise ValueError(
            f"ratings must be one number for each of the {len(users)} pairs, not of shape {values.shape}"
        )
    if not np.isfinite(values).all():
        place = int(np.argmin(np.isfinite(values)))
        raise ValueError(f"the rating at place {place} is {values[place]}: leave out what was not rated")
    return Triplets(users, items, values)


def levels_of(ratings: Numbers, given: Any = None) -> Numbers:
    """The different ratings, in order; those `given`, if any are, must have all of them."""
    found: Numbers = np.zeros(0)
    for start in range(0, len(ratings), PART):  # in parts: the whole need not be sorted, nor copied
        found = np.union1d(found, ratings[start : start + PART])
        if len(found) > MOST_LEVELS:
            raise ValueError(
                f"there are more than {MOST_LEVELS} different ratings, such as {found[0]:g} and {found[1]:g}: "
                "round them to fewer levels"
            )
    if given is None:
        if len(found) == 1:
            raise DataError(
                f"every rating is {found[0]:g}, so there is nothing to learn: give all levels with levels=",
                parameter="levels",
            )
        return found
    levels = np.unique(np.asarray(given, np.float64))
    if len(levels) < 2 or not np.isfinite(levels).all() or len(levels) > MOST_LEVELS:
        raise ValueError(f"levels must be from 2 to {MOST_LEVELS} different numbers, not {given!r}")
    strange = np.setdiff1d(found, levels)
    if len(strange):
        raise ValueError(f"there is a rating {strange[0]:g}, which is none of the levels {levels.tolist()}")
    return levels


def level_numbers(ratings: Numbers, levels: Numbers) -> NDArray[np.uint8]:
    """The place of each rating among the levels."""
    numbers = np.empty(len(ratings), np.uint8)
    for start in range(0, len(ratings), PART):
        numbers[start : start + PART] = np.searchsorted(levels, ratings[start : start + PART])
    return numbers


def _columns(frame: Any) -> tuple[Any, Any, Any]:
    users, items, ratings = rating_columns(frame.names)
    ids = [frame.array(column) for column in (users, items)]
    if any(column.dtype.kind == "O" for column in ids):
        ids = [frame.values(column) for column in (users, items)]
    if not frame.is_numeric(ratings):
        raise ValueError(f"the column {frame.names[ratings]!r} should hold ratings, but it does not hold numbers")
    return (*ids, frame.array(ratings))
