"""Files of ratings: every format gives the same triplets, and every fault names its line."""

import csv
import datetime
import decimal
import gzip
import pathlib
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.data import rating_text
from askance.data.rating_columns import Triplets, rating_columns
from askance.data.rating_files import Pairs, read_pairs, read_ratings
from askance.errors import DataError

USERS, ITEMS, RATINGS = [196, 186, 22, 196], [242, 302, 377, 51], [3.0, 3.5, 1.0, 5.0]
ROWS = list(zip(USERS, ITEMS, RATINGS, strict=True))


def lines(delimiter: str, *, header: str = "", end: str = "\n", quote: str = "") -> bytes:
    rows = [delimiter.join([*(f"{quote}{cell}{quote}" for cell in row), "881250949"]) for row in ROWS]
    return "".join(line + end for line in ([header] if header else []) + rows).encode()


TEXTS = {
    "u.data": lines("\t"),
    "ratings.dat": lines("::"),
    "ratings.csv": lines(",", header="userId,movieId,rating,timestamp"),
    "windows.csv": lines(",", header="userId,movieId,rating,timestamp", end="\r\n"),
    "byte-order-mark.csv": b"\xef\xbb\xbf" + lines(",", header="user_id,item_id,rating,when"),
    "semicolons.csv": lines(";", header='"User-ID";"ISBN";"Book-Rating";"when"', quote='"'),
    "tab.tsv": lines("\t", header="user\titem\tstars\twhen"),
    "no-header.csv": lines(","),
    "no-last-end.csv": lines(",").rstrip(b"\n"),
    "blank-lines.csv": b"\n" + lines(",", header="user,item,rating,when", end="\n\n  \n"),
    "blanks.csv": lines(" , ", header="user , item , rating , when"),
    "quoted.csv": lines(",", quote='"'),
}


def is_same(found: Any, users: Any = USERS, items: Any = ITEMS, ratings: Any = RATINGS) -> None:
    assert found.users.tolist() == list(users)
    assert found.items.tolist() == list(items)
    assert found.ratings.tolist() == list(ratings)
    assert found.ratings.dtype == np.float64


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("compressed", [False, True])
def test_text_of_every_kind(name: str, compressed: bool, tmp_path: pathlib.Path) -> None:
    path = tmp_path / name
    path.write_bytes(gzip.compress(TEXTS[name]) if compressed else TEXTS[name])
    is_same(read_ratings(path))
    assert read_ratings(path).users.dtype == np.int64
    assert isinstance(read_ratings(path), Triplets)
    is_same(read_pairs(path))


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("name", TEXTS)
def test_the_size_of_batches_changes_nothing(
    size: int, name: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rating_text, "BATCH_LINES", size)
    (tmp_path / name).write_bytes(TEXTS[name])
    is_same(read_ratings(tmp_path / name))


def test_archives_and_parquet(tmp_path: pathlib.Path) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    np.savez(tmp_path / "a.npz", users=np.int32(USERS), items=np.array(ITEMS, float), ratings=np.float32(RATINGS))
    is_same(read_ratings(tmp_path / "a.npz"))
    columns = {"when": [1, 2, 3, 4], "movieId": ITEMS, "rating": RATINGS, "userId": USERS}
    parquet.write_table(arrow.table(columns), tmp_path / "a.parquet")
    is_same(read_ratings(tmp_path / "a.parquet"))
    texts = arrow.table({"u": [f"u{user}" for user in USERS], "i": ["x", "y", "z", "x"], "s": RATINGS})
    parquet.write_table(texts, tmp_path / "named")  # known by its first bytes
    named = read_ratings(tmp_path / "named", users="u", items="i", ratings="s")
    is_same(named, [f"u{user}" for user in USERS], ["x", "y", "z", "x"])


def test_parquet_of_other_types(tmp_path: pathlib.Path) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = arrow.table(
        {
            "user": arrow.array(["a", "b", "a"]).dictionary_encode(),
            "item": arrow.array([1, 2, 3], arrow.uint8()),
            "rating": arrow.array([decimal.Decimal("3.5"), decimal.Decimal(4), decimal.Decimal(1)]),
        }
    )
    parquet.write_table(table, tmp_path / "a.parquet")
    is_same(read_ratings(tmp_path / "a.parquet"), ["a", "b", "a"], [1, 2, 3], [3.5, 4, 1])
    for wrong in (["x", "y", "z"], [datetime.date(2020, 1, 1)] * 3):
        parquet.write_table(table.set_column(2, "rating", arrow.array(wrong)), tmp_path / "a.parquet")
        with pytest.raises(DataError, match="'rating' does not hold numbers"):
            read_ratings(tmp_path / "a.parquet")
    parquet.write_table(table.set_column(2, "rating", arrow.array([1, None, 2])), tmp_path / "a.parquet")
    with pytest.raises(DataError, match=r"row 1 \(from 0\): the rating nan"):
        read_ratings(tmp_path / "a.parquet")


def test_parquet_without_pyarrow_says_how_to_get_it(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(DataError, match=r"pip install 'askance\[parquet\]'"):
        read_ratings(tmp_path / "a.parquet")


def test_columns_by_name_and_by_place(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("Nutzer;Note;Film\n7;4;a\n8;5;b\n")
    is_same(read_ratings(path, users="Nutzer", items="Film", ratings="Note"), [7, 8], ["a", "b"], [4, 5])
    is_same(read_ratings(path, users="1", items=3, ratings="Note"), [7, 8], ["a", "b"], [4, 5])
    path.write_text("9 4 7\n9 5 8\n")
    is_same(read_ratings(path, users=3, items=1, ratings=2, delimiter=" "), [7, 8], [9, 9], [4, 5])


def test_the_names_of_data_frames_are_looked_for_in_the_same_way() -> None:
    assert rating_columns(["rating", "movie_id", "User-ID"]) == [2, 1, 0]
    assert rating_columns(["a", "b", "c", "d"]) == [0, 1, 2]
    with pytest.raises(ValueError, match="are not users, items and ratings"):
        rating_columns(["a", "b"])


def test_ids_are_numbers_only_if_all_are_and_nothing_is_lost(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rating_text, "BATCH_LINES", 2)
    path = tmp_path / "a.csv"
    path.write_text("1,007,3\n-2,8,3\n3,9,3\nx,10,3\n")
    is_same(read_ratings(path), ["1", "-2", "3", "x"], ["007", "8", "9", "10"], [3, 3, 3, 3])
    path.write_text(f"1_000,{2**63},3\n5,1,3\n")
    is_same(read_ratings(path), ["1_000", "5"], [str(2**63), "1"], [3, 3])


def test_a_cell_may_go_over_several_lines_and_line_numbers_stay_right(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "reviews.csv"
    path.write_text('user,item,rating,text\n1,2,3,plain\n1,3,4,"two\nlines, ""so"""\n1,4,five,x\n')
    with pytest.raises(DataError, match=r"reviews\.csv, line 5: the rating 'five'"):
        read_ratings(path)
    path.write_text(path.read_text().replace("five", "5"))
    is_same(read_ratings(path), [1, 1, 1], [2, 3, 4], [3, 4, 5])


def test_pairs_need_no_ratings(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "pairs.csv"
    for text in ("user,item\n1,a\n2,b\n", "1,a\n2,b\n", "who,what\n1,a\n2,b\n"):
        path.write_text(text)
        found = read_pairs(path, **({"users": "who", "items": "what"} if "who" in text else {}))
        assert isinstance(found, Pairs)
        assert (found.users.tolist(), found.items.tolist(), found.ratings) == ([1, 2], ["a", "b"], None)
    path.write_text("anna,film\nbert,book\n")  # nothing tells a header from a row: all are rows
    assert read_pairs(path).users.tolist() == ["anna", "bert"]
    path.write_text("item,when,user\na,5,1\n")
    assert read_pairs(path).ratings is None
    assert read_pairs(path, ratings="when").ratings.tolist() == [5]
    np.savez(tmp_path / "pairs.npz", users=[1], items=[2])
    assert read_pairs(tmp_path / "pairs.npz").ratings is None


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b"\n\n", "only blank lines"),
        (b"userId,movieId,rating\n", "has no ratings"),
        (b"1,2,3\n1,2\n", "line 2: has 2 cells but the first line has 3"),
        (b"1,2,3\n\n1,2,3,4\n", "line 3: has 4 cells but the first line has 3"),
        (b"1::2::3\n1::2::3\n1::2\n", "line 3: has 2 cells but the first line has 3"),
        (b'1,2,3\n"1",2\n', "line 2: has 2 cells but the first line has 3"),
        (b"user,item,rating\n1,2,3\n1,3,good\n", "line 3: the rating 'good' is not a finite number"),
        (b"1,2,3\n1,3,nan\n", "line 2: the rating 'nan' is not a finite number"),
        (b"1,2,3\n1,3,-inf\n", "line 2: the rating '-inf' is not a finite number"),
        (b"1,2,3\n1,3,\n", "line 2: the rating '' is not a finite number"),
        (b"1,2,3\n1,3,1_0\n", "line 2: the rating '1_0' is not a finite number"),
        (b"1,2,3\n1,3,1e999\n", "line 2: the rating '1e999' is not a finite number"),
        ("1,2,3\n1,3,٣\n".encode(), "line 2: the rating '٣' is not a finite number"),
        (b"1,2,3\n,3,4\n", "line 2: has no user"),
        (b"1,2,3\n\n1, ,4\n", "line 3: has no item"),
        (b'1,2,3\n1,3,4\n"1,3,4\n', "line 3: is not well-formed CSV"),
        (b"1,2,3\r1,2,3\r", "line 1: is not well-formed CSV"),
        (b"1,2,3\n\xff,2,3\n", "line 2: byte 1 is not UTF-8"),
        (bytes(range(256)), "line 1: has a zero byte"),
        (b"\x7fELF\2\1\1\0\0\0\n", "line 1: has a zero byte"),
        (b"just words\n", "line 1: 'just words' has no comma, tab, semicolon or '::'"),
        (b"1,2\n3,4\n", "line 1: has 2 cells where 3 are needed, for users and items and ratings"),
        (b"who,what,how\n1,2,3\n", "none of the columns 'who', 'what', 'how' has a usual name for users"),
        (gzip.compress(b"1,2,3\n" * 9999)[:-20], r"after line \d+: the compressed data are damaged or cut off"),
        (b"PK\3\4 and nothing more", "is not a NumPy archive"),
        (b"PAR1 and nothing more", "is not a Parquet file"),
    ],
)
def test_what_is_wrong_and_where(content: bytes, said: str, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "made-up"
    path.write_bytes(content)
    with pytest.raises(DataError, match=said) as fault:
        read_ratings(path)
    assert str(fault.value).startswith(str(path))
    assert "\n" not in str(fault.value)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"users": "who"}, "there is no column 'who' of users among 'user', 'item', 'rating'"),
        ({"users": "item"}, "must be in different columns"),
        ({"users": 4}, "there is no column 4 of users"),
        ({"users": 0}, "there is no column 0 of users"),
        ({"delimiter": "\n"}, "delimiter='\\\\n': give a character"),
        ({"delimiter": "|"}, "line 1: has 1 cells where 3 are needed"),
    ],
)
def test_wrong_options(options: dict[str, Any], said: str, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("user,item,rating\n1,2,3\n")
    with pytest.raises(DataError, match=said):
        read_ratings(path, **options)


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({"users": [1, 2], "items": [1], "ratings": [1, 2]}, r"'items' has the shape \(1,\)"),
        ({"users": [1, 2], "items": [[1], [2]], "ratings": [1, 2]}, r"'items' has the shape \(2, 1\)"),
        ({"users": [1, 2.5], "items": [1, 2], "ratings": [1, 2]}, r"row 1 \(from 0\): 2.5 is not a valid user id"),
        ({"users": [1, 2], "items": [1, np.nan], "ratings": [1, 2]}, r"row 1 \(from 0\): nan is not a valid item"),
        ({"users": [1, 2], "items": [1, 2], "ratings": [1, np.nan]}, r"row 1 \(from 0\): the rating nan"),
        ({"users": [1, 2], "items": [1, 2], "ratings": ["a", "b"]}, "'ratings' does not hold numbers"),
        ({"users": [1, 2], "items": [1, 2]}, "none of the columns 'users', 'items' has a usual name for ratings"),
        ({"users": ["a", " "], "items": [1, 2], "ratings": [1, 2]}, r"row 1 \(from 0\): has no user"),
    ],
)
def test_what_is_wrong_in_an_archive(arrays: dict[str, Any], said: str, tmp_path: pathlib.Path) -> None:
    np.savez(tmp_path / "a.npz", **arrays)
    with pytest.raises(DataError, match=said):
        read_ratings(tmp_path / "a.npz")


def test_an_absent_id_in_parquet(tmp_path: pathlib.Path) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    for user in (["a", None], [1, None]):
        parquet.write_table(arrow.table({"user": user, "item": [1, 2], "rating": [1, 2]}), tmp_path / "a.parquet")
        with pytest.raises(DataError, match=r"row 1 \(from 0\): (None|nan) is not a valid user id"):
            read_ratings(tmp_path / "a.parquet")


def test_a_workbook_is_named(tmp_path: pathlib.Path) -> None:
    book = pytest.importorskip("openpyxl").Workbook()
    for row in (["user", "item", "rating"], [1, 2, 3]):
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    with pytest.raises(
        DataError, match="is an XLSX workbook, which is not read for ratings: save the sheet as CSV"
    ):
        read_ratings(tmp_path / "a.xlsx")


TEXT_IDS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=8
).filter(lambda text: text == text.strip())
IDS = st.one_of(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=9), st.lists(TEXT_IDS, min_size=9))
STARS = st.floats(allow_nan=False, allow_infinity=False)


@given(IDS, IDS, st.lists(STARS, min_size=9), st.sampled_from(",;\t"), st.integers(1, 5))
def test_made_up_triplets_come_back_from_csv(
    tmp_path_factory: pytest.TempPathFactory, users: Any, items: Any, ratings: Any, delimiter: str, size: int
) -> None:
    path = tmp_path_factory.mktemp("made-up") / "a.csv"
    count = min(len(users), len(items), len(ratings))
    wanted = users[:count], items[:count], ratings[:count]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(["user", "item", "rating"])
        writer.writerows(zip(*wanted, strict=True))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rating_text, "BATCH_LINES", size)
        found = read_ratings(path)
    for ids, given_ids in zip(found[:2], wanted[:2], strict=True):
        assert list(map(str, ids.tolist())) == list(map(str, given_ids))
    assert found.ratings.tolist() == wanted[2]


@given(st.binary(max_size=60) | st.text(st.sampled_from('12.,;:\t\n\r" ae_'), max_size=60).map(str.encode))
def test_whatever_the_bytes_there_are_ratings_or_a_fault(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = tmp_path_factory.mktemp("any") / "a"
    path.write_bytes(content)
    try:
        found = read_ratings(path)
    except DataError:
        return
    assert len(found.users) == len(found.items) == len(found.ratings) > 0
    assert np.isfinite(found.ratings).all()
