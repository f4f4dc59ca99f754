"""`askance pool`: which rows of a file to label next, again and again, and what is said of mistakes."""

import csv
import json
import pathlib
import shlex
from typing import Any

import numpy as np
import pyarrow
import pytest
import scipy.sparse as sp
from pyarrow import parquet
from sklearn.datasets import dump_svmlight_file
from sklearn.preprocessing import StandardScaler

from askance.cli.commands.pool.reasons import reason
from askance.cli.commands.pool.request import STRATEGIES, WITHOUT_LABELS
from askance.data import TableEncoder
from askance.pool import PrivilegedSelector
from command_line import answer, complaint, output, write_csv
from customer_table import customers, write_customers

pytestmark = pytest.mark.slow

ROWS = 60


@pytest.fixture(scope="module")
def arrays() -> tuple[Any, Any, Any]:
    """Features, privileged features that know more, and labels."""
    random = np.random.default_rng(4)
    X = random.normal(size=(ROWS, 3))
    hidden = X[:, 0] + 0.8 * random.normal(size=ROWS)
    return X, np.column_stack([np.abs(hidden), random.normal(size=ROWS)]), np.where(hidden > 0, "spam", "ham")


@pytest.fixture
def files(arrays: tuple[Any, Any, Any], tmp_path: pathlib.Path) -> pathlib.Path:
    """A directory with pool.csv, text.csv and answers.csv, which has the labels of the first 20 rows."""
    X, privileged, y = arrays
    table(tmp_path / "pool.csv", ["a", "b", "c"], X)
    table(tmp_path / "text.csv", ["u", "v"], privileged)
    table(tmp_path / "answers.csv", ["row", "label"], enumerate(y[:20]))
    return tmp_path


def table(path: pathlib.Path, header: list[str], rows: Any) -> pathlib.Path:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return path


def fill_in(path: pathlib.Path, y: Any, count: int | None = None) -> None:
    """As a person would: the label of each row, or of the first few."""
    with path.open(newline="") as file:
        lines = list(csv.DictReader(file))
    for line in lines[:count]:
        line["label"] = y[int(line["row"])]
    table(path, list(lines[0]), [line.values() for line in lines])


def chosen(said: dict[str, Any]) -> list[int]:
    return [line["row"] for line in said["chosen"]]


def test_the_rows_are_those_of_the_library(files: pathlib.Path, arrays: tuple[Any, Any, Any]) -> None:
    X, privileged, y = arrays
    X = StandardScaler().fit_transform(X)
    said = answer(
        "pool",
        files / "pool.csv",
        "--labels",
        files / "answers.csv",
        "--privileged",
        files / "text.csv",
        "-n",
        7,
        "--strategy",
        "al-lupi-sum",
    )
    selector = PrivilegedSelector(combine="sum").fit(X[:20], y[:20], privileged[:20])
    found = selector.select(X[20:], 7, privileged[20:])
    assert chosen(said) == [20 + row for row in found.rows]
    for place, line in enumerate(said["chosen"]):
        assert line["score"] == pytest.approx(found.scores[place], abs=1e-9)
        for part in ("uncertainty", "prediction", "correcting", "similarity"):
            assert line[part] == pytest.approx(found.parts[part][place], rel=1e-6, abs=1e-9)
        assert line["reason"]
    assert said["rows"] == ROWS
    assert said["labelled"] == 20
    assert sum(said["classes"].values()) == 20
    assert said["note"] == ""


def test_the_round_trip(files: pathlib.Path, arrays: tuple[Any, Any, Any]) -> None:
    y = arrays[2]
    pool, first, second = files / "pool.csv", files / "first.csv", files / "second.csv"
    told = output("pool", pool, "-n", 8, "--out", first)
    assert "There are no labels yet" in told
    assert f"askance pool {pool} --labels {first} --count 8 --out" in told
    fill_in(first, y, 6)  # two are left for later
    said = answer("pool", pool, "--labels", first, "-n", 5, "--out", second)
    assert said["labelled"] == 6
    with first.open(newline="") as file:
        asked = [int(line["row"]) for line in csv.DictReader(file)]
    assert not set(chosen(said)) & set(asked[:6])
    fill_in(second, y)
    third = answer("pool", pool, "--labels", first, "--labels", second, "-n", ROWS)
    assert third["labelled"] == 11
    assert sorted(chosen(third) + asked[:6] + chosen(said)) == list(range(ROWS))


def test_labels_of_the_table_itself(files: pathlib.Path, arrays: tuple[Any, Any, Any]) -> None:
    X, _, y = arrays
    gaps = [label if row < 20 else ["", "?", "  "][row % 3] for row, label in enumerate(y)]
    pool = write_csv(files / "gaps.csv", X, gaps)
    wanted = answer("pool", files / "pool.csv", "--labels", files / "answers.csv")
    assert chosen(answer("pool", pool)) == chosen(wanted)
    more = table(files / "more.csv", ["label", "note", "row"], [(y[30], "x", 30), ("", "y", 31)])
    said = answer("pool", pool, "--labels", more, "-n", ROWS)
    assert said["labelled"] == 21
    assert 30 not in chosen(said)
    assert 31 in chosen(said)


@pytest.mark.parametrize("first", ["", "sep=;\n"])
def test_spreadsheets_may_separate_answers_by_semicolons(
    files: pathlib.Path, arrays: tuple[Any, Any, Any], first: str
) -> None:
    X, _, y = arrays
    wanted = answer("pool", files / "pool.csv", "--labels", files / "answers.csv")["chosen"]
    answers = files / "semicolons.csv"
    answers.write_text(first + (files / "answers.csv").read_text().replace(",", ";"))
    assert answer("pool", files / "pool.csv", "--labels", answers)["chosen"] == wanted
    gaps = write_csv(files / "gaps.csv", X, [label if row < 20 else "" for row, label in enumerate(y)])
    gaps.write_text(first + gaps.read_text().replace(",", ";"))
    assert answer("pool", gaps)["chosen"] == wanted


def test_labels_in_a_column_with_a_name_of_its_own(files: pathlib.Path, arrays: tuple[Any, Any, Any]) -> None:
    X, _, y = arrays
    gaps = [label if row < 20 else "" for row, label in enumerate(y)]
    lines = [[*x, label] for x, label in zip(X.tolist(), gaps, strict=True)]
    pool = table(files / "kinds.csv", ["a", "b", "c", "Kind"], lines)
    wanted = answer("pool", files / "pool.csv", "--labels", files / "answers.csv")
    assert answer("pool", pool, "--label", "Kind")["chosen"] == wanted["chosen"]
    assert "no column 'kind'" in complaint("pool", pool, "--label", "kind")


def test_a_table_whose_labels_are_all_known_is_a_pool_for_the_labels_given(
    files: pathlib.Path, arrays: tuple[Any, Any, Any]
) -> None:
    pool = write_csv(files / "known.csv", arrays[0], arrays[2])
    wanted = answer("pool", files / "pool.csv", "--labels", files / "answers.csv")
    assert chosen(answer("pool", pool, "--labels", files / "answers.csv")) == chosen(wanted)
    assert "all rows are labelled: give --labels" in complaint("pool", pool)


def test_other_formats(files: pathlib.Path, arrays: tuple[Any, Any, Any]) -> None:
    X, _, y = arrays
    dump_svmlight_file(X, y == "spam", str(files / "pool.svm"), zero_based=False)
    np.savez(files / "pool.npz", X=X, y=y)
    scaled = StandardScaler().fit_transform(X)
    np.savez(files / "scaled.npz", X=scaled, y=y)
    wanted = answer("pool", files / "pool.csv", "--labels", files / "answers.csv")
    assert chosen(answer("pool", files / "scaled.npz", "--labels", files / "answers.csv")) == chosen(wanted)
    wanted = answer("pool", files / "pool.npz", "--labels", files / "answers.csv")
    for name in ("pool.svm", "pool.npz"):
        assert chosen(answer("pool", files / name, "--labels", files / "answers.csv")) == chosen(wanted)
    texts = [{"text": "free money now" if label == "spam" else f"lunch {row}"} for row, label in enumerate(y)]
    (files / "mails.jsonl").write_text("\n".join(map(json.dumps, texts)))
    assert len(chosen(answer("pool", files / "mails.jsonl", "--labels", files / "answers.csv", "-n", 4))) == 4


def test_a_row_whose_privileged_features_are_empty_has_none(
    files: pathlib.Path, arrays: tuple[Any, Any, Any]
) -> None:
    privileged = arrays[1].tolist()
    some = table(files / "some.csv", ["u", "v"], [row if i % 2 else ["", ""] for i, row in enumerate(privileged)])
    said = answer("pool", files / "pool.csv", "--labels", files / "answers.csv", "--privileged", some, "-n", ROWS)
    assert all((line["correcting"] is None) == (line["row"] % 2 == 0) for line in said["chosen"])


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy(files: pathlib.Path, strategy: str) -> None:
    words = ("pool", files / "pool.csv", "--privileged", files / "text.csv", "--strategy", strategy)
    said = answer(*words, "--labels", files / "answers.csv", "-n", 3)
    assert said["strategy"] == strategy
    assert len(set(chosen(said))) == 3
    assert min(chosen(said)) >= 20
    assert said == answer(*words, "--labels", files / "answers.csv", "-n", 3)
    begun = answer(*words, "-n", 3)
    assert begun["labelled"] == 0
    assert begun["strategy"] == (strategy if strategy in WITHOUT_LABELS else "diversity")
    assert bool(begun["note"]) == (strategy not in WITHOUT_LABELS)


def test_one_class_leaves_diversity(files: pathlib.Path) -> None:
    one = table(files / "one.csv", ["row", "label"], [(3, "ham"), (5, "ham")])
    said = answer("pool", files / "pool.csv", "--labels", one, "-n", ROWS)
    assert said["note"].startswith("All labels so far are 'ham'")
    assert said["strategy"] == "diversity"
    assert sorted(chosen(said)) == [row for row in range(ROWS) if row not in (3, 5)]


def test_for_people(files: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    told = output("pool", files / "pool.csv", "--labels", files / "answers.csv", "-n", 5)
    assert f"{ROWS} rows, 20 labelled: " in told
    assert "its two best classes are" in told
    assert all(len(line) <= 80 for line in told.splitlines())


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("row,label\n60,ham\n", "line 2: there is no row 60:"),
        ("row,label\n0,ham\n-1,ham\n", "line 3: '-1' is not a row number: give a whole number, 0 or more"),
        ("row,label\n1.5,ham\n", "line 2: '1.5' is not a row number"),
        ("row,label\n1,ham\n1,spam\n", "line 3: row 1 is 'spam', but 'ham' in"),
        ("number,class\n1,ham\n", "line 1: needs the columns row and label, but has 'number', 'class'"),
        ("row,label\n1\n", "line 2: has 1 cell but the header has 2"),
        ('row,label\n1,"ham\n', "is not well-formed CSV"),
        ("", "is empty"),
    ],
)
def test_wrong_labels_get_one_line(files: pathlib.Path, content: str, said: str) -> None:
    wrong = files / "wrong.csv"
    wrong.write_text(content)
    assert said in complaint("pool", files / "pool.csv", "--labels", wrong)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--labels", "nowhere.csv"), "nowhere.csv: there is no such file"),
        (("--strategy", "magic"), "--strategy magic: give one of al-lupi-max, al-lupi-sum"),
        (("--strategy", "correcting"), "--strategy correcting needs privileged features: give --privileged"),
        (("--strategy", "co-testing"), "--strategy co-testing needs privileged features"),
        (("--out", "next.txt"), "--out next.txt: the name must end in .csv"),
        (("-n", "0"), "Invalid value for '-n' / '--count'"),
        (("--seed", "-1"), "Invalid value for '--seed'"),
    ],
)
def test_wrong_words_get_one_line(files: pathlib.Path, words: tuple[str, ...], said: str) -> None:
    assert said in complaint("pool", files / "pool.csv", *words)


def test_other_mistakes_get_one_line(files: pathlib.Path, arrays: tuple[Any, Any, Any]) -> None:
    pool = files / "pool.csv"
    short = table(files / "short.csv", ["u"], [[1.0]] * 59)
    assert f"{pool} has 60 rows, but {short} has 59" in complaint("pool", pool, "--privileged", short)
    every = table(files / "every.csv", ["row", "label"], enumerate(arrays[2]))
    assert "all rows are labelled: there is nothing to choose" in complaint("pool", pool, "--labels", every)
    assert "there is no such file" in complaint("pool", files / "none.csv")


def test_nothing_that_was_filled_in_is_overwritten(files: pathlib.Path, arrays: tuple[Any, Any, Any]) -> None:
    pool, target = files / "pool.csv", files / "next.csv"
    output("pool", pool, "-n", 4, "--out", target)
    output("pool", pool, "-n", 3, "--out", target)  # nobody has answered: it may be replaced
    fill_in(target, arrays[2], 1)
    kept = target.read_bytes()
    assert "contains labels: pass it as --labels" in complaint("pool", pool, "--out", target)
    assert "would overwrite labels" in complaint("pool", pool, "--labels", target, "--out", target)
    assert "would overwrite the data" in complaint("pool", pool, "--out", pool)
    assert target.read_bytes() == kept
    assert sorted(path.name for path in files.iterdir()) == ["answers.csv", "next.csv", "pool.csv", "text.csv"]


@pytest.mark.parametrize(
    ("strategy", "score", "parts", "said"),
    [
        (
            "al-lupi-max",
            0.2,
            {"prediction": 50.0, "correcting": 0.1, "similarity": 0.1},
            "its two best classes are nearly equal; its privileged features say it is not easy; "
            "different from the other chosen rows",
        ),
        (
            "al-lupi-max",
            0.2,
            {"prediction": 0.4, "correcting": 1.5, "similarity": 0.5},
            "its privileged features say it is hard",
        ),
        (
            "al-lupi-sum",
            0.2,
            {"prediction": 2.0, "correcting": 1.5, "similarity": 0.95},
            "its two best classes are close; its privileged features say it is hard; "
            "very similar to another chosen row",
        ),
        (
            "prediction",
            0.0,
            {"prediction": 0.5, "correcting": 1.5, "similarity": 1.0},
            "its two best classes are close, compared with other rows; identical to another chosen row; "
            "best of the rows that are covered by others",
        ),
        ("diversity", 0.1, {"prediction": np.nan, "similarity": 0.2}, "different from the other chosen rows"),
        ("diversity", 0.1, {"prediction": np.nan, "similarity": 0.5}, "best of the remaining rows"),
        ("margin", 9.0, {"margin": 0.01}, "its two best classes are nearly equal"),
        ("entropy", 0.6, {}, "its class is the most uncertain"),
        ("co-testing", 1.5, {"disagree": 1.0}, "its two views disagree"),
        ("co-testing-conservative", 0.5, {"disagree": 0.0}, "both of its views are uncertain"),
        ("random", 0.5, {}, "drawn at random"),
        ("badge", 2.0, {"gradient": 2.0, "distance": 2.0}, "it would change the model in its own way"),
        ("information-density", 0.2, {}, "its class is uncertain, and many rows are like it"),
        ("expected-error", 0.1, {}, "its label should make other rows more certain"),
        ("core-set", 3.0, {"distance": 3.0}, "far from all labelled and chosen rows"),
        ("typiclust", 0.5, {"typicality": 0.5, "cluster_size": 1200.0}, "typical of a cluster of 1,200 rows"),
        ("probcover", 8.0, {"covers": 8.0}, "near to 7 other rows that have no label nearby"),
        ("probcover", 1.0, {"covers": 1.0}, "no label is nearby"),
        ("probcover", 0.0, {"covers": 0.0}, "drawn at random: labelled rows are near to all others"),
    ],
)
def test_reasons(strategy: str, score: float, parts: dict[str, float], said: str) -> None:
    assert reason(strategy, score, parts) == said


def test_a_sparse_pool_stays_sparse(files: pathlib.Path) -> None:
    wide = sp.random_array((ROWS, 50_000), density=1e-4, rng=np.random.default_rng(1), format="csr")
    dump_svmlight_file(wide, np.zeros(ROWS), str(files / "wide.svm"), zero_based=False)
    assert len(chosen(answer("pool", files / "wide.svm", "--labels", files / "answers.csv"))) == 10


def test_a_raw_table_is_read_by_the_kinds_of_its_columns(tmp_path: pathlib.Path) -> None:
    path = write_customers(tmp_path / "customers.csv", 80)
    with path.open(newline="") as file:
        y = [line["label"] for line in csv.DictReader(file)]
    known = table(tmp_path / "answers.csv", ["row", "label"], enumerate(y[:30]))
    said = answer("pool", path, "--labels", known, "-n", 5)
    assert said["columns"].startswith(
        "3 numbers, 1 category, 1 text, 1 date; left out: customer (all values differ)"
    )
    assert all(len(line["text"].split()) == 7 for line in said["chosen"])  # the comments
    frame = [row for row in customers(80) if row.pop("label")]
    X = TableEncoder(output="matrix", scaled=True).fit_transform(frame)
    found = PrivilegedSelector(combine="max").fit(X[:30], y[:30]).select(X[30:], 5)
    assert chosen(said)[0] == 30 + found.rows[0]
    words = ("--category", "age", "--drop", "city", "--date", "signup", "--number", "ratio", "--text", "comment")
    told = answer("pool", path, "--labels", known, "-n", 5, *words)
    assert told["columns"].startswith("2 numbers, 1 category, 1 text, 1 date; left out: customer")
    assert "Columns: 3 numbers, 1 category" in output("pool", path, "--labels", known)
    assert "no column 'town' to drop" in complaint("pool", path, "--labels", known, "--drop", "town")


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_a_table_to_fill_in_has_the_cells_of_its_rows(tmp_path: pathlib.Path, ending: str) -> None:
    """Nobody can label a row by its number alone."""
    rows = [{"id": f"c{row}", "age": row, "score": row / 8, "target": ""} for row in range(40)]
    path, to_fill = tmp_path / f"people.{ending}", tmp_path / "next.csv"
    if ending == "csv":
        table(path, list(rows[0]), [row.values() for row in rows])
    elif ending == "jsonl":
        path.write_text("\n".join(map(json.dumps, rows)))
    else:
        parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    said = answer("pool", path, "-n", 4, "--out", to_fill)
    with to_fill.open(newline="") as file:
        found = list(csv.DictReader(file))
    assert list(found[0])[:4] == ["row", "label", "id", "age"]
    assert [(line["id"], line["age"]) for line in found] == [(f"c{row}", str(row)) for row in chosen(said)]
    assert "target" not in found[0]
    assert [float(line["score"]) for line in found] == [line["score"] for line in said["chosen"]]  # its own
    lines = to_fill.read_text().replace(f"{chosen(said)[0]},,", f"{chosen(said)[0]},old,", 1)
    to_fill.write_text(lines)
    assert answer("pool", path, "-n", 4, "--labels", to_fill)["labelled"] == 1


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_texts_stand_beside_their_rows(tmp_path: pathlib.Path, ending: str) -> None:
    texts = [f"message {row}, with\nthe word {'prize' if row % 2 else 'nine'}" for row in range(12)]
    path = tmp_path / f"mails.{ending}"
    if ending == "csv":
        table(path, ["text"], [[text] for text in texts])
    else:
        path.write_text("\n".join(json.dumps({"text": text}) for text in texts) + "\n\n")
    said = answer("pool", str(path), "-n", "3", "--out", str(tmp_path / "next.csv"))
    assert [line["text"] for line in said["chosen"]] == [texts[row] for row in chosen(said)]
    with (tmp_path / "next.csv").open(newline="") as file:
        assert [line["text"] for line in csv.DictReader(file)] == [texts[row] for row in chosen(said)]
    assert "message" in output("pool", str(path), "-n", "3")


def test_the_command_that_follows_has_all_options(tmp_path: pathlib.Path) -> None:
    table = tmp_path / "my pool.csv"
    rows = [f"{row % 7},{row % 5}.5,{'a b'[row % 3] if row < 9 and row % 3 != 1 else ''}" for row in range(40)]
    table.write_text("\n".join(["x,z,kind", *rows]))
    words = ("--label", "kind", "--drop", "z", "--category", "x", "-n", 3, "--seed", 4, "--strategy", "margin")
    told = output("pool", table, *words, "--out", tmp_path / "next.csv")
    (line,) = [line.strip() for line in told.splitlines() if line.startswith("  askance pool")]
    assert line.endswith(" --out …")
    following = shlex.split(line.removesuffix(" --out …"))[1:]
    with (tmp_path / "next.csv").open(newline="") as file:
        filled = [{**row, "label": "a"} for row in csv.DictReader(file)]
    with (tmp_path / "next.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(filled[0]))
        writer.writeheader()
        writer.writerows(filled)
    before = answer("pool", table, *words)
    after = answer(*following)
    assert (after["columns"], after["strategy"]) == (before["columns"], before["strategy"])
    assert after["labelled"] == before["labelled"] + 3
    assert len(after["chosen"]) == 3
