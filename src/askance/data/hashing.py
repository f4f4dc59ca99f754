"""Feature hashing: text and records as sparse rows, without a dictionary.

The column and the sign of a feature come from the CRC-32 of the UTF-8 bytes of its name, spread over 64 bits by
the finaliser of SplitMix64 (a CRC alone is linear in its input, so its bits would be biased signs). Both are fixed
by definition: the same name has the same column in every process, on every platform and in every release.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, time
from decimal import Decimal
from itertools import pairwise
from numbers import Real
from re import compile as pattern
from typing import Any
from zlib import crc32

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from askance._util.splitmix import GOLDEN, scrambled
from askance.data.files import Where, shown
from askance.data.values import check_dtype, first_unfit, unfit
from askance.errors import DataError
from askance.typing import FloatArray

MOST_BITS = 30  # columns are 32-bit signed integers
DEEPEST = 32

_unicode_word = pattern(r"\w+")
_unicode_words = _unicode_word.findall
# Maps letters to lower case and all that is not \w to a blank: far faster than the pattern for ASCII text.
_ASCII_WORDS = bytes(code if pattern(r"\w").match(chr(code)) else 32 for code in range(128)).lower().ljust(256)


def hash_texts(
    texts: Iterable[str],
    bits: int = 20,
    *,
    pairs: bool = False,
    unit: bool = True,
    signed: bool = True,
    dtype: str = "float32",
) -> sp.csr_array:
    """Hash texts into rows of word counts.

    Words are runs of letters, digits and underscores, in lower case.

    Parameters
    ----------
    texts : iterable of str
        The texts.
    bits : int, default: 20
        There are 2**bits columns.
    pairs : bool, default: False
        Whether each two neighbouring words are also a feature.
    unit : bool, default: True
        Whether every row that has words is scaled to length 1.
    signed : bool, default: True
        Whether half of the columns are negative, so that words that share a column balance each other in sums.
        `AutoLearner` weights words by how rare they are, for which it needs counts: give it `signed=False` and
        `unit=False`.
    dtype : {"float32", "float64"}, default: "float32"
        Type of the values.

    Returns
    -------
    rows : csr_array of shape (n_texts, 2**bits)

    Raises
    ------
    askance.errors.DataError
        If an argument cannot be used.

    Examples
    --------
    >>> from askance.data import hash_texts
    >>> rows = hash_texts(["Send money now", "meeting at noon"], bits=10)
    >>> rows.shape, rows.nnz
    ((2, 1024), 6)
    """
    return text_rows(texts, bits, pairs=pairs, unit=unit, signed=signed, dtype=dtype)


def text_rows(
    texts: Iterable[str], bits: int, *, pairs: bool, unit: bool, signed: bool, dtype: str, prefix: str = ""
) -> sp.csr_array:
    """`hash_texts` of words that are hashed apart from those with another prefix."""
    check_bits(bits)
    check_dtype(dtype)
    if isinstance(texts, str):
        raise DataError("texts is one string: give a list of texts")
    lengths: list[int] = []
    checksums = np.fromiter(_token_checksums(texts, pairs, lengths, name_checksum(prefix)), np.uint32)
    rows = _hashed_rows(checksums, np.ones(len(checksums)), lengths, bits, signed=signed)
    if unit:
        _scale_to_unit_length(rows)
    return rows.astype(dtype)


def hash_records(records: Iterable[Mapping[str, Any]], bits: int = 20, *, dtype: str = "float32") -> sp.csr_array:
    """Hash records into rows, which are not scaled.

    A number is the value of the feature `name`. A string, boolean or date sets the feature `name=value` to 1. In a
    list, each string does the same, and any other value has its position in the name, `name.0`. The fields of an
    object are `name.field`. None and 0 are missing.

    Parameters
    ----------
    records : iterable of mapping
        The records.
    bits : int, default: 20
        There are 2**bits columns.
    dtype : {"float32", "float64"}, default: "float32"
        Type of the values.

    Returns
    -------
    rows : csr_array of shape (n_records, 2**bits)

    Raises
    ------
    askance.errors.DataError
        If an argument or a value cannot be used.

    Examples
    --------
    >>> from askance.data import hash_records
    >>> rows = hash_records([{"age": 31, "city": "Oslo"}, {"age": 45}], bits=10)
    >>> rows.shape, rows.nnz
    ((2, 1024), 3)
    """
    return record_rows(records, bits, dtype, lambda position: f"record {position} (from 0)")


def record_rows(records: Iterable[Mapping[str, Any]], bits: int, dtype: str, where: Where) -> sp.csr_array:
    """`hash_records` for readers, which know the place of a record in its source."""
    check_bits(bits)
    check_dtype(dtype)
    names: list[str] = []
    numbers: list[float] = []
    lengths: list[int] = []
    for position, record in enumerate(records):
        before = len(names)
        try:
            for name, value in _features(record):
                names.append(name)
                numbers.append(value)
        except ValueError as error:
            raise DataError(f"{where(position)}, {error}") from error
        lengths.append(len(names) - before)
    values = np.array(numbers)
    if (bad := first_unfit(values, dtype)) is not None:
        row = int(np.searchsorted(np.cumsum(lengths), bad, side="right"))
        raise DataError(f"{where(row)}, {shown(names[bad])}: {unfit(numbers[bad], dtype)}")
    checksum = {name: name_checksum(name) for name in set(names)}  # names repeat in all records
    rows = _hashed_rows(
        np.fromiter(map(checksum.__getitem__, names), np.uint32, len(names)), values, lengths, bits, signed=True
    )
    if (bad := first_unfit(rows.data, dtype)) is not None:
        row = int(np.searchsorted(rows.indptr, bad, side="right")) - 1
        raise DataError(f"{where(row)}: values that share a column add up beyond {dtype}: scale them down")
    return rows.astype(dtype)


def words_of(text: str) -> list[tuple[str, int, int]]:
    """The words of a text as they are hashed, with their start and end."""
    return [(found[0].lower(), *found.span()) for found in _unicode_word.finditer(text)]


def record_features(record: Mapping[str, Any]) -> list[tuple[str, float]]:
    """The names and values of the features of a record, as they are hashed."""
    return list(_features(record))


def record_parts(record: Mapping[str, Any]) -> tuple[list[str], dict[str, float]]:
    """The categories of a record as names of features, and its numbers by name, NaN where a field is null."""
    features = list(_features(record))
    numbers = {str(name): math.nan for name, value in record.items() if value is None}
    numbers |= {name: value for name, value in features if "=" not in name}
    return [name for name, _ in features if "=" in name], numbers


def places_of(names: Iterable[str], bits: int) -> NDArray[np.int32]:
    """The columns of names."""
    return _places(np.fromiter(map(name_checksum, names), np.uint32), bits)[0]


def name_columns(names: Iterable[str], bits: int, dtype: str = "float32", *, signed: bool = True) -> sp.csr_array:
    """One row per name, with only the feature of that name, of value 1."""
    checksums = np.fromiter(map(name_checksum, names), np.uint32)
    rows = _hashed_rows(checksums, np.ones(len(checksums)), [1] * len(checksums), bits, signed=signed)
    return rows.astype(dtype)


def word_checksums(text: str, prefix: str, *, pairs: bool) -> list[int]:
    """The checksums of the words of a text, which differ from those with another prefix."""
    start = name_checksum(prefix)
    words = _words(text)
    if pairs:
        words += [b"%b %b" % neighbours for neighbours in pairwise(words)]
    return [crc32(word, start) for word in words]


def count_rows(checksums: list[int], lengths: list[int], bits: int) -> sp.csr_array:
    """Rows of counts, without signs. `lengths` are the numbers of checksums of the rows."""
    columns, _ = _places(np.array(checksums, np.uint32), bits)
    return _csr(columns, np.ones(len(columns)), lengths, bits)


def check_bits(bits: int) -> None:
    """Raise DataError unless the number of bits is allowed."""
    if not (isinstance(bits, int) and 1 <= bits <= MOST_BITS):
        raise DataError(f"bits={bits!r}: give a whole number from 1 to {MOST_BITS}; there are 2**bits columns")


def _token_checksums(texts: Iterable[str], pairs: bool, lengths: list[int], start: int) -> Iterator[int]:
    """The checksums of all tokens of all texts; appends the number of tokens of each text to `lengths`.

    A generator, because the tokens of long texts need far more memory than the texts.
    """
    for text in texts:
        if not isinstance(text, str):
            raise DataError(f"text {len(lengths)} (from 0) is {shown(text)}: give strings")
        words = _words(text)
        if pairs:
            words += [b"%b %b" % neighbours for neighbours in pairwise(words)]
        lengths.append(len(words))
        yield from (crc32(word, start) for word in words)


def _words(text: str) -> list[bytes]:
    if text.isascii():
        return text.encode().translate(_ASCII_WORDS).split()
    return [word.encode() for word in _unicode_words(text.lower())]


def name_checksum(name: str) -> int:
    """The checksum of the name of a feature."""
    # JSON may have half of a surrogate pair, which strict UTF-8 refuses.
    return crc32(name.encode("utf-8", "surrogatepass"))


def _features(record: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    if not isinstance(record, Mapping):
        raise ValueError(f"{shown(record)}: give a mapping of names to values")
    for name, value in record.items():
        if type(value) is str:
            yield f"{name}={value}", 1.0
        elif type(value) is float:
            yield str(name), value
        else:
            yield from _field_features(str(name), value, 0)


def _field_features(name: str, value: Any, depth: int) -> Iterator[tuple[str, float]]:
    """The features of a field with a value of any kind."""
    if depth > DEEPEST:
        raise ValueError(f"{shown(name)}: is nested deeper than {DEEPEST} levels: flatten it")
    match value:
        case None:
            return
        case str():
            yield f"{name}={value}", 1.0
        case bool() | np.bool_():
            yield f"{name}={'true' if value else 'false'}", 1.0
        case int() | float() | Real() | Decimal():
            yield name, _number(name, value)
        case date() | time():
            yield f"{name}={value.isoformat()}", 1.0
        case Mapping():
            for field, inner in value.items():
                yield from _field_features(f"{name}.{field}", inner, depth + 1)
        case list() | tuple() | np.ndarray():
            for place, inner in enumerate(value):
                inner_name = name if isinstance(inner, str) else f"{name}.{place}"
                yield from _field_features(inner_name, inner, depth + 1)
        case _:
            raise ValueError(f"{shown(name)}: a {type(value).__name__} cannot be a feature: convert or drop it")


def _number(name: str, value: Any) -> float:
    try:
        return float(value)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{shown(name)}: {shown(value)} is too large or not a number: fix or drop it") from error


def _hashed_rows(
    checksums: NDArray[np.uint32], values: FloatArray, lengths: list[int], bits: int, *, signed: bool
) -> sp.csr_array:
    """Sparse rows with sorted columns, without duplicates and zeros."""
    columns, negative = _places(checksums, bits)
    return _csr(columns, np.where(negative, -values, values) if signed else values, lengths, bits)


def _places(checksums: NDArray[np.uint32], bits: int) -> tuple[NDArray[np.int32], NDArray[np.uint64]]:
    """The columns of features, and whether their sign is negative."""
    spread = scrambled(checksums.astype(np.uint64) + GOLDEN)
    return (spread & np.uint64((1 << bits) - 1)).astype(np.int32), spread >> np.uint64(63)


def _csr(columns: NDArray[np.int32], values: FloatArray, lengths: list[int], bits: int) -> sp.csr_array:
    starts = np.zeros(len(lengths) + 1, np.int64 if len(columns) > np.iinfo(np.int32).max else np.int32)
    np.cumsum(lengths, out=starts[1:])
    rows = sp.csr_array((values, columns, starts), shape=(len(lengths), 1 << bits))
    rows.sum_duplicates()
    rows.eliminate_zeros()
    return rows


def _scale_to_unit_length(rows: sp.csr_array) -> None:
    per_row = np.diff(rows.indptr)
    row_of_value = np.repeat(np.arange(rows.shape[0]), per_row)
    squared = np.bincount(row_of_value, weights=rows.data**2, minlength=rows.shape[0])
    rows.data /= np.sqrt(squared)[row_of_value]
