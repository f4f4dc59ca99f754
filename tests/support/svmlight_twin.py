"""The slow twin of the svmlight reader, and files to try both on."""

import io
import re
from itertools import pairwise

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st

from askance.data.svmlight import read_svmlight
from askance.errors import DataError

NUMBER = re.compile(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
FEATURE = re.compile(rb"([0-9]+):(.*)")
QUERY = re.compile(rb"qid:[0-9]+")


class FaultyLineError(ValueError):
    pass


def number(token, dtype):
    with np.errstate(over="ignore"):
        if NUMBER.fullmatch(token) and np.isfinite(value := dtype(float(token))):
            return value
    raise FaultyLineError(token)


def feature(token, dtype, first):
    pair = FEATURE.fullmatch(token)
    if pair is None:
        raise FaultyLineError(token)
    return int(pair[1]) - first, number(pair[2], dtype)


def row(line, dtype, first):
    """A line's label and features; nothing for a blank line."""
    text, comment, _ = line.partition(b"#")
    tokens = [token for token in re.split(rb"[ \t]", text if comment else text.removesuffix(b"\r")) if token]
    if not tokens:
        return None
    label = number(tokens[0], np.float64)
    query = len(tokens) > 1 and QUERY.fullmatch(tokens[1]) is not None
    features = [feature(token, dtype, first) for token in tokens[1 + query :]]
    columns = [-1, *(column for column, _ in features)]
    if any(after <= before for before, after in pairwise(columns)) or max(columns) > 2**31 - 2:
        raise FaultyLineError(line)
    return label, features


def twin(content, dtype, *, zero_based):
    """Rows, labels and 0; or None, None and the line that is faulty."""
    rows = []
    for line_number, line in enumerate(content.split(b"\n"), 1):
        try:
            rows.append(row(line, dtype, 0 if zero_based else 1))
        except FaultyLineError:
            return None, None, line_number
    rows = [found for found in rows if found is not None]
    features = [pair for _, pairs in rows for pair in pairs]
    starts = np.cumsum([0, *(len(pairs) for _, pairs in rows)])
    width = max((column + 1 for column, _ in features), default=0)
    data, columns = np.array([v for _, v in features], dtype), np.array([c for c, _ in features], np.int32)
    X = sp.csr_array((data, columns, starts), shape=(len(rows), width))
    return X, np.array([label for label, _ in rows]), 0


def joined(stream):
    """A stream's rows in one piece, and what must hold of every chunk."""
    chunks = list(stream)
    widths = [chunk.X.shape[1] for chunk in chunks]
    progress = [chunk.progress for chunk in chunks]
    assert widths == sorted(widths)
    assert progress == sorted(progress)
    assert progress[0] >= 0
    assert progress[-1] <= 1
    for chunk in chunks:
        assert chunk.X.shape[0] == len(chunk.y) > 0
        assert chunk.X.indices.dtype == chunk.X.indptr.dtype == np.int32
        assert chunk.X.has_canonical_format
        chunk.X.resize(chunk.X.shape[0], widths[-1])
    X = sp.vstack([chunk.X for chunk in chunks], format="csr")
    return X, np.concatenate([chunk.y for chunk in chunks])


def same(X, y, other_X, other_y):
    """Equal to the last bit, the sign of zero too."""
    return (
        X.shape == other_X.shape
        and X.dtype == other_X.dtype
        and X.data.tobytes() == other_X.data.tobytes()
        and X.indices.tolist() == other_X.indices.tolist()
        and X.indptr.tolist() == other_X.indptr.tolist()
        and y.tobytes() == other_y.tobytes()
    )


def check_against_twin(content, *, dtype=np.float64, zero_based=False, block_bytes=1 << 16, threads=1):
    """The reader gives the twin's rows, or a fault in one line that names the twin's line."""
    X, y, faulty_line = twin(content, dtype, zero_based=zero_based)
    stream = read_svmlight(
        io.BytesIO(content), dtype=dtype, zero_based=zero_based, block_bytes=block_bytes, threads=threads
    )
    try:
        found = joined(stream)
    except DataError as fault:
        message = str(fault)
        assert "\n" not in message
        expected = f"the stream, line {faulty_line}: " if faulty_line else "the stream: has no rows"
        assert message.startswith(expected), message
        assert faulty_line or not len(y), message
    else:
        assert not faulty_line, f"line {faulty_line} should be a fault"
        assert same(*found, X, y)


def spelled(value, style):
    return (style % value).encode() if style else repr(value).encode()


finite = st.floats(allow_nan=False, allow_infinity=False, width=32)
numbers = st.one_of(
    st.sampled_from([b"1", b"+1", b"-1", b"0", b"-0", b"0.5", b".5", b"5.", b"1e3", b"-2.5E-3", b"12", b"007"]),
    st.builds(
        spelled,
        finite,
        st.sampled_from(["", "%.3f", "%.6f", "%g", "%.7f", "%.8f", "%.12f", "%.16g", "%.17g", "%.18e", "%.30f"]),
    ),
    st.builds(spelled, st.floats(-1, 1), st.sampled_from(["", "%.4f", "%.6f", "%.7f", "%.8f", "%.15f", "%.16f"])),
    st.from_regex(rb"[+-]?[0-9]{1,9}(\.[0-9]{0,22})?([eE][+-]?[0-9]{1,2})?", fullmatch=True).filter(
        lambda token: abs(float(token)) < 1e38
    ),
)
gaps = st.sampled_from([b" ", b" ", b" ", b"  ", b"\t", b" \t "])
line_ends = st.sampled_from(
    [b"\n", b"\n", b"\n", b"\r\n", b" \n", b" # a note: 1:2\n", b"#\r\n", b"\n\n", b"\n \t\r\n#\n"]
)


@st.composite
def lines(draw):
    indices = draw(st.lists(st.integers(0, 2**31 - 2) | st.integers(0, 30), max_size=6, unique=True))
    query = draw(st.sampled_from([[], [], [b"qid:12"]]))
    features = [b"%d:%s" % (index + 1, draw(numbers)) for index in sorted(indices)]
    start = draw(st.sampled_from([b"", b"", b"", b" ", b"\t"]))
    line = start + draw(numbers)
    for token in query + features:
        line += draw(gaps) + token
    return line + draw(line_ends)


def ending(content, last):
    return content.rstrip(b"\r\n") + last


# Whole files, whose last line may lack its end.
files = st.builds(
    ending,
    st.lists(lines(), min_size=1, max_size=12).map(b"".join),
    st.sampled_from([b"\n", b"", b"\r\n", b"\n\n"]),
)
blocks = st.integers(1, 60) | st.just(1 << 12)
