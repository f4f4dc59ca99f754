"""Files whose rows carry several labels each."""

import json
import pathlib
from typing import Any

import numpy as np
import pytest

from askance.data import read_multilabel
from askance.errors import DataError

ROWS = [("goal match", ["sport"]), ("rate bank", ["money", "law"]), ("week day", [])]


def written(path: pathlib.Path, cell: Any) -> pathlib.Path:
    """The rows as a CSV file, with their labels in one cell."""
    lines = ['"' + text + '","' + cell(labels).replace('"', '""') + '"' for text, labels in ROWS]
    path.write_text("\n".join(["text,topics", *lines]))
    return path


@pytest.mark.parametrize(
    ("cell", "separator"),
    [("|".join, "|"), (" ; ".join, ";"), (json.dumps, None)],
    ids=["bar", "semicolon", "json"],
)
def test_cells_of_a_table(cell: Any, separator: str | None, tmp_path: pathlib.Path) -> None:
    rows = read_multilabel(written(tmp_path / "news.csv", cell), label="topics", separator=separator)
    assert [labels for _, labels in ROWS] == rows.Y
    assert [column.name for column in rows.columns] == ["text"]
    assert rows.X.shape[0] == 3


def test_lists_in_json_lines(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "news.jsonl"
    path.write_text("\n".join(json.dumps({"text": text, "topics": labels}) for text, labels in ROWS))
    rows = read_multilabel(path)
    assert [labels for _, labels in ROWS] == rows.Y
    shuffled = read_multilabel(path, shuffle=True, random_state=1)
    order = [rows.Y.index(labels) for labels in shuffled.Y]
    assert sorted(order) == [0, 1, 2]
    assert (shuffled.X.toarray() == rows.X.toarray()[order]).all()


def test_one_label_and_labels_that_occur_twice() -> None:
    rows = read_multilabel(
        [{"x": 1.5, "tags": "a"}, {"x": 2.5, "tags": None}, {"x": 0.5, "tags": ["b", "b", "a"]}]
    )
    assert rows.Y == [["a"], [], ["b", "a"]]
    np.testing.assert_array_equal(rows.X.ravel(), [1.5, 2.5, 0.5])


def test_svmlight(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "news.svm"
    path.write_text("1,3 1:0.5 5:1\n# nothing\n 2:1\n3 1:2 # comment\n4:1\n")
    rows = read_multilabel(path)
    assert rows.Y == [["1", "3"], [], ["3"], []]
    expected = [[0.5, 0, 0, 0, 1], [0, 1, 0, 0, 0], [2, 0, 0, 0, 0], [0, 0, 0, 1, 0]]
    np.testing.assert_array_equal(rows.X.toarray(), expected)
    assert read_multilabel(path, zero_based=True).X.shape == (4, 6)


def test_svmlight_may_have_tabs_and_faults_name_the_file(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "news.svm"
    path.write_text("1,3\t1:0.5\t5:1\n2:1\n")
    assert read_multilabel(path).Y == [["1", "3"], []]
    path.write_text("1,3 1:0.5\n# nothing\n2 5:x\n")
    with pytest.raises(DataError, match=f"^{path}, line 3: the value in '5:x'"):
        read_multilabel(path)


def test_lists_may_have_whole_numbers(tmp_path: pathlib.Path) -> None:
    rows = [{"text": "a b", "tags": ["x", "y"]}, {"text": "c", "tags": ["y", 3]}, {"text": "a", "tags": []}] * 5
    path = tmp_path / "mixed.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    for found in (read_multilabel(path), read_multilabel(rows)):
        assert found.Y[:3] == [["x", "y"], ["y", "3"], []]
        assert [column.name for column in found.columns] == ["text"], "labels are no features"
    numbers = [{"text": f"a {row % 4}", "topics": [1, 4] if row % 2 else []} for row in range(20)]
    for options in ({}, {"label": "topics"}):
        assert read_multilabel(numbers, **options).Y[:2] == [[], ["1", "4"]]


@pytest.mark.parametrize(
    ("records", "options", "message"),
    [
        ([{"x": 1, "z": "a"}], {}, "no labels among 'x', 'z': name a column"),
        ([{"x": 1, "tags": "a"}], {"label": "topics"}, "no column 'topics': there are 'x', 'tags'"),
        ([{"x": 1, "tags": "[a"}], {}, "the labels '[a' are not a JSON list: fix the cell"),
        ([{"x": 1, "tags": "[[1]]"}], {}, "must be text or whole numbers: fix the cell"),
        ([{"x": 1, "tags": "a"}], {"separator": ""}, "the separator is empty"),
        ([{"x": 1, "tags": "a"}], {"zero_based": True}, "zero_based has no effect for a table: leave it out"),
    ],
)
def test_what_cannot_be_read(records: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError) as refused:
        read_multilabel(records, **options)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_options_of_tables_are_not_for_svmlight(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "news.svm"
    path.write_text("1 1:1\n")
    with pytest.raises(DataError, match="separator has no effect for a svmlight file: leave it out"):
        read_multilabel(path, separator="|")
    path.write_text("1,2 1:1\n3 x:1\n")
    with pytest.raises(DataError, match="line 2"):
        read_multilabel(path)
