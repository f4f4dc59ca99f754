"""Text and records hashed into rows."""

import datetime
import itertools
import re
import subprocess
import sys
import zlib
from collections import defaultdict

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from askance.data import hash_records, hash_texts
from askance.data.hashing import places_of, record_parts
from askance.errors import DataError

MASK = (1 << 64) - 1
PINNED = [{26403: -1.0}, {779734: 1.0}, {239423: 1.0}]


def naive_place(name, bits):
    """Column and sign of a name, in plain integers."""
    mixed = zlib.crc32(name.encode("utf-8", "surrogatepass")) + 0x9E3779B97F4A7C15 & MASK
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 & MASK
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & MASK
    mixed ^= mixed >> 31
    return mixed & (1 << bits) - 1, -1 if mixed >> 63 else 1


def naive_row(features, bits, *, signed=True):
    row = defaultdict(float)
    for name, value in features:
        column, sign = naive_place(name, bits)
        row[column] += sign * value if signed else value
    return {column: value for column, value in sorted(row.items()) if value}


def row_dictionaries(X):
    return [
        dict(zip(X.indices[a:b].tolist(), X.data[a:b].tolist(), strict=True))
        for a, b in zip(X.indptr[:-1], X.indptr[1:], strict=True)
    ]


def assert_canonical(X, bits, dtype="float32"):
    assert isinstance(X, sp.csr_array)
    assert X.shape[1] == 1 << bits
    assert X.dtype == dtype
    assert X.indices.dtype == X.indptr.dtype == np.int32
    assert X.has_canonical_format
    assert np.all(X.data != 0)


@given(st.lists(st.text(max_size=40), max_size=8), st.sampled_from([1, 4, 20, 30]), st.booleans())
def test_texts_agree_with_a_naive_reading(texts, bits, pairs):
    X = hash_texts(texts, bits, pairs=pairs, unit=False, dtype="float64")
    assert_canonical(X, bits, "float64")
    expected = []
    for text in texts:
        words = re.findall(r"\w+", text.lower())
        if pairs:
            words += [f"{a} {b}" for a, b in itertools.pairwise(words)]
        expected.append(naive_row([(word, 1.0) for word in words], bits))
    assert row_dictionaries(X) == expected


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_ascii_words_are_the_words_of_the_pattern(text):
    widened = text + " é"  # takes the general way
    ours = hash_texts([text, widened], unit=False)
    alone = hash_texts(["é"], unit=False)
    assert (abs(ours[[0]] + alone - ours[[1]])).sum() == 0


def test_rows_of_texts_have_unit_length_and_texts_without_words_are_empty():
    X = hash_texts(["the cat and the hat", "", "!?", "One"])
    assert_canonical(X, 20)
    assert np.allclose(np.sqrt((X * X).sum(axis=1)), [1, 0, 0, 1])
    assert X.shape == (4, 2**20)


@pytest.mark.parametrize(
    ("record", "features"),
    [
        ({"age": 33, "income": 1.5}, [("age", 33.0), ("income", 1.5)]),
        ({"colour": "red", "empty": ""}, [("colour=red", 1.0), ("empty=", 1.0)]),
        ({"paid": True, "late": False}, [("paid=true", 1.0), ("late=false", 1.0)]),
        ({"tags": ["a", "b", "a"]}, [("tags=a", 2.0), ("tags=b", 1.0)]),
        ({"place": [0.5, 2]}, [("place.0", 0.5), ("place.1", 2.0)]),
        ({"user": {"name": "x", "at": {"zip": 3}}}, [("user.name=x", 1.0), ("user.at.zip", 3.0)]),
        ({"gone": None, "zero": 0}, []),
        ({"day": datetime.date(2020, 2, 3)}, [("day=2020-02-03", 1.0)]),
        ({"broken": "\ud800"}, [("broken=\ud800", 1.0)]),
        ({"n": np.int64(4), "b": np.True_, "v": np.array([1.0])}, [("n", 4.0), ("b=true", 1.0), ("v.0", 1.0)]),
    ],
)
def test_records_agree_with_the_stated_rules(record, features):
    X = hash_records([record], 18)
    assert_canonical(X, 18)
    assert row_dictionaries(X) == [naive_row(features, 18)]


values = st.recursive(
    st.none() | st.booleans() | st.floats(-1e6, 1e6, width=32) | st.integers(-1000, 1000) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@given(st.lists(st.dictionaries(st.text(max_size=5), values, max_size=4), max_size=5))
def test_rows_do_not_depend_on_their_neighbours(records):
    together = row_dictionaries(hash_records(records))
    assert together == [row_dictionaries(hash_records([record]))[0] for record in records]


@given(
    st.lists(st.lists(st.sampled_from(["one", "Two", "three", "zwölf"]), max_size=9), max_size=4),
    st.sampled_from([1, 4, 20]),
)
def test_counts_without_signs_agree_with_a_naive_count(texts, bits):
    X = hash_texts([" ".join(words) for words in texts], bits, unit=False, signed=False, dtype="float64")
    assert_canonical(X, bits, "float64")
    assert row_dictionaries(X) == [
        naive_row([(word.lower(), 1.0) for word in words], bits, signed=False) for words in texts
    ]


def test_the_parts_of_a_record():
    record = {
        "city": "Oslo",
        "age": 31,
        "paid": True,
        "gone": None,
        "size": {"x": 0.5, "unit": "m"},
        "to": ["a", 2],
    }
    categories, numbers = record_parts(record)
    assert categories == ["city=Oslo", "paid=true", "size.unit=m", "to=a"]
    assert np.isnan(numbers.pop("gone"))
    assert numbers == {"age": 31.0, "size.x": 0.5, "to.1": 2.0}
    names = [*categories, *numbers]
    assert places_of(names, 12).tolist() == [naive_place(name, 12)[0] for name in names]


def test_columns_and_signs_are_what_they_always_were():
    """Models are saved by column: these must never change."""
    X = hash_records([{"age": 1.0}, {"colour": "red"}, {"naïve": 1.0}])
    assert row_dictionaries(X) == PINNED
    script = "from askance.data import hash_texts; X = hash_texts(['age']); print(X.indices[0], X.data[0])"
    elsewhere = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    ((column, value),) = PINNED[0].items()
    assert elsewhere.stdout.split() == [str(column), str(value)]


@pytest.mark.parametrize("names", [[f"f{i}" for i in range(20_000)], [f"colour={i:05}" for i in range(20_000)]])
def test_columns_are_spread_evenly_and_signs_are_fair(names):
    """Names that differ in a digit only, for which a bare CRC gives patterns."""
    X = hash_records([dict.fromkeys(names, 1.0)], 30)
    count = len(names)
    assert X.nnz > count - 10
    assert abs(X.data.sum()) < 4 * np.sqrt(count)
    for shift in (0, 10, 22):  # low, middle and high bits of the column
        cells = np.bincount(X.indices >> shift & 255, minlength=256)
        chi_squared = ((cells - count / 256) ** 2 / (count / 256)).sum()
        assert abs(chi_squared - 255) < 5 * np.sqrt(2 * 255)
    low = X.indices & 1
    assert abs(X.data[low == 0].sum()) < 4 * np.sqrt(count / 2)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: hash_texts(["a"], 31), "bits=31"),
        (lambda: hash_texts(["a"], 0), "bits=0"),
        (lambda: hash_texts("one text"), "list of texts"),
        (lambda: hash_texts(["a", None]), "text 1 (from 0) is None"),
        (lambda: hash_texts(["a"], dtype="int8"), "'float32' or 'float64'"),
        (lambda: hash_records([{}, {"a": float("nan")}]), "record 1 (from 0), 'a': nan is not a finite number"),
        (lambda: hash_records([{"a": 1e300}]), "dtype='float64'"),
        (lambda: hash_records([{"a": 10**400}]), "too large"),
        (lambda: hash_records([{"a": object()}]), "a object cannot be a feature"),
        (lambda: hash_records(["a"]), "give a mapping"),
        (lambda: hash_records([{"a": 3e38, "d": 3e38}], 1), "add up beyond float32"),
    ],
)
def test_what_cannot_be_hashed_is_said_in_a_line(call, says):
    with pytest.raises(DataError) as fault:
        call()
    assert says in str(fault.value)
    assert "\n" not in str(fault.value)


def test_nesting_without_end_is_refused():
    record = {}
    for _ in range(100):
        record = {"a": record, "b": 1}
    with pytest.raises(DataError, match="nested deeper"):
        hash_records([record])
