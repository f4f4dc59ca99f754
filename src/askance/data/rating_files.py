"""Files of ratings: text, Parquet or NumPy archives."""

from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.data.files import existing_file, reason, shown
from askance.data.frames import as_frame, row_namer
from askance.data.npz import opened_archive
from askance.data.parquet import pyarrow_parquet
from askance.data.rating_columns import Column, Triplets, Wanted
from askance.data.rating_ids import ids_of_array
from askance.data.rating_text import Numbers, read_text
from askance.errors import DataError

FIRST_BYTES = {b"PK\x03\x04": ".npz", b"PAR1": ".parquet"}


class Pairs(NamedTuple):
    """Users and items, with ratings if the file has them."""

    users: NDArray[Any]
    items: NDArray[Any]
    ratings: Numbers | None


def read_ratings(
    path: str | PathLike[str],
    *,
    users: Column = None,
    items: Column = None,
    ratings: Column = None,
    delimiter: str | None = None,
) -> Triplets:
    """Who rated what, and how: from CSV, TSV, MovieLens' u.data or ratings.dat, also with gzip, Parquet or npz.

    `users`, `items` and `ratings` name columns that are not called so, or give their places, from 1 on. In a text
    file without a header they are the first three. Ids are whole numbers if all of a column are, else text.
    """
    found = _read(path, Wanted(users, items, ratings), delimiter, rated=True)
    if found.ratings is None or not len(found.ratings):
        raise DataError(f"{path}: has no ratings: check how it was made")
    return Triplets(found.users, found.items, found.ratings)


def read_pairs(
    path: str | PathLike[str],
    *,
    users: Column = None,
    items: Column = None,
    ratings: Column = None,
    delimiter: str | None = None,
) -> Pairs:
    """Users and items whose ratings are wanted, from the same kinds of files as `read_ratings`.

    Ratings are read too, if they are there: a column called so or, in a text file without a header, the third.
    """
    found = _read(path, Wanted(users, items, ratings), delimiter, rated=False)
    if not len(found.users):
        raise DataError(f"{path}: has no users and items: check how it was made")
    return found


def _read(path: str | PathLike[str], wanted: Wanted, delimiter: str | None, *, rated: bool) -> Pairs:
    file = existing_file(path)
    with file.open("rb") as opened:
        kind = FIRST_BYTES.get(opened.read(4), file.suffix.lower())
    if kind == ".npz":
        return _from_npz(file, wanted, rated=rated)
    if kind == ".parquet":
        return _from_parquet(file, wanted, rated=rated)
    return Pairs(*read_text(file, wanted, delimiter, rated=rated))


def _from_npz(path: Path, wanted: Wanted, *, rated: bool) -> Pairs:
    with opened_archive(path, "users, items and ratings") as archive:
        names = list(archive.files)
        places = wanted.checked(wanted.found(names), names, str(path), rated=rated)
        arrays = [archive[names[place]] for place in places]
    return _pairs(path, arrays, [names[place] for place in places])


def _from_parquet(path: Path, wanted: Wanted, *, rated: bool) -> Pairs:
    pyarrow = pyarrow_parquet()
    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            names = list(file.schema_arrow.names)
            places = wanted.checked(wanted.found(names), names, str(path), rated=rated)
            chosen = [names[place] for place in places]
            frame = as_frame(file.read(columns=chosen).select(chosen))
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise DataError(
            f"{path}: is no Parquet file, or is damaged ({reason(error)[:200]}): make or fetch it again"
        ) from error
    arrays = [frame.array(column) for column in range(len(chosen))]
    return _pairs(path, arrays, chosen)


def _pairs(path: Path, arrays: list[NDArray[Any]], names: list[str]) -> Pairs:
    """Arrays as ids and ratings; DataError if they are not."""
    for array, name in zip(arrays, names, strict=True):
        if array.ndim != 1 or len(array) != len(arrays[0]):
            raise DataError(
                f"{path}: {shown(name)} has the shape {array.shape}, {shown(names[0])} {arrays[0].shape}: "
                "give one dimension, and as many of each"
            )
    where = row_namer(str(path), range(len(arrays[0])))
    users, items = ids_of_array(arrays[0], "user", where), ids_of_array(arrays[1], "item", where)
    if len(arrays) < 3:
        return Pairs(users, items, None)
    try:
        if arrays[2].dtype.kind not in "biufO":
            raise TypeError
        ratings = arrays[2].astype(np.float64)  # objects are decimal numbers, or no numbers
    except (TypeError, ValueError):
        raise DataError(
            f"{path}: {shown(names[2])} does not hold numbers: name the column with ratings=", parameter="ratings"
        ) from None
    if not np.isfinite(ratings).all():
        row = int(np.argmin(np.isfinite(ratings)))
        raise DataError(f"{where(row)}: the rating {ratings[row]} is not a finite number: leave the row out")
    return Pairs(users, items, ratings)
