"""Which columns of a table hold users, items and ratings."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.data.files import listed, shown
from askance.errors import DataError

# What the columns of a data frame or a file may be called, in small letters without _, - and blanks.
COLUMNS = {
    "users": ("user", "userid", "uid", "users", "reviewerid", "customerid"),
    "items": (
        "item",
        "itemid",
        "iid",
        "items",
        "movie",
        "movieid",
        "asin",
        "productid",
        "songid",
        "bookid",
        "isbn",
    ),
    "ratings": ("rating", "ratings", "score", "stars", "overall", "bookrating", "value"),
}

Column = str | int | None
"""A column's name, or its place from 1 on; None: the usual one."""


class Triplets(NamedTuple):
    """Who rated what, and how."""

    users: NDArray[Any]
    items: NDArray[Any]
    ratings: NDArray[np.float64]


class Wanted(NamedTuple):
    """The columns that the user named."""

    users: Column = None
    items: Column = None
    ratings: Column = None

    def found(self, names: Sequence[str]) -> list[int | None]:
        """Where each of the three is among columns with names, those not named by what they are usually called."""
        usual = usual_columns(names)
        return [
            _named(column, names) if column is not None else place
            for column, place in zip(self, usual, strict=True)
        ]

    def placed(self, width: int) -> list[int | None]:
        """Where each of the three is among columns without names: in the usual order, unless said."""
        places = [place if column is None else _place(column) for place, column in enumerate(self)]
        return [place if place is not None and place < width else None for place in places]

    def checked(self, places: list[int | None], names: Sequence[str], source: str, *, rated: bool) -> list[int]:
        """The places of users, items and, if there are any, ratings; DataError if one is missing."""
        needed = 3 if rated or self.ratings is not None else 2
        for role, column, place in list(zip(COLUMNS, self, places, strict=True))[:needed]:
            if place is None and column is not None:
                raise DataError(f"{source}: there is no column {shown(column)} of {role} among {listed(names)}")
            if place is None:
                raise DataError(
                    f"{source}: none of the columns {listed(names)} is called like {role}: name it with {role}=",
                    parameter=role,
                )
        chosen = [place for place in places if place is not None]
        if len(set(chosen)) < len(chosen):
            raise DataError(f"{source}: users, items and ratings must be in different columns")
        return chosen


def usual_columns(names: Sequence[str]) -> list[int | None]:
    """Which columns are users, items and ratings by their names; None where none is."""
    plain = [str(name).lower().translate(str.maketrans("", "", "_- ")) for name in names]
    return [next((plain.index(name) for name in known if name in plain), None) for known in COLUMNS.values()]


def rating_columns(names: Sequence[str]) -> list[int]:
    """Which columns are users, items and ratings: those called so, or the first three."""
    found = [place for place in usual_columns(names) if place is not None]
    if len(found) == len(COLUMNS):
        return found
    if len(names) < len(COLUMNS):
        raise ValueError(f"the columns {', '.join(map(repr, names))} are no users, items and ratings")
    return [0, 1, 2]


def _named(column: str | int, names: Sequence[str]) -> int | None:
    if column in names:
        return names.index(str(column))
    place = _place(column)
    return place if place is not None and place < len(names) else None


def _place(column: str | int) -> int | None:
    """From 0 on, of one that is given from 1 on."""
    text = str(column)
    is_place = text.isascii() and text.isdigit() and len(text) < 10 and int(text) > 0
    return int(text) - 1 if is_place else None
