"""`read_table`: kinds of columns as a person would guess them, and the same rows however they come."""

import csv
import datetime
import gzip
import json
import math
import shutil

import numpy as np
import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest
import scipy.sparse as sp

from askance import make
from askance.data import MixedRows, describe, read, read_table
from askance.data.hashing import count_rows, name_checksum
from askance.data.mixed import take_rows
from askance.errors import DataError
from customer_table import customers, write_customers
from workbooks import book_of

CHUNK_ROWS = [1, 7, 333, 5000]


def gathered(stream):
    """All rows as one, dense and sparse part apart, and the labels."""
    chunks = list(stream)
    assert [chunk.progress for chunk in chunks] == sorted(chunk.progress for chunk in chunks)
    assert chunks[-1].progress == 1
    parts = [chunk.X for chunk in chunks]
    y = None if chunks[0].y is None else np.concatenate([chunk.y for chunk in chunks])
    if isinstance(parts[0], MixedRows):
        for part in parts:
            part.check()
        dense = np.concatenate([part.dense for part in parts])
        return dense, sp.vstack([part.sparse for part in parts], format="csr"), y
    if sp.issparse(parts[0]):
        return None, sp.vstack(parts, format="csr"), y
    return np.concatenate(parts), None, y


def table(tmp_path, content, name="t.csv", **options):
    path = tmp_path / name
    path.write_text(content)
    return read_table(path, **options)


def kinds(stream):
    return {column.name: column.kind for column in stream.columns}


def of_column(values, name="x", rows=None):
    """The plan of one column of a frame."""
    labels = [row % 2 for row in range(len(values))]
    frame = polars.DataFrame(
        {name: values, "other": np.linspace(0, 1, len(values)), "label": labels}, strict=False
    )
    return read_table(frame).columns[0]


# ---------------------------------------------------------------------- kinds


def test_the_kinds_of_a_raw_table(tmp_path):
    stream = read_table(write_customers(tmp_path / "c.csv", 300))
    assert kinds(stream) == {
        "customer": "left out",
        "income": "number",
        "age": "number",
        "ratio": "number",
        "city": "category",
        "signup": "date",
        "comment": "text",
        "region": "left out",
    }
    assert stream.described() == (
        "3 numbers, 1 category, 1 text, 1 date; left out: customer (all values differ), region (one value)"
    )


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", "2.5", "-3e4"] * 9, "number"),
        (["1", "NA", "?", "", "nan", "null", "None", "N/A", "7"] * 3, "number"),
        ([1, None, 3] * 9, "number"),
        (["yes", "no", None] * 9, "category"),
        ([True, False] * 9, "category"),
        (["1_000", "2_000"] * 9, "category"),
        ([f"{row:05x}" for row in range(5, 25)] * 2, "category"),
        ([f"user{row}@example.org" for row in range(30)], "left out"),
        ([f"user{row}@example.org" for row in range(30)] * 2, "category"),
        ([*range(50)], "left out"),
        ([*range(50, 0, -1)], "left out"),
        ([row * row for row in range(50)], "number"),
        ([row / 2 for row in range(50)], "number"),
        (["x"] * 20, "left out"),
        ([4.0] * 20, "left out"),
        ([None] * 20, "left out"),
        ([4.0, None] * 20, "number"),
        ([f"order {row} came late again" for row in range(30)], "text"),
        (["never married", "married with children here"] * 30, "category"),
        ([f"Ms. Anna Smith {row}" for row in range(10)], "text"),
        (["2024-02-03", "2023-12-31", ""] * 9, "date"),
        (["2024/2/3 10:30", "2023/12/31 07:00"] * 9, "date"),
        (["2024-02-03T10:30:15.25Z", "2023-12-31T00:00:00+01:00"] * 9, "date"),
        (["2024-02-31", "2023-12-31"] * 9, "category"),
        ([datetime.date(2024, 2, 3), datetime.date(2024, 2, 4)] * 9, "date"),
        ([["a", "b"], ["c"]] * 9, "category"),
        (["1.234,50", "7", "", "12,5"] * 9, "number"),
        (["$1,234.50", "$7", "NA"] * 9, "number"),
        (["5 %", "12 %"] * 9, "number"),
        (["31.12.2025", "1.2.2025", ""] * 9, "date"),
        (["12/31/2025 2:30 PM", "1/2/2025 9:05 AM"] * 9, "date"),
        (["192.168.100.200", "172.168.100.201"] * 9, "category"),
        (["1.5", "2,5"] * 9, "category"),
        (["13/13/2025", "1/2/2025"] * 9, "category"),
    ],
)
def test_a_column_is_what_a_person_would_say(values, kind):
    assert of_column(values).kind == kind


@pytest.mark.parametrize(
    ("name", "values", "kind"),
    [
        ("id", [3, 1, 1] * 5, "left out"),
        ("customer_id", [17, 4, 256], "left out"),
        ("customer_id", [17, 4, 17], "number"),
        ("userId", ["x1", "y2", "z3"], "left out"),
        ("paid", [17, 4, 256], "number"),
        ("grid", ["a1", "b2", "c3"], "category"),
        ("text", ["hello", "you", "hello"], "text"),
        ("Text", ["hello", "you", "hello"], "text"),
        ("text", [1.5, 2.5, 1.5], "number"),
    ],
)
def test_names_help(name, values, kind):
    assert of_column(values, name).kind == kind


def test_a_number_that_is_always_the_same_stays_if_there_are_more_rows(tmp_path):
    """The first rows cannot tell that it never varies."""
    rows = ["0,1,a\n" if row < 1200 else "5,2,b\n" for row in range(1500)]
    stream = table(tmp_path, "flag,b,label\n" + "".join(rows))
    assert kinds(stream) == {"flag": "number", "b": "number"}
    assert gathered(stream)[0][:, 0].max() == 5
    words = table(tmp_path, "word,b,label\n" + "".join(rows).replace("0,1", "no,1"), "w.csv")
    assert words.described() == "1 number; left out: word (one value in the first 1,000 rows)"
    short = table(tmp_path, "flag,b,label\n0,1,a\n0,2,b\n")
    assert kinds(short) == {"flag": "left out", "b": "number"}


def test_a_long_list_of_columns_is_cut_short(tmp_path):
    names = [f"c{number}" for number in range(12)]
    header = ",".join([*names, "b", "label"])
    stream = table(tmp_path, f"{header}\n{'0,' * 12}1,x\n{'0,' * 12}2,y\n")
    assert stream.described().startswith("1 number; left out: c0 (one value), c1 ")
    assert stream.described().endswith(" c7 (one value), 4 more")


def test_the_user_knows_better(tmp_path):
    prices = ["unknown"] * 29 + ["7"]
    rows = "".join(
        f"{row % 3},{8000 + row % 4},word{row % 2},{price},{row},{row % 2}\n" for row, price in enumerate(prices)
    )
    names = "size,zip,note,price,id,label\n"
    stream = table(
        tmp_path, names + rows, categories=["zip"], text=["note"], numbers=["price", "id"], drop=["size"]
    )
    assert kinds(stream) == {"zip": "category", "note": "text", "price": "number", "id": "number"}
    dense, sparse, _ = gathered(stream)
    price, is_missing = dense[:, 5], dense[:, 6]
    assert price.tolist() == [7] * 30
    assert is_missing.tolist() == [1] * 29 + [0]
    assert dense[:, 7].tolist() == [*range(30)]
    assert sparse.sum() == 30


# ---------------------------------------------------------------------- rows


def filled(columns, starts):
    """Missing numbers as the mean of those before, row by row, from the definition."""
    rows = []
    for place, row in enumerate(zip(*columns, strict=True)):
        before = [[value for value in column[:place] if not math.isnan(value)] for column in columns]
        rows.append(
            [
                (math.fsum(seen) / len(seen) if seen else start) if math.isnan(value) else value
                for value, seen, start in zip(row, before, starts, strict=True)
            ]
        )
    return np.array(rows)


def test_missing_numbers_are_the_mean_of_those_before(tmp_path):
    rng = np.random.default_rng(3)
    columns = [np.where(rng.random(60) < 0.3, np.nan, rng.normal(size=60) * size) for size in (1, 1000)]
    columns[0][0] = np.nan  # nothing came before it
    lines = [f"{a},{b},{row % 2}\n" for row, (a, b) in enumerate(zip(*columns, strict=True))]
    dense, _, _ = gathered(table(tmp_path, "a,b,label\n" + "".join(lines), chunk_rows=7))
    assert dense[:, [0, 2]] == pytest.approx(filled(columns, [np.nanmean(column) for column in columns]))
    assert np.array_equal(dense[:, [1, 3]], np.isnan(columns).T)


def test_a_gap_after_the_first_rows_is_filled_without_a_feature_for_it(tmp_path):
    lines = ["1,a\n", "3,b\n"] * 600 + ["?,a\n"]
    dense, _, _ = gathered(table(tmp_path, "x,label\n" + "".join(lines)))
    assert dense.shape == (1201, 1)
    assert dense[-1, 0] == 2


def test_levels_have_a_column_each_and_new_ones_share_the_last(tmp_path):
    lines = ["red,a\n", "blue,b\n", ",a\n"] * 400 + ["green,a\n", "red,b\n"]
    dense, _, _ = gathered(table(tmp_path, "colour,label\n" + "".join(lines)))
    assert dense[[0, 1, 2, -2, -1]].tolist() == [
        [0, 0, 1, 0],
        [0, 1, 0, 0],
        [1, 0, 0, 0],
        [0, 0, 0, 1],
        [0, 0, 1, 0],
    ]


def test_dates_are_parts(tmp_path):
    dense, _, _ = gathered(table(tmp_path, "at,label\n2024-02-03 10:30,a\n,b\n2023-12-31 00:00,a\n"))
    assert dense.tolist() == [
        [2024, 2, 5, 10.5, 0],
        [2024, 2, 5, 10.5, 1],
        [2023, 12, 6, 0, 0],
    ]


def test_numbers_and_dates_of_a_spreadsheet_are_those_of_a_plain_table(tmp_path):
    """With decimal commas and the day first, as much of Europe writes them, the rows are the same to the bit."""
    plain, written = "price;rent;on;at;label\n", "price;rent;on;at;label\n"
    for row in range(40):
        price, rent, day = (
            1000 + row * 37.25,
            row - 7.5,
            datetime.datetime(2025, 1 + row % 12, 1 + row % 28, 15, row),
        )
        plain += f"{price};{'' if row % 9 == 4 else rent};{day:%Y-%m-%d};{day:%Y-%m-%d %H:%M};{row % 2}\n"
        euros = f"{price:,.2f} €".translate(str.maketrans(",.", ".,"))
        gap = "n/a" if row % 9 == 4 else f"{rent}".replace(".", ",")
        written += f"{euros};{gap};{day:%d.%m.%Y};{day:%m/%d/%Y %I:%M %p};{row % 2}\n"
    expected, found = table(tmp_path, plain, "plain.csv"), table(tmp_path, written, "written.csv")
    assert found.described() == "2 numbers, 2 dates; decimal comma: price, rent; day first: on; month first: at"
    assert np.array_equal(gathered(found)[0], gathered(expected)[0])
    assert [column._replace(notation="") for column in found.columns] == list(expected.columns)


def test_a_number_in_another_notation_after_the_first_rows_is_an_error(tmp_path):
    rows = "".join(f"{row},{row % 10};{row % 2}\n" for row in range(1100))
    stream = table(tmp_path, f"size;label\n{rows}2.5;1\n")
    with pytest.raises(DataError, match=r"line 1102, column 'size': '2.5' is not a number, as in the first rows"):
        list(stream)


def test_a_number_may_be_the_first_with_groups_of_digits(tmp_path):
    """The first thousand amounts may all be below a thousand."""
    rows = "".join(f"{row % 900 + 0.5};{row % 2}\n" for row in range(1100))
    dense = gathered(table(tmp_path, f"size;label\n{rows}1,234.50;1\n"))[0]
    assert dense[[1099, 1100], 0].tolist() == [199.5, 1234.5]
    with pytest.raises(DataError, match="'1,5' is not a number"):
        list(table(tmp_path, f"size;label\n{rows}1,5;1\n"))
    lenient = table(tmp_path, f"size;label\n{rows}1,234.50;1\n", numbers=["size"])
    assert np.isnan(lenient.plan.encode({"size": ["1,234.50"]}, 1, str).dense[0, 0])


def test_the_notation_that_most_values_have_serves_a_column_that_the_user_names(tmp_path):
    values = [("1,5", "31.12.2025"), ("2,5", "1.2.2025"), ("free", "soon"), ("3.5", "2025-01-02")] * 3
    rows = "".join(f"{price};{day};{row % 2}\n" for row, (price, day) in enumerate(values))
    stream = table(tmp_path, "price;on;label\n" + rows, numbers=["price"], dates=["on"])
    assert [column.notation for column in stream.columns] == ["decimal comma", "day first"]
    dense = gathered(stream)[0]
    assert dense[:4, 1].tolist() == [0, 0, 1, 1]
    assert dense[:2, 2:5].tolist() == [[2025, 12, 2], [2025, 2, 5]]


def test_words_are_counted_apart_for_each_column(tmp_path):
    text = "title,body,label\n" + "".join(f"the big news {row},news news of the day {row},a\n" for row in range(5))
    dense, sparse, y = gathered(table(tmp_path, text))
    assert dense is None
    words = ["title:the", "title:big", "title:news", "title:0"]
    words += ["body:news", "body:news", "body:of", "body:the", "body:day", "body:0"]
    expected = count_rows([name_checksum(word) for word in words], [len(words)], 20)
    assert abs(sparse[[0]] - expected).max() == 0
    assert sparse.max() == 2
    assert sparse.min() == 0
    assert y.tolist() == ["a"] * 5


def test_many_levels_are_hashed(tmp_path):
    lines = "".join(f"p{row % 21},{'EU' if row % 2 else 'US'},a\n" for row in range(60))
    dense, sparse, _ = gathered(table(tmp_path, "product,region,label\n" + lines))
    assert dense.shape == (60, 3)
    assert abs(sparse[[5]] - count_rows([name_checksum("product=p5")], [1], 20)).max() == 0


def test_a_table_of_numbers_is_an_array_and_one_of_text_is_sparse(tmp_path):
    numbers = next(iter(table(tmp_path, "a,b,label\n1,2.5,x\n3,4.5,y\n")))
    assert numbers.X.tolist() == [[1, 2.5], [3, 4.5]]
    assert sp.issparse(next(iter(table(tmp_path, "text,label\nhello,x\nyou,y\n"))).X)


# ---------------------------------------------------------------------- chunks, formats, order


@pytest.mark.parametrize("chunk_rows", CHUNK_ROWS)
def test_chunks_change_nothing(tmp_path, chunk_rows):
    path = write_customers(tmp_path / "c.csv", 1300)
    dense, sparse, y = gathered(read_table(path, chunk_rows=1300))
    again = gathered(read_table(path, chunk_rows=chunk_rows))
    assert np.array_equal(dense, again[0])
    assert abs(sparse - again[1]).max() == 0
    assert np.array_equal(y, again[2])


def as_values(record):
    """A record as JSON and frames have it: numbers as numbers, gaps as null."""
    numbers = {
        name: None if record[name] in ("NA", "") else float(record[name]) for name in ("income", "age", "ratio")
    }
    return {**record, **numbers}


@pytest.mark.parametrize(
    "kind", ["tsv", "gz", "jsonl", "parquet", "xlsx", "pandas", "polars", "pyarrow", "semicolon"]
)
def test_every_format_gives_the_same_rows(tmp_path, kind):
    records = customers(400)
    path = write_customers(tmp_path / "c.csv", 400)
    expected = gathered(read_table(path, chunk_rows=150))
    values = [as_values(record) for record in records]
    if kind in ("tsv", "semicolon"):
        source = tmp_path / ("c.tsv" if kind == "tsv" else "s.csv")
        source.write_text(path.read_text().replace(",", "\t" if kind == "tsv" else ";"))
    elif kind == "gz":
        source = tmp_path / "c.csv.gz"
        source.write_bytes(gzip.compress(path.read_bytes()))
    elif kind == "jsonl":
        source = tmp_path / "c.jsonl"
        source.write_text("\n".join(map(json.dumps, values)))
    elif kind == "xlsx":
        source = tmp_path / "c.xlsx"
        save_workbook(source, values)
    elif kind == "pandas":
        source = pandas.DataFrame(values)
    elif kind == "polars":
        source = polars.DataFrame(values)
    else:
        source = pyarrow.Table.from_pylist(values)
        if kind == "parquet":
            pyarrow.parquet.write_table(source, tmp_path / "c.parquet", row_group_size=90)
            source = tmp_path / "c.parquet"
    dense, sparse, y = gathered(read_table(source, chunk_rows=150))
    assert np.array_equal(dense, expected[0])
    assert abs(sparse - expected[1]).max() == 0
    assert np.array_equal(y, expected[2])


def save_workbook(path, records):
    path.write_bytes(book_of(records[0], *(record.values() for record in records)))


def test_a_workbook_has_numbers_dates_and_gaps_and_names_its_rows(tmp_path):
    day = datetime.datetime(2025, 3, 4, 10, 30)
    records = [{"size": n / 4, "at": day, "flag": n % 3 > 0, "label": "ab"[n % 2]} for n in range(30)]
    records[7]["size"] = None
    save_workbook(tmp_path / "t.xlsx", records)
    stream = read_table(tmp_path / "t.xlsx", chunk_rows=7)
    assert kinds(stream) == {"size": "number", "at": "date", "flag": "category"}
    dense, _, y = gathered(stream)
    assert dense[8, :6].tolist() == [2.0, 0, 2025, 3, 1, 10.5]
    assert y.tolist() == ["a", "b"] * 15
    shutil.copy(tmp_path / "t.xlsx", tmp_path / "t.dat")
    assert np.array_equal(gathered(read_table(tmp_path / "t.dat"))[0], dense)
    records[20]["label"] = None
    save_workbook(tmp_path / "gap.xlsx", records)
    with pytest.raises(DataError, match=r"gap.xlsx, row 22: the label is missing"):
        gathered(read_table(tmp_path / "gap.xlsx"))
    with pytest.raises(
        DataError, match="only the automatic learner and read_table read workbooks: save it as CSV"
    ):
        read(tmp_path / "t.xlsx")


def test_a_random_order_has_the_same_rows_and_fills_gaps_in_that_order():
    frame = pandas.DataFrame({"a": [1.0, None, 3.0, None, 5.0] * 20, "b": np.arange(100) ** 2})
    stream = read_table(frame, y=np.arange(100), shuffle=True, random_state=1, chunk_rows=9)
    dense, _, order = gathered(stream)
    assert order.tolist() != list(range(100))
    assert dense[:, 2].tolist() == (order**2).tolist()
    values = frame["a"].to_numpy()[order]
    assert dense[:, 0] == pytest.approx(filled([values], [3.0])[:, 0])
    assert np.array_equal(gathered(stream)[0], dense)


def test_objects_and_lists_inside_json(tmp_path):
    records = [
        {
            "at": {"x": row, "deep": {"y": 2 * row}},
            "tags": ["a", "b"][: row % 3],
            "v": [row / 2, 1.0],
            "label": row % 2,
        }
        for row in range(1, 30)
    ]
    records[3] = {"label": 1}
    records[4]["late"] = 1
    dense, sparse, _ = gathered(table(tmp_path, "\n".join(map(json.dumps, records)), "t.jsonl", numbers=["at.x"]))
    assert dense[5].tolist() == [6, 0, 12, 0, 3, 0, 1, 0, 1, 1]
    assert dense[3, [1, 3, 5, 7]].tolist() == [1, 1, 1, 1]
    assert np.diff(sparse.indptr).tolist() == [len(record.get("tags", [])) for record in records]


def test_labels_apart_and_no_labels(tmp_path):
    frame = pandas.DataFrame({"a": [1.0, 2.0], "label": [3.5, 4.5]})
    assert gathered(read_table(frame, label=False))[2] is None
    assert gathered(read_table(frame.drop(columns="label"), y=["u", "v"]))[2].tolist() == ["u", "v"]
    assert gathered(table(tmp_path, "a,y\n1,2\n5,3\n"))[2].tolist() == [2, 3]


def test_labels_can_be_read_alone(tmp_path):
    stream = read_table(write_customers(tmp_path / "c.csv", 50), chunk_rows=20)
    chunks = list(stream.labels_only())
    assert [chunk.X.shape for chunk in chunks] == [(20, 0), (20, 0), (10, 0)]
    assert np.array_equal(np.concatenate([chunk.y for chunk in chunks]), gathered(stream)[2])


# ---------------------------------------------------------------------- mistakes


def test_an_id_whose_values_repeat_is_named_as_such():
    rows = [{"id": f"p{row // 6}", "x": row / 7, "label": row % 2} for row in range(60)]
    assert "left out: id (an id, though values repeat)" in read_table(rows).described()
    assert read_table(rows, categories=["id"]).columns[0].kind == "category"
    alone = [{**row, "id": f"p{place}"} for place, row in enumerate(rows)]
    assert "left out: id (an id)" in read_table(alone).described()
    lists = [{**row, "id": ["a", "b"]} for row in rows]
    assert "left out: id" in read_table(lists).described()


def test_columns_that_are_nearly_numbers(tmp_path):
    cells = {
        "dash": [str(row % 5) if row % 10 else "-" for row in range(40)],
        "two": [("-", "missing", *"123456")[row % 8] for row in range(40)],
        "money": [f"1.234,{row % 3}" if row else "-" for row in range(40)],
        "id_like": [f"{row}.5" if row else "-" for row in range(40)],
        "half": [str(row) if row % 2 else "x" for row in range(40)],
        "codes": [("A1", "B1", "C1", "D1", "7", "8", "9", "10", "11")[row % 9] for row in range(40)],
        "missing": [str(row % 5) if row % 10 else "NA" for row in range(40)],
        "known": [str(row % 5) if row % 10 else "-" for row in range(40)],
        "label": ["a", "b"] * 20,
    }
    with (tmp_path / "d.csv").open("w", newline="") as file:
        csv.writer(file).writerows([cells, *zip(*cells.values(), strict=True)])
    found = read_table(tmp_path / "d.csv", categories=["known"])
    assert found.nearly == (
        ("dash", 0.9, ("-",)),
        ("two", 0.75, ("-", "missing")),
        ("money", 0.975, ("-",)),
        ("id_like", 0.975, ("-",)),
    )


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ("a,b\n1,2\n", {}, "no label field: looked for"),
        ("a,0.8\n1,2\n", {}, "; if '0.8' is a value, write the names of the columns above it"),
        ("0,1\n1,2\n", {}, "give them with askance label"),
        ("a,label\n", {}, "has no rows"),
        ("a,a,label\n1,2,x\n", {}, "two columns have the name 'a'"),
        ("id,label\n1,x\n2,y\n", {}, "no feature columns are left of 'id', 'label'"),
        ("a,label\n1,x\n", {"drop": ["z"]}, "no column 'z' to drop; there are 'a', 'label'"),
        ("a,label\n1,x\n", {"numbers": ["z"]}, "no column 'z'; there are 'a', 'label': check numbers="),
        ("a,label\n1,x\n", {"text": ["a"], "drop": ["a"]}, "column 'a' has two roles"),
        ("a,label\n1,x\n", {"text": "a"}, "give a list of names"),
        ("a,label\n1,x\n2\n", {}, "line 3: has 1 cell but the header has 2"),
        ("a,b,label\n1,2,x\n", {}, "has only one row, in which no column can vary: give more rows"),
        ("a,label\n1,x\n", {"drop": ["a"]}, "no feature columns are left of 'a', 'label': check label and drop"),
        ("a;label\n1;x\n", {"delimiter": ";;"}, "delimiter=';;': give one character, such as ';'"),
        ("a,label\n1,x\n2,\n", {}, "line 3: the label is missing"),
        ("a,label\n1,x\n1e200,y\n", {}, r"line 3, column 'a': 1e\+200 is too large or infinite"),
        ("a,label\n1,x\ninf,y\n", {}, "line 3, column 'a': inf is too large or infinite"),
        (
            "a,label\n" + "1,x\n2,y\n" * 500 + "many,x\n",
            {},
            "line 1002, column 'a': 'many' is not a number, as in",
        ),
        (
            "d,label\n" + "2024-01-02,x\n2024-01-03,y\n" * 500 + "soon,x\n",
            {},
            "line 1002, column 'd': 'soon' is not",
        ),
    ],
)
def test_one_clear_sentence_for_a_bad_table(tmp_path, text, options, said):
    with pytest.raises(DataError, match=said):
        list(table(tmp_path, text, **options))


def test_sources_without_columns_of_kinds(tmp_path):
    np.savez(tmp_path / "a.npz", X=np.eye(2), y=[0, 1])
    with pytest.raises(DataError, match="npz has no columns of different kinds"):
        read_table(tmp_path / "a.npz")
    with pytest.raises(DataError, match="a list is not a table: give a path, a data frame"):
        read_table([1, 2])
    with pytest.raises(DataError, match="y is for tables in memory"):
        read_table(write_customers(tmp_path / "c.csv", 5), y=[1] * 5)


def test_a_table_of_several_kinds_can_be_described(tmp_path):
    about = describe(read_table(write_customers(tmp_path / "c.csv", 100)))
    assert (about.rows, about.features) == (100, 13 + 2**20)
    assert about.largest > 10_000
    assert sum(about.classes.values()) == 100


def test_learners_of_one_matrix_say_so(tmp_path):
    table = read_table(write_customers(tmp_path / "c.csv", 50))
    with pytest.raises(TypeError, match="a dense and a sparse part are for AutoLearner"):
        make("PAA-II").run(table)


def test_mixed_rows_must_fit_together():
    rows = MixedRows(np.arange(6.0).reshape(3, 2), sp.csr_array(np.eye(3)))
    rows.check()
    assert rows.shape == (3, 5)
    last = take_rows(rows, slice(1, 3))
    assert last.shape == (2, 5)
    assert last.dense.tolist() == [[2, 3], [4, 5]]
    assert take_rows(rows, np.array([2, 0])).sparse.toarray().tolist() == [[0, 0, 1], [1, 0, 0]]
    for wrong, said in [
        (rows._replace(dense=np.ones((2, 2))), "the dense part has 2 rows, but the sparse part has 3"),
        (rows._replace(dense=np.ones(3)), r"the dense part has 1 dimension\(s\)"),
        (MixedRows(rows.sparse, rows.dense), "a dense and a sparse part, in this order"),
    ]:
        with pytest.raises(DataError, match=said):
            wrong.check()


def test_labels_with_leading_zeros_are_codes(tmp_path):
    path = tmp_path / "codes.csv"
    for labels, read_as in (
        (("007", "7"), ["007", "7"]),
        (("0.0", "1"), [0.0, 1.0]),
        (("00", "01"), ["00", "01"]),
    ):
        path.write_text("x,label\n" + "".join(f"{row}.5,{labels[row % 2]}\n" for row in range(10)))
        for stream in (read_table(path), read(path)):
            (chunk,) = stream
            assert sorted(set(chunk.y.tolist())) == read_as
    table = tmp_path / "table.csv"
    table.write_text("x\n" + "".join(f"{row}.5\n" for row in range(10)))
    path.write_text("row,label\n" + "".join(f"{row},0{row % 2}\n" for row in range(10)))
    (chunk,) = read_table(table, labels=path)
    assert sorted(set(chunk.y.tolist())) == ["00", "01"]


def test_a_field_of_an_object_and_its_dotted_name_are_one_column():
    values = [row * 7 % 11 + 0.5 for row in range(30)]
    rows = [{"a": {"b": value}} if row % 2 else {"a.b": value} for row, value in enumerate(values)]
    (chunk,) = read_table(rows, label=False)
    assert chunk.X[:, 0].tolist() == values
    rows[3] = {"a": {"b": 3}, "a.b": 4}
    with pytest.raises(
        DataError, match=r"'a\.b' is there twice, inside an object and under this name: rename one"
    ):
        read_table(rows, label=False)
