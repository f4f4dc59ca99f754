"""A fleet that has learned from a table reads the next ones in the same way, also after it was saved."""

import pathlib
from typing import Any

import numpy as np
import pandas
import pytest

import askance
from askance.data import read, read_table
from askance.data.mixed import as_matrix
from askance.data.model_rows import table_as_known
from askance.errors import DataError, ModelFileError, ScaleWarning
from askance.fleet import Fleet
from askance.fleet.spill_file import SpillFile

ROWS = 240


def visits(rows: int = ROWS) -> pandas.DataFrame:
    """Three users, whose taste differs by city, with an age that is missing at times and a note in words."""
    rng = np.random.default_rng(3)
    frame = pandas.DataFrame(
        {
            "user": np.arange(rows) % 3,
            "age": rng.normal(size=rows).round(2),
            "city": rng.choice(["Oslo", "Rome"], rows),
            "note": rng.choice(["so good it was today", "it was so bad today"], rows),
        }
    )
    frame.loc[::20, "age"] = np.nan
    frame["label"] = np.where((frame.city == "Rome") == (frame.user == 1), "like", "skip")
    return frame


def new_fleet(**more: Any) -> Fleet:
    given = {"classes": ["like", "skip"], "bits": 7, "dtype": "float64", "n_jobs": 1, **more}
    return Fleet("PAA-II", {"delta": 1.0}, **given)


def learned() -> Fleet:
    fleet = new_fleet()
    fleet.run("user", read_table(visits(), id="user", bits=6))
    return fleet


def test_a_table_is_learned_like_its_rows() -> None:
    frame = visits()
    table = read_table(frame, id="user", bits=6)
    chunk = next(iter(table))
    with new_fleet() as fleet, new_fleet() as by_rows:
        trace = fleet.run("user", table)
        expected = by_rows.run(frame.user.astype(str), as_matrix(chunk.X), frame.label)
        assert sorted(fleet.keys()) == ["0", "1", "2"]
        assert trace.scores.tolist() == expected.scores.tolist()
        assert trace.asked.tolist() == expected.asked.tolist()
        assert dict(fleet.packed()) == dict(by_rows.packed())


def test_the_file_of_a_fleet_holds_how_its_table_was_read(tmp_path: pathlib.Path) -> None:
    frame = visits()
    frame.to_csv(tmp_path / "visits.csv", index=False)
    frame.to_json(tmp_path / "visits.jsonl", orient="records", lines=True)
    with learned() as fleet:
        fleet.save(tmp_path / "first")
        expected = fleet.decision_function("user", frame)
    askance.load(tmp_path / "first").save(tmp_path / "second")  # and keeps it
    again = askance.load(tmp_path / "second")
    for source in (
        frame,
        frame[["note", "city", "age", "user"]],  # without labels, in another order
        frame.to_dict("records"),
        tmp_path / "visits.csv",
        str(tmp_path / "visits.jsonl"),
        iter([frame[:100], frame[100:]]),
    ):
        np.testing.assert_array_equal(again.decision_function("user", source), expected)
    keys = frame.user.astype(str).tolist()
    assert (again.predict(keys, frame.drop(columns="user")) == frame.label)[-50:].mean() > 0.9
    again.close()


def test_one_record_at_a_time_and_labels_in_a_column() -> None:
    frame = visits()
    with learned() as fleet, learned() as other:
        record = {"age": None, "city": "Rome", "note": "so good it was today"}
        assert fleet.ask("1", record).prediction == "like"
        assert fleet.ask("2", record).prediction == "skip"
        other.decide("user", [record | {"user": 1}, record | {"user": "2"}])
        fleet.tell("1", record, "skip").partial_fit("user", frame)
        other.partial_fit(["1"], [record], ["skip"]).partial_fit("user", frame.drop(columns="label"), frame.label)
        assert dict(fleet.packed()) == dict(other.packed())


def test_labels_in_a_file_are_of_the_kind_of_the_classes(tmp_path: pathlib.Path) -> None:
    frame = visits()
    frame["label"] = np.where(frame.label == "like", 1, 0)
    frame.to_csv(tmp_path / "visits.csv", index=False)
    with new_fleet(classes=[0, 1]) as fleet:
        fleet.run("user", read_table(tmp_path / "visits.csv", id="user", bits=6))
        trace = fleet.run("user", tmp_path / "visits.csv")
        assert trace.y.tolist() == frame.label.tolist()


def test_a_missing_number_is_the_mean_of_the_first_table() -> None:
    frame = visits()
    with learned() as fleet:
        whole = fleet.decision_function("user", frame)
        alone = [fleet.decision_function("user", frame[row : row + 1])[0] for row in (0, 20, 40)]
        assert alone == whole[[0, 20, 40]].tolist()
        record = frame.drop(columns="user").iloc[0].to_dict() | {"age": frame.age.mean()}
        without = record | {"age": None}
        weight = fleet.coef_of("0").toarray()[0][1]  # of the feature that says that the age is missing
        assert fleet.decision_function(["0"], [without])[0] == pytest.approx(
            fleet.decision_function(["0"], [record])[0] + weight
        )


def test_another_table_is_refused_and_changes_nothing() -> None:
    frame = visits()
    with learned() as fleet:
        before = dict(fleet.packed())
        refused: list[tuple[str, Any, str]] = [
            ("user", frame.drop(columns="city"), "no column 'city', which the model has learned from"),
            ("person", frame, "data frame: no column 'person' with the keys"),
            ("user", frame.drop(columns="label"), "no column 'label' with the labels: add it, or pass y"),
            ("user", frame.assign(age="old"), "'old' is not a number, as the model has learned it"),
            (
                "user",
                frame.assign(user=[None, *frame.user[1:]]),
                "row 0 .from 0.: has no key in the column 'user'",
            ),
            ("user", read_table(frame, id="user", bits=5), "read in another way than those that the fleet"),
            ("user", read_table(frame), "needs the name of the column with the keys"),
            ("user", np.ones((2, 3)), "these rows have no column 'user'"),
            ("user", [{"colour": "red"}], "has none of the fields that the model has learned from"),
        ]
        for keys, source, complaint in refused:
            with pytest.raises(DataError, match=complaint):
                fleet.run(keys, source)
        with pytest.raises(ValueError, match="must be all str or all int"):
            fleet.predict([0], frame[:1])  # keys of tables are text
        assert dict(fleet.packed()) == before
        fleet.run("user", read_table(frame, id="user", bits=6))  # the same columns, read again


def test_a_fleet_without_a_table() -> None:
    frame = visits()
    with new_fleet() as fleet:
        for keys in ("user", frame.user):
            with pytest.raises(DataError, match=r"visits.csv: this fleet has not learned from a table yet"):
                fleet.predict(keys, "visits.csv")
        with pytest.raises(DataError, match=r"read_table\(source, id='user'\)"):
            fleet.predict("user", frame)
        with pytest.raises(DataError, match="needs the name of the column with the keys"):
            fleet.run("user", read(frame[["age"]].fillna(0).to_numpy(), y=frame.label))
        with pytest.raises(ValueError, match="there are no labels: pass y, or a table"):
            fleet.partial_fit(["a"], np.ones((1, 2)))
        with pytest.raises(ValueError, match="there are no labels: pass y, or a table"):
            fleet.run("user", read_table(frame.drop(columns="label"), id="user", label=False, bits=6))
        assert fleet.rounds == 0
        fleet.partial_fit(["a"], np.ones((1, 2)), ["like"])
        with pytest.raises(DataError, match="has learned from rows that were not read as a table"):
            fleet.decide("user", read_table(frame, id="user", bits=6))


def test_numbers_of_very_different_size_are_reported() -> None:
    frame = visits().assign(income=lambda frame: frame.age.fillna(0) * 1e6)
    with new_fleet() as fleet, pytest.warns(ScaleWarning, match="scale these columns before"):
        fleet.run("user", read_table(frame, id="user", bits=6))


def test_a_damaged_reading_is_found_when_the_file_is_loaded(tmp_path: pathlib.Path) -> None:
    with learned() as fleet:
        fleet.save(tmp_path / "fleet")
    with SpillFile(tmp_path / "fleet") as file:
        file.set_metadata({"table": file.metadata()["table"] | {"sums": []}})
    with pytest.raises(ModelFileError, match="holds means that do not match its columns"):
        askance.load(tmp_path / "fleet")


def test_a_model_that_does_not_know_its_table_says_so_of_every_file() -> None:
    for source in ("rows.svm", "rows.csv"):
        with pytest.raises(DataError, match=r"does not say how its table was read"):
            table_as_known({}, source)
