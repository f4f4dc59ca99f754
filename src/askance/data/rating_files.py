"""Files of ratings: text, Parquet or NumPy archives."""

from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.data.files import existing_file, reason, shown
from askance.data.frames import as_frame, row_namer
from askance.data.guessing import ENOUGH, FIRST_NAME, IN_WORKBOOKS
from askance.data.npz import opened_archive
from askance.data.parquet import pyarrow_parquet
from askance.data.rating_columns import Column, RatingColumns, Triplets
from askance.data.rating_ids import ids_of_array
from askance.data.rating_text import read_text
from askance.errors import DataError
from askance.typing import FloatArray

FIRST_BYTES = {b"PK\x03\x04": ".npz", b"PAR1": ".parquet"}


class Pairs(NamedTuple):
    """Pairs of users and items.

    Attributes
    ----------
    users, items : ndarray
        Ids, one of each per pair.
    ratings : ndarray of float or None
        The ratings, if the file has them.
    """

    users: NDArray[Any]
    items: NDArray[Any]
    ratings: FloatArray | None


def read_ratings(
    path: str | PathLike[str],
    *,
    users: Column = None,
    items: Column = None,
    ratings: Column = None,
    delimiter: str | None = None,
) -> Triplets:
    """Read ratings from a file.

    The file is CSV, TSV, u.data or ratings.dat of MovieLens (all also with gzip), Parquet or npz.

    Parameters
    ----------
    path : str or os.PathLike
        The file.
    users, items, ratings : str, int or None, default: None
        Name of each column, or its number from 1. None means a column with a usual name; in a text file without a
        header, the first three.
    delimiter : str or None, default: None
        What separates the cells of a text file. None means that it is detected.

    Returns
    -------
    ratings : Triplets
        Ids are whole numbers if all ids of a column are, otherwise text.

    Raises
    ------
    askance.errors.DataError
        If the file cannot be read.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from askance.data import read_ratings
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "ratings.csv"
    >>> _ = path.write_text("user,item,rating\\nann,tea,5\\nbob,milk,3\\n")
    >>> read_ratings(path).ratings.tolist()
    [5.0, 3.0]
    """
    found = _read(path, RatingColumns(users, items, ratings), delimiter, rated=True)
    if found.ratings is None or not len(found.ratings):
        raise DataError(f"{path}: has no ratings: check how it was created")
    return Triplets(found.users, found.items, found.ratings)


def read_pairs(
    path: str | PathLike[str],
    *,
    users: Column = None,
    items: Column = None,
    ratings: Column = None,
    delimiter: str | None = None,
) -> Pairs:
    """Read pairs of users and items, for example to predict their ratings.

    Parameters
    ----------
    path : str or os.PathLike
        The file, of the same kinds as for `read_ratings`.
    users, items, ratings : str, int or None, default: None
        Name of each column, or its number from 1, as in `read_ratings`. Ratings are optional.
    delimiter : str or None, default: None
        What separates the cells of a text file. None means that it is detected.

    Returns
    -------
    pairs : Pairs

    Raises
    ------
    askance.errors.DataError
        If the file cannot be read.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from askance.data import read_pairs
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "pairs.csv"
    >>> _ = path.write_text("user,item\\nann,tea\\nbob,milk\\n")
    >>> read_pairs(path).users.tolist()
    ['ann', 'bob']
    """
    found = _read(path, RatingColumns(users, items, ratings), delimiter, rated=False)
    if not len(found.users):
        raise DataError(f"{path}: has no users and items: check how it was created")
    return found


def _read(path: str | PathLike[str], wanted: RatingColumns, delimiter: str | None, *, rated: bool) -> Pairs:
    file = existing_file(path)
    with file.open("rb") as opened:
        start = opened.read(ENOUGH)
    if start.startswith(b"PK") and start[FIRST_NAME:].startswith(IN_WORKBOOKS):
        raise DataError(f"{path}: is an XLSX workbook, which is not read for ratings: save the sheet as CSV")
    kind = FIRST_BYTES.get(start[:4], file.suffix.lower())
    if kind == ".npz":
        return _from_npz(file, wanted, rated=rated)
    if kind == ".parquet":
        return _from_parquet(file, wanted, rated=rated)
    return Pairs(*read_text(file, wanted, delimiter, rated=rated))


def _from_npz(path: Path, wanted: RatingColumns, *, rated: bool) -> Pairs:
    with opened_archive(path, "users, items and ratings") as archive:
        names = list(archive.files)
        places = wanted.checked(wanted.found(names), names, str(path), rated=rated)
        arrays = [archive[names[place]] for place in places]
    return _pairs(path, arrays, [names[place] for place in places])


def _from_parquet(path: Path, wanted: RatingColumns, *, rated: bool) -> Pairs:
    pyarrow = pyarrow_parquet()
    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            names = list(file.schema_arrow.names)
            places = wanted.checked(wanted.found(names), names, str(path), rated=rated)
            chosen = [names[place] for place in places]
            frame = as_frame(file.read(columns=chosen).select(chosen))
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise DataError(
            f"{path}: is not a Parquet file, or is damaged ({reason(error)[:200]}): create or download it again"
        ) from error
    arrays = [frame.array(column) for column in range(len(chosen))]
    return _pairs(path, arrays, chosen)


def _pairs(path: Path, arrays: list[NDArray[Any]], names: list[str]) -> Pairs:
    """Arrays as ids and ratings; raises DataError if they cannot be."""
    for array, name in zip(arrays, names, strict=True):
        if array.ndim != 1 or len(array) != len(arrays[0]):
            raise DataError(
                f"{path}: {shown(name)} has the shape {array.shape}, {shown(names[0])} {arrays[0].shape}: "
                "they must have one dimension and equal lengths"
            )
    where = row_namer(str(path), range(len(arrays[0])))
    users, items = ids_of_array(arrays[0], "user", where), ids_of_array(arrays[1], "item", where)
    if len(arrays) < 3:
        return Pairs(users, items, None)
    try:
        if arrays[2].dtype.kind not in "biufO":
            raise TypeError
        ratings = arrays[2].astype(np.float64)  # objects may be decimal numbers
    except (TypeError, ValueError):
        raise DataError(
            f"{path}: {shown(names[2])} does not hold numbers: name the column with ratings=", parameter="ratings"
        ) from None
    if not np.isfinite(ratings).all():
        row = int(np.argmin(np.isfinite(ratings)))
        raise DataError(f"{where(row)}: the rating {ratings[row]} is not a finite number: leave the row out")
    return Pairs(users, items, ratings)
