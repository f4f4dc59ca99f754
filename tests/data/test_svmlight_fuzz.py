"""Damaged svmlight files: the twin's rows or a fault that names the twin's line, never anything else."""

import gzip
import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askance.data.svmlight import read_svmlight
from askance.errors import DataError
from examples import examples
from svmlight_twin import blocks, check_against_twin, files, joined, same, twin

BYTES = st.binary(max_size=4) | st.lists(
    st.sampled_from([bytes([byte]) for byte in b"0123456789.:+-eE \t\r\n#qid,naf_\x00\x0b\xff"]), max_size=6
).map(b"".join)


@st.composite
def damaged(draw):
    """A file in which some places are overwritten, cut out or doubled."""
    content = draw(files)
    for _ in range(draw(st.integers(1, 3))):
        start, length = draw(st.integers(0, len(content))), draw(st.integers(0, 8))
        middle = draw(BYTES | st.just(content[start : start + length] * 2))
        content = content[:start] + middle + content[start + length :]
    return content[: draw(st.integers(0, len(content)) | st.just(len(content)))]


noise = st.binary(max_size=60) | st.lists(BYTES, max_size=20).map(b"".join)
options = st.fixed_dictionaries(
    {
        "dtype": st.sampled_from([np.float32, np.float64]),
        "zero_based": st.booleans(),
        "block_bytes": blocks,
        "threads": st.sampled_from([1, 2]),
    }
)
MARK = 2  # the bytes by which packed data are known as such
quick = examples(120)
long = settings(max_examples=25_000)


def check_packed(content, keep, place, byte):
    """Packed data that are cut off or changed are a fault, unless what was changed does not matter."""
    packed = bytearray(gzip.compress(content)[:keep])
    packed[max(MARK, place % len(packed))] = byte
    X, y, _ = twin(content, np.float32, zero_based=False)
    message = ""
    try:
        found = joined(read_svmlight(io.BytesIO(bytes(packed)), block_bytes=100))
    except DataError as fault:
        message = str(fault)
    assert "\n" not in message
    assert message or same(*found, X, y)


@given(damaged(), options)
@quick
def test_damaged_files(content, given_options):
    check_against_twin(content, **given_options)


@given(noise, options)
@quick
def test_noise(content, given_options):
    check_against_twin(content, **given_options)


@given(files, st.integers(MARK + 1, 400), st.integers(0, 400), st.integers(0, 255))
@quick
def test_damaged_packed_files(content, keep, place, byte):
    check_packed(content, keep, place, byte)


@pytest.mark.soak
@given(damaged(), options)
@long
def test_damaged_files_for_long(content, given_options):
    check_against_twin(content, **given_options)


@pytest.mark.soak
@given(noise, options)
@long
def test_noise_for_long(content, given_options):
    check_against_twin(content, **given_options)


@pytest.mark.soak
@given(files, st.integers(MARK + 1, 400), st.integers(0, 400), st.integers(0, 255))
@settings(max_examples=5000)
def test_damaged_packed_files_for_long(content, keep, place, byte):
    check_packed(content, keep, place, byte)
