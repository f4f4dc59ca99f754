"""Labels in another table than their rows: `read_table(labels=, id=)`."""

import json

import numpy as np
import pandas
import pytest

from askance.data import read, read_table
from askance.data.kinds import LEFT_OUT
from askance.errors import DataError

FRAME = pandas.DataFrame(
    {"mail": [f"m{row}" for row in range(50)], "size": np.arange(50) * 1.5, "city": ["Rome", "Oslo"] * 25}
)
LABELS = pandas.DataFrame({"mail": ["m3", "m49", "m1", "m20", "m3"], "label": ["a", "b", "a", "a", "b"]})


def everything(table):
    """Sizes, labels and ids of all chunks."""
    chunks = list(table)
    join = [np.concatenate([np.asarray(getattr(chunk, name)) for chunk in chunks]) for name in ("y", "ids")]
    return np.concatenate([chunk.X[:, 0] for chunk in chunks]).tolist(), *(each.tolist() for each in join)


@pytest.mark.parametrize("chunk_rows", [1, 7, 2048])
def test_rows_find_their_labels_and_others_are_left_out(chunk_rows):
    table = read_table(FRAME, labels=LABELS, id="mail", chunk_rows=chunk_rows)
    assert [column.name for column in table.columns] == ["size", "city"]
    assert table.unmatched is None
    assert everything(table) == ([1.5, 4.5, 30.0, 73.5], ["a", "b", "a", "b"], ["m1", "m3", "m20", "m49"])
    assert table.unmatched == (46, 0)
    assert [label for chunk in table.labels_only() for label in chunk.y.tolist()] == ["a", "b", "a", "b"]


def test_numbers_of_rows_identify_them_without_an_id():
    labels = pandas.DataFrame({"row": [2, 48, 60], "label": [1, 0, 1]})
    table = read_table(FRAME.drop(columns="mail"), labels=labels)
    assert everything(table) == ([3.0, 72.0], [1, 0], [2, 48])
    assert table.unmatched == (48, 1)


def test_every_format_of_rows_and_labels(tmp_path):
    frame = FRAME.assign(mail=np.arange(100, 150))
    frame.to_csv(tmp_path / "rows.csv", index=False)
    frame.to_json(tmp_path / "rows.jsonl", orient="records", lines=True)
    frame.to_parquet(tmp_path / "rows.parquet")
    labels = pandas.DataFrame({"mail": [103.0, 149.0, None], "label": ["a", "b", "c"]})
    labels.to_csv(tmp_path / "labels.csv", index=False)
    labels.to_parquet(tmp_path / "labels.parquet")
    (tmp_path / "labels.jsonl").write_text(
        "\n".join(json.dumps({"mail": mail, "label": label}) for mail, label in [("103", "a"), (149, "b")])
    )
    for rows in ("csv", "jsonl", "parquet"):
        for later in ("csv", "jsonl", "parquet"):
            table = read_table(tmp_path / f"rows.{rows}", labels=tmp_path / f"labels.{later}", id="mail")
            assert everything(table) == ([4.5, 73.5], ["a", "b"], ["103", "149"])


def test_a_label_that_is_empty_has_not_come_yet(tmp_path):
    (tmp_path / "labels.csv").write_text("mail,answer\nm1,1\nm2,\nm3,2.5\n")
    table = read_table(FRAME, labels=tmp_path / "labels.csv", id="mail", label="answer")
    assert everything(table)[1:] == ([1.0, 2.5], ["m1", "m3"])


def test_a_label_in_the_table_itself_is_no_feature():
    frame = FRAME.assign(answer="leak", label="leak")
    labels = LABELS.rename(columns={"label": "answer"})
    table = read_table(frame, labels=labels, id="mail", label="answer")
    assert [column.name for column in table.columns if column.kind != LEFT_OUT] == ["size", "city"]


def test_shuffled_rows_keep_their_ids():
    sizes, y, ids = everything(read_table(FRAME, labels=LABELS, id="mail", shuffle=True, random_state=1))
    assert sorted(ids) == ["m1", "m20", "m3", "m49"]
    assert dict(zip(ids, y, strict=True)) == {"m1": "a", "m3": "b", "m20": "a", "m49": "b"}
    assert [f"m{size / 1.5:.0f}" for size in sizes] == ids
    _, _, numbers = everything(read_table(FRAME, y=np.arange(50) % 3, shuffle=True, random_state=1))
    assert sorted(numbers) == list(range(50))
    assert numbers != sorted(numbers)


def test_ids_beside_labels_of_the_frame():
    _, y, ids = everything(read_table(FRAME, y=np.arange(50), id="mail", chunk_rows=7))
    assert y == list(range(50))
    assert ids == FRAME["mail"].tolist()


def test_chunks_of_shuffled_arrays_have_the_numbers_of_their_rows():
    X = np.arange(30.0).reshape(-1, 1)
    ids = np.concatenate([chunk.ids for chunk in read(X, y=np.arange(30) % 2, shuffle=True, random_state=4)])
    rows = np.concatenate([chunk.X[:, 0] for chunk in read(X, y=np.arange(30) % 2, shuffle=True, random_state=4)])
    assert ids.tolist() == rows.tolist()
    assert [chunk.ids for chunk in read(X, y=np.arange(30) % 2)] == [None]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"labels": LABELS}, "no column 'row' with the numbers of rows"),
        ({"labels": LABELS, "id": "size"}, "no column 'size' with the ids of rows"),
        ({"labels": LABELS, "id": "mail", "label": "answer"}, "no label field 'answer'"),
        ({"labels": LABELS, "id": "mail", "y": [0, 1] * 25}, "labels has no effect with y"),
        ({"labels": LABELS, "id": "mail", "label": False}, "labels has no effect with y or with label=False"),
        ({"labels": LABELS.assign(label=None), "id": "mail"}, "has no labels"),
        ({"labels": LABELS.assign(label=["a", 1, "b", "b", "b"]), "id": "mail"}, "use one kind"),
        ({"labels": LABELS.assign(mail="x"), "id": "mail"}, "no row has a label in"),
        ({"y": [0, 1] * 25, "id": "who"}, "no column 'who' that identifies rows"),
    ],
)
def test_what_is_refused(options, said):
    with pytest.raises(DataError, match=said):
        list(read_table(FRAME, **options))


def test_both_from_one_pipe(monkeypatch):
    import io
    import sys

    class Input:
        buffer = io.BufferedReader(io.BytesIO(b"row,size,label\n0,1,2\n1,2,3\n"))

    monkeypatch.setattr(sys, "stdin", Input())
    with pytest.raises(DataError, match="cannot both come from one pipe"):
        read_table("-", labels="-")
