"""References in RIS and nbib as rows: what is read of each tag, and what is refused in one sentence."""

import gzip
import io
import re
import sys
import textwrap

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import askance
from askance.data import add_reading, read, read_for_model, read_table
from askance.data.files import TextLines
from askance.data.guessing import guessed_format
from askance.data.raw_rows import rows_of
from askance.data.references import NBIB, REFERENCES, RIS, reference_records
from askance.errors import DataError
from askance.pool.labelling.table import Reading, read_to_label
from damaged_files import Readers, Seed, damaged
from examples import scaled

pytestmark = pytest.mark.plain

SMITH = """TY  - JOUR
AU  - Smith, Jane
AU  - Doe, A.
T1  - Sleep and
  memory in adults
AB  - We asked 40 adults.

They slept well.
KW  - sleep
memory
KW  - adults
PY  - 2019/05//
JO  - Journal of Sleep
DO  - https://doi.org/10.1000/j.sleep.2019
C1  - include
ID  - 17
"""
SMITH += "ER  - \n"  # with a space at its end
PUBMED = """PMID- 31000001
OWN - NLM
STAT- MEDLINE
LID - S0140-6736(19)30041-8 [pii]
LID - 10.1016/x.2019 [doi]
TI  - Sleep and memory
      in adults.
AB  - BACKGROUND: We asked
      40 adults.
FAU - Smith, Jane
AU  - Smith J
FAU - Doe, Ann
AU  - Doe A
PT  - Journal Article
PT  - Review
DP  - 2019 May
TA  - J Sleep
JT  - Journal of sleep
MH  - Adult
OT  - sleep
OT  - memory
"""
SMITH_CELLS = {
    "title": "Sleep and memory in adults",
    "abstract": "We asked 40 adults. They slept well.",
    "keywords": "sleep; memory; adults",
    "authors": "Smith, Jane; Doe, A.",
    "year": "2019",
    "journal": "Journal of Sleep",
    "doi": "10.1000/j.sleep.2019",
    "type": "JOUR",
    "id": "17",
}
PUBMED_CELLS = {
    "title": "Sleep and memory in adults.",
    "abstract": "BACKGROUND: We asked 40 adults.",
    "keywords": "sleep; memory; Adult",
    "authors": "Smith, Jane; Doe, Ann",
    "year": "2019",
    "journal": "Journal of sleep",
    "doi": "10.1016/x.2019",
    "type": "Journal Article; Review",
    "id": "31000001",
}


@pytest.fixture
def cells(tmp_path):
    """A function that reads a content as lists of cells by name, without those that are empty."""

    def cells(content, kind="ris", wanted=()):
        path = tmp_path / f"library.{kind}"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        with TextLines(path) as lines:
            header, *records = reference_records(lines, kind, wanted)
        named = (dict(zip(header.cells, record.cells, strict=True)) for record in records)
        return [{name: cell for name, cell in row.items() if cell} for row in named]

    return cells


@pytest.mark.parametrize(
    ("kind", "content", "expected"), [("ris", SMITH, SMITH_CELLS), ("nbib", PUBMED, PUBMED_CELLS)]
)
def test_a_reference_is_a_row(cells, kind, content, expected):
    assert cells(content, kind) == [expected]
    assert cells(content.replace("\n", "\r\n"), kind) == [expected]
    assert cells(b"\xef\xbb\xbf" + content.encode(), kind) == [expected]
    assert cells(gzip.compress(content.encode()), kind) == [expected]
    assert cells(f"\n\n{content}\n\n\n{content}", kind) == [expected] * 2
    assert cells(content.rstrip(), kind) == [expected]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("TI  - a", {"title": "a"}),
        ("T1  - a", {"title": "a"}),
        ("T1  - a\nTI  - b", {"title": "b"}),
        ("TI  - \nT1  - a", {"title": "a"}),
        ("TI  -\nT1  - a", {"title": "a"}),
        ("BT  - a book", {"title": "a book"}),
        ("N2  - a\nb", {"abstract": "a b"}),
        ("AB  - \na\n\n\tb  ", {"abstract": "a b"}),
        ("AB  - levels of\nIL-6 and\nIL -6 and CD4 - x", {"abstract": "levels of IL-6 and IL -6 and CD4 - x"}),
        ("KW  - a\nKW  - \nKW  - b", {"keywords": "a; b"}),
        ("A1  - Doe, A.", {"authors": "Doe, A."}),
        ("PY  - 2019", {"year": "2019"}),
        ("Y1  - 2019/05/03/spring", {"year": "2019"}),
        ("PY  - in press\nY1  - 2019//", {"year": "2019"}),
        ("PY  - 2019\nPY  - 2020", {"year": "2019"}),
        ("PY  - ///", {}),
        ("JO  - J. Sleep\nJF  - Journal of Sleep", {"journal": "Journal of Sleep"}),
        ("JA  - J. Sleep", {"journal": "J. Sleep"}),
        ("T2  - Journal of Sleep", {"journal": "Journal of Sleep"}),
        ("DO  - doi:10.1000/a(1)b", {"doi": "10.1000/a(1)b"}),
        ("DO  - unknown", {}),
        ("AN  - W1", {"id": "W1"}),
        ("AN  - W1\nID  - 3", {"id": "3"}),
        ("C1  - include\nM1  - 3\nL2  - x.pdf", {}),
        ("TI - one space", {"title": "one space"}),
        ("TI  - ünïcôdé 你好", {"title": "ünïcôdé 你好"}),
    ],
)
def test_lines_of_ris(cells, lines, expected):
    assert cells(f"TY  - JOUR\n{lines}\nER  - \n") == [{"type": "JOUR"} | expected]
    assert cells(f"TY - JOUR\n{lines}\nER  -\n") == [{"type": "JOUR"} | expected]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("TI  - a\n      b\n\tc", {"title": "a b c"}),
        ("BTI - a book", {"title": "a book"}),
        ("AU  - Doe A", {"authors": "Doe A"}),
        ("DP  - 2018 Dec-2019 Jan", {"year": "2018"}),
        ("TA  - J Sleep", {"journal": "J Sleep"}),
        ("AID - 10.1/x [doi]\nAID - 17 [pii]", {"doi": "10.1/x"}),
        ("LID - e17\nAID - 10.1/x [doi]", {"doi": "10.1/x"}),
        ("MH  - *Sleep/drug effects", {"keywords": "*Sleep/drug effects"}),
        ("PHST- 2019/01/01 00:00 [received]\nSO  - J Sleep. 2019", {}),
    ],
)
def test_lines_of_nbib(cells, lines, expected):
    assert cells(f"PMID- 3\n{lines}\n", "nbib") == [{"id": "3"} | expected]


def test_what_databases_write_around_references_in_ris_is_left_out(cells):
    content = f"Provider: A Library\nContent: text/plain\n\n{SMITH}\n2.\n{SMITH}ER  - \nthe end\n"
    assert cells(content) == [SMITH_CELLS] * 2


def test_references_of_pubmed_without_a_blank_line_between_them(cells):
    assert [row["id"] for row in cells("PMID- 1\nTI  - a\nPMID- 2\n\nPMID- 3\nTI  - b", "nbib")] == ["1", "2", "3"]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.ris", b"<html>\n</html>\n", "a.ris: has no references: begin each reference with a line 'TY  - '"),
        ("a.ris", b"\nAU  - Doe\n", "a.ris, line 2: 'AU  - Doe' is not in a reference: begin each"),
        ("a.ris", b"TY  - A\nER  - \nTI  - b\n", "a.ris, line 3: 'TI  - b' is not in a reference"),
        (
            "a.ris",
            b"\nTY  - A\nTI  - b\n",
            "a.ris, line 2: the reference that begins here has no last line 'ER  - '",
        ),
        ("a.ris", b"TY  - A\nTY  - B\nER  - \n", "a.ris, line 1: the reference that begins here has no last line"),
        ("a.ris", b"TY  - A\nTI  - b\xe9\nER  - \n", "a.ris, line 2: byte 8 is not UTF-8: convert the file"),
        ("a.nbib", b"\n\n", "a.nbib: has no references: begin each reference with a line 'PMID- '"),
        ("a.nbib", b"TI  - b\n", "a.nbib, line 1: 'TI  - b' is not in a reference: begin each"),
        ("a.nbib", b"PMID- 1\nTI  - b\nand c\n", "a.nbib, line 3: 'and c' is not in a reference: begin each"),
        ("a.nbib", b"PMID- 1\n\n      c\n", "a.nbib, line 3: 'c' is not in a reference"),
    ],
)
def test_damage_is_named_with_its_line(tmp_path, name, content, said):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(DataError, match=re.escape(said)) as refused:
        list(read_table(path, label=False))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        (b"TY  - JOUR\r\nAU  - Doe\r\n", "ris"),
        (b"\xef\xbb\xbf\nTY - JOUR\n", "ris"),
        (b"TY  - \n", "ris"),
        (b"\nPMID- 31000001\nOWN - NLM\n", "nbib"),
        (b"TY, a\n", "csv"),
        (b"PMID,title\n", "csv"),
    ],
)
def test_the_first_line_shows_the_format(start, expected):
    assert guessed_format(start, "it") == expected


def library(kind, count, *, first=0):
    """References of which those with a year before 2000 are about sleep."""
    parts = []
    for number in range(first, first + count):
        word = "sleep" if number % 3 == 0 else "running"
        year, title = 1990 + number % 3 * 10 + number % 7, f"A study of {word} in {number} adults"
        abstract = "" if number % 5 == 0 else f"In this trial of {word}, {number} adults took part."
        if kind == "ris":
            lines = ["TY  - JOUR", f"ID  - {number}", f"TI  - {title}", f"PY  - {year}//"]
            lines += [f"AB  - {abstract}"] * bool(abstract) + [f"DO  - 10.1000/{number}"] * (number % 4 > 0)
            lines += ["LA  - eng", f"C1  - {'in' if word == 'sleep' else 'out'}", "ER  - "]
        else:
            lines = [f"PMID- {number}", f"TI  - {title}", f"DP  - {year} May", "DCOM- 20190101"]
            lines += [f"AB  - {abstract}"] * bool(abstract) + [f"LID - 10.1000/{number} [doi]"] * (number % 4 > 0)
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def written(path, *args, **kwargs):
    path.write_text(library(*args, **kwargs))
    return path


@pytest.mark.parametrize("kind", ["ris", "nbib"])
def test_kinds_of_columns(tmp_path, kind):
    stream = read_table(written(tmp_path / f"a.{kind}", kind, 40), label=False)
    used = {column.name: column.kind for column in stream.columns if column.kind != "left out"}
    assert used == {"title": "text", "abstract": "text", "year": "number"}
    assert {column.name: column.reason for column in stream.columns if column.name in ("doi", "id")} == {
        "doi": "an id",
        "id": "an id",
    }


def test_a_name_and_standard_input_do_not_matter(tmp_path, monkeypatch):
    path = written(tmp_path / "a.ris", "ris", 40)
    expected = next(iter(read_table(path, label="C1")))
    for name in ("a.txt", "a.dat", "a"):
        (chunk,) = read_table(written(tmp_path / name, "ris", 40), label="C1")
        assert np.array_equal(chunk.X.dense, expected.X.dense)
        assert chunk.y.tolist() == expected.y.tolist()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
    (chunk,) = read_table("-", label="C1")
    assert abs(chunk.X.sparse - expected.X.sparse).max() == 0
    assert sum(part.X.shape[0] for part in read_table(path, label="C1", chunk_rows=7)) == 40


def test_labels_in_another_file(tmp_path):
    path, labels = written(tmp_path / "a.ris", "ris", 40), tmp_path / "labels.csv"
    labels.write_text("id,label\n" + "".join(f"{number},{number % 2}\n" for number in range(30)))
    (chunk,) = read_table(path, labels=labels, id="id")
    assert (chunk.y.tolist(), chunk.ids.tolist()) == ([0, 1] * 15, [str(number) for number in range(30)])


def test_a_tag_that_is_named_is_a_column(tmp_path, cells):
    assert "C1" not in cells(SMITH)[0]
    assert cells(SMITH, wanted=["C1", "M1", "age", None, False]) == [SMITH_CELLS | {"C1": "include"}]
    path = written(tmp_path / "a.ris", "ris", 40)
    assert [row["C1"] for row in cells(path.read_bytes(), wanted=["C1"])] == next(
        iter(read_table(path, label="C1"))
    ).y.tolist()
    columns = read_table(path, label="C1", categories=["LA"], drop=["title"]).columns
    assert {"LA": "category"}.items() <= {column.name: column.kind for column in columns}.items()
    with pytest.raises(DataError, match="no label field: looked for 'label'"):
        read_table(path)
    with pytest.raises(DataError, match="no label field 'decision'; there are 'title', 'abstract'"):
        read_table(path, label="decision")


def test_a_model_reads_the_next_library(tmp_path):
    stream = read_table(written(tmp_path / "a.ris", "ris", 40), label="C1", categories=["LA"])
    list(stream)
    askance.make("PAA-II").partial_fit(np.eye(2), ["in", "out"]).save(tmp_path / "a.model")
    add_reading(tmp_path / "a.model", stream)
    later = written(tmp_path / "b.ris", "ris", 9, first=40)
    (portion,) = read_for_model(tmp_path / "a.model", later, label=None, keep=["AN", "C1"]).portions()
    assert portion.y.tolist() == list(portion.kept["C1"])
    assert list(portion.kept["AN"]) == [""] * 9
    assert portion.X.shape[0] == 9


def test_a_library_to_label(tmp_path):
    path = written(tmp_path / "a.ris", "ris", 40)
    assert read_to_label(path, Reading()).known == {}
    path.write_text(path.read_text().replace("C1  - in\n", ""))
    table = read_to_label(path, Reading(label="C1"))
    assert set(table.known.values()) == {"out"}
    assert table.shown(1)["title"] == "A study of running in 1 adults"
    assert "abstract" not in table.shown(5)


def test_other_readers(tmp_path):
    path = written(tmp_path / "a.nbib", "nbib", 3)
    with pytest.raises(
        DataError, match="only the automatic learner and read_table read references: save it as CSV"
    ):
        read(path)
    with rows_of(path) as rows:
        rows.find_numbers()
        (first, *_), where = [rows.values(entry, ["doi"]) for entry in rows], rows.where(7)
    assert first == {"title": "A study of sleep in 0 adults", "year": 1990.0, "id": 0.0}
    assert where.endswith("a.nbib, line 7")


# ---------------------------------------------------------------------- naive twin

words = st.text("abcäz你-:,.()1", min_size=1, max_size=8)
texts = st.lists(words, min_size=1, max_size=30).map(" ".join)
libraries = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "title": texts,
            "abstract": texts,
            "authors": st.lists(texts, min_size=1, max_size=3).map("; ".join),
            "year": st.integers(1000, 2999).map(str),
            "journal": texts,
        },
    ),
    min_size=1,
    max_size=5,
)
TAGS = {
    "ris": {"title": "TI", "abstract": "AB", "authors": "AU", "year": "PY", "journal": "JO"},
    "nbib": {"title": "TI", "abstract": "AB", "authors": "FAU", "year": "DP", "journal": "JT"},
}


def as_file(rows, kind, width):
    """References as a database writes them, with lines of this width."""
    lines = []
    for row in rows:
        lines += ["TY  - JOUR" if kind == "ris" else "PMID- 7"]
        for name, cell in row.items():
            for value in cell.split("; ") if name == "authors" else [cell]:
                parts = textwrap.wrap(value, width, break_long_words=False, break_on_hyphens=False)
                lines += [f"{TAGS[kind][name]:4}- {parts[0]}", *(f"      {part}" for part in parts[1:])]
        lines += ["ER  - ", ""] if kind == "ris" else [""]
    return "\n".join(lines)


@given(libraries, st.sampled_from(["ris", "nbib"]), st.integers(5, 90))
@settings(max_examples=scaled(300), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_written_is_read(cells, rows, kind, width):
    fixed = {"type": "JOUR"} if kind == "ris" else {"id": "7"}
    assert cells(as_file(rows, kind, width), kind) == [row | fixed for row in rows]


# ---------------------------------------------------------------------- damage

SEEDS = [
    Seed("a.ris", library("ris", 12).encode()),
    Seed("a.ris", SMITH.encode() * 3),
    Seed("a.ris.gz", gzip.compress(library("ris", 12).encode(), mtime=0)),
    Seed("a.nbib", library("nbib", 12).encode()),
    Seed("a.nbib", f"{PUBMED}\n{PUBMED}".encode()),
    Seed("a.txt", library("nbib", 12).encode()),
]
READERS = ("read", "read_table, without labels", "read_for_model, by kinds", "read_table from a pipe")


def check_damaged(directory, inputs, random_state):
    readers, rng, counts = Readers(directory), np.random.default_rng(random_state), {"rows": 0, "error": 0}
    for number in range(inputs):
        seed = SEEDS[number % len(SEEDS)]
        content, reader = damaged(seed, rng), READERS[number % len(READERS)]
        outcome = readers.outcome(reader, seed.name, content)
        assert outcome.kind in counts, (reader, seed.name, outcome, content)
        counts[outcome.kind] += 1
    return counts


def test_damaged_files_give_rows_or_an_error(tmp_path):
    assert min(check_damaged(tmp_path, 300, 7).values()) > 10


@pytest.mark.soak
def test_damaged_files_give_rows_or_an_error_for_long(tmp_path):
    assert min(check_damaged(tmp_path, 20_000, 0).values()) > 100


def test_both_formats_have_the_same_columns():
    assert list(RIS.columns) == list(NBIB.columns)
    assert REFERENCES == {"ris": RIS, "nbib": NBIB}
