"""Find the columns of a table that hold users, items and ratings."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from numpy.typing import NDArray

from askance.data.files import listed, shown
from askance.errors import DataError
from askance.typing import FloatArray

# The usual names of columns, in lower case without _, - and blanks.
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
"""The name of a column, or its number, from 1; None means the usual one."""


class Triplets(NamedTuple):
    """Ratings as three columns.

    Attributes
    ----------
    users, items : ndarray
        Ids, one of each per rating.
    ratings : ndarray of float
        The ratings.
    """

    users: NDArray[Any]
    items: NDArray[Any]
    ratings: FloatArray


class RatingColumns(NamedTuple):
    """The columns that were named by the caller."""

    users: Column = None
    items: Column = None
    ratings: Column = None

    def found(self, names: Sequence[str]) -> list[int | None]:
        """The index of each of the three among named columns; by usual names if the caller named none."""
        usual = usual_columns(names)
        return [
            _named(column, names) if column is not None else place
            for column, place in zip(self, usual, strict=True)
        ]

    def placed(self, width: int) -> list[int | None]:
        """The index of each of the three among columns without names (default: the usual order)."""
        places = [place if column is None else _place(column) for place, column in enumerate(self)]
        return [place if place is not None and place < width else None for place in places]

    def checked(self, places: list[int | None], names: Sequence[str], source: str, *, rated: bool) -> list[int]:
        """The indices of users, items and any ratings; raises DataError if one is missing."""
        needed = 3 if rated or self.ratings is not None else 2
        for role, column, place in list(zip(COLUMNS, self, places, strict=True))[:needed]:
            if place is None and column is not None:
                raise DataError(f"{source}: there is no column {shown(column)} of {role} among {listed(names)}")
            if place is None:
                raise DataError(
                    f"{source}: none of the columns {listed(names)} has a usual name for {role}: "
                    f"name it with {role}=",
                    parameter=role,
                )
        chosen = [place for place in places if place is not None]
        if len(set(chosen)) < len(chosen):
            raise DataError(f"{source}: users, items and ratings must be in different columns")
        return chosen


def usual_columns(names: Sequence[str]) -> list[int | None]:
    """The indices of users, items and ratings by their usual names; None if there is none."""
    plain = [str(name).lower().translate(str.maketrans("", "", "_- ")) for name in names]
    return [next((plain.index(name) for name in known if name in plain), None) for known in COLUMNS.values()]


def rating_columns(names: Sequence[str]) -> list[int]:
    """The indices of users, items and ratings: by their usual names, or the first three."""
    found = [place for place in usual_columns(names) if place is not None]
    if len(found) == len(COLUMNS):
        return found
    if len(names) < len(COLUMNS):
        raise ValueError(
            f"the columns {', '.join(map(repr, names))} are not users, items and ratings: give three columns"
        )
    return [0, 1, 2]


def _named(column: str | int, names: Sequence[str]) -> int | None:
    if column in names:
        return names.index(str(column))
    place = _place(column)
    return place if place is not None and place < len(names) else None


def _place(column: str | int) -> int | None:
    """The index, from 0, of a column given by its number, from 1."""
    text = str(column)
    is_place = text.isascii() and text.isdigit() and len(text) < 10 and int(text) > 0
    return int(text) - 1 if is_place else None
