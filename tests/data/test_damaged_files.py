"""Damaged files of every format give rows or one sentence, whichever reader meets them."""

from collections import Counter

import pytest

from damaged_files import Outcome, Readers, outcomes, seeds
from examples import scaled

FEW, MANY = 800, 100_000


def check(directory, inputs, random_state):
    counts = Counter()
    for reader, name, content, outcome in outcomes(directory, inputs, random_state):
        assert outcome.kind in ("rows", "error"), (reader, name, outcome, content)
        counts[reader, outcome.kind] += 1
    return counts


def test_every_reader_gives_rows_or_an_error(tmp_path):
    counts = check(tmp_path, scaled(FEW), 7)
    assert {kind for _, kind in counts} == {"rows", "error"}


@pytest.mark.soak
def test_every_reader_gives_rows_or_an_error_for_long(tmp_path):
    counts = check(tmp_path, MANY, 0)
    assert len(counts) == 2 * len(Readers(tmp_path).all)


def test_sound_files_are_read_by_the_readers_that_are_for_them(tmp_path):
    readers = Readers(tmp_path)
    for seed in seeds():
        reader = "read_ratings" if seed.name.startswith(("ratings", "u.data")) else "read"
        assert readers.outcome(reader, seed.name, seed.content) == Outcome("rows", "")


@pytest.mark.parametrize(
    ("reader", "kind"),
    [
        (lambda path: 1 / 0, "ZeroDivisionError"),
        (lambda path: [], "no rows"),
        (lambda path: [([[float("nan")]], [1], 0.5, None)], "AttributeError"),
    ],
)
def test_anything_else_is_noticed(tmp_path, reader, kind):
    readers = Readers(tmp_path)
    readers.all["read"] = reader
    assert readers.outcome("read", "a.csv", b"a,label\n1,2\n").kind == kind
