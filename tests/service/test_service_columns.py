"""Tasks that know what the columns of records hold: the recipe of tables, item by item."""

import random

import msgspec
import numpy as np
import pytest

import askance
from askance.data import read_table
from askance.data.encoding import RunningMeans
from askance.data.kinds import NOTATIONS_OF, infer
from askance.persistence import model_of
from askance.service import columns as settings_columns
from askance.service.columns import Column
from askance.service.commands import settings as setting_commands
from askance.service.errors import RequestError
from askance.service.given_settings import as_settings
from askance.service.messages import ColumnsRequest, Item
from askance.service.settings import TaskSettings, from_json, to_json
from askance.service.state.columns import columns_of
from askance.service.state.rows import encoded
from askance.service.views import explain, model
from service_task import TaskRunner, settings

pytestmark = pytest.mark.plain
HALF = {"rate": 0.5, "burst": 30}
KINDS = {"age": "number", "city": "category", "note": "text", "since": "date", "customer": "id", "memo": "ignored"}


def customers(count, random_state=0):
    chance = random.Random(random_state)
    for place in range(count):
        label = chance.choice(["ham", "spam"])
        words = ["refund", "angry"] if label == "spam" else ["thanks", "nice"]
        record = {
            "customer": f"C{place}",
            "age": None if place % 7 == 3 else chance.gauss(30 + 20 * (label == "spam"), 5),
            "city": chance.choice(["Rome", "Oslo", None]),
            "note": " ".join(chance.choice([*words, "order", "please"]) for _ in range(5)),
            "since": f"20{10 + 5 * (label == 'spam') + chance.randrange(3)}-0{chance.randrange(1, 10)}-11",
        }
        yield record, label


def plain(records):
    return [{name: value for name, value in record.items() if value is not None} for record in records]


def task(columns, **more):
    return msgspec.structs.replace(settings("auto", bits=10, budget=HALF), item="record", columns=columns, **more)


def as_pushed(records):
    """The columns that a table with these records has."""
    values = {name: [record.get(name) for record in records] for name in records[0]}
    return columns_of(infer(values, {}, complete=False, features=list(values)))


def set_columns(runner, columns):
    wish = ColumnsRequest(columns)
    return runner.run(lambda transaction: setting_commands.set_columns(transaction, wish, "sender"))


def lived(runner, pairs):
    for record, label in pairs:
        decision = runner.decide(Item(record=record))[0]
        if decision.ask:
            runner.label(decision.item, label)


# ---------------------------------------------------------------------- rows


def test_rows_are_those_of_a_table():
    pairs = list(customers(60))
    records = [record for record, _ in pairs]
    columns = as_pushed(records)
    assert {name: column.kind for name, column in columns.items()} == {
        "customer": "id",
        "age": "number",
        "city": "category",
        "note": "text",
        "since": "date",
    }
    made = from_json(to_json(task(columns)))
    rows = encoded(made.plan(), plain(records))
    table = read_table(records, y=[label for _, label in pairs], bits=10)
    means = RunningMeans(table.plan)
    expected = next(iter(table)).X
    np.testing.assert_array_equal(means.fill(rows.dense.copy()), expected.dense)
    assert (rows.sparse != expected.sparse).nnz == 0
    for place, record in enumerate(plain(records)):
        one = encoded(made.plan(), [record])
        np.testing.assert_array_equal(one.dense[0], rows.dense[place])
        assert (one.sparse != rows.sparse[[place]]).nnz == 0


def test_numbers_and_dates_are_read_in_the_notation_of_the_table():
    records = [{"price": f"1.2{n:02},5", "since": f"{n + 1}.12.2025"} for n in range(25)]
    columns = as_pushed(records)
    made = from_json(to_json(task(columns)))
    assert [made.columns[name].notation for name in records[0]] == ["decimal comma", "day first"]
    rows = encoded(made.plan(), [records[7], {"price": 1250.5, "since": "2.1.2025"}])
    assert rows.dense.tolist() == [[1207.5, 2025, 12, 0], [1250.5, 2025, 1, 3]]


def test_settings_have_the_notations_of_tables():
    assert {kind: ("", *found) for kind, found in settings_columns.NOTATIONS_OF.items()} == NOTATIONS_OF


@pytest.mark.parametrize("kind", ["date", "category", "text", "id"])
def test_a_notation_is_for_columns_of_its_kind(kind):
    with pytest.raises(ValueError, match=f"a {kind} has no notation 'decimal comma': leave it out"):
        Column(kind, notation="decimal comma")


def test_decisions_are_those_of_the_library_on_the_rows_of_the_table(tmp_path):
    pairs = [(record | {"age": record["age"] or 31.0}, label) for record, label in customers(40)]
    made = task(as_pushed([record for record, _ in pairs]))
    learner = askance.AutoLearner(0.5, audit=0.3, classes=["ham", "spam"])
    rows = next(iter(read_table([record for record, _ in pairs], label=False, bits=10))).X
    with TaskRunner(str(tmp_path / "a.db"), made) as runner:
        for place, (record, label) in enumerate(pairs):
            x = askance.data.MixedRows(rows.dense[[place]], rows.sparse[[place]])
            expected, decision = learner.ask(x), runner.decide(Item(record=plain([record])[0]))[0]
            assert (decision.score, decision.ask_probability, decision.ask) == expected[1:4]
            if decision.ask:
                learner.tell(x, label, decision.ask_probability)
                runner.label(decision.item, label)


@pytest.mark.slow
def test_kinds_alone_are_enough(tmp_path):
    pairs = list(customers(50))
    with TaskRunner(str(tmp_path / "a.db"), task(KINDS), snapshot_every=20) as runner:
        lived(runner, [(record, label) for record, label in pairs[:40]])
        told = runner.task.predict([Item(record=record) for record, _ in pairs[40:]]).predictions
        assert [one.prediction for one in told] == [label for _, label in pairs[40:]]
        before = runner.everything()
        with runner.reopened() as again:
            assert again.everything() == before
            why = explain.explained(again.task.fold, Item(record=pairs[0][0]))
            names = {pull.feature for pull in why.pulls}
            assert names <= {"age", "since", "city=Rome", "city=Oslo"} | {
                f"note:{word}" for word in pairs[0][0]["note"].split()
            }
            assert names & {"age", "since"}
            strongest = model.detail(again.store, again.task).strongest
            assert {one.feature for one in strongest["spam"]} & {"note:refund", "note:angry"}


def test_a_missing_number_is_the_mean_of_the_first_rows_and_then_of_those_before(tmp_path):
    columns = {"x": Column("number", starts=[5.0], indicator=True), "z": "number"}
    with TaskRunner(str(tmp_path / "a.db"), task(columns)) as runner:
        learner = runner.task.fold.model.learner
        runner.decide(Item(record={"z": 1.0}))
        assert learner.core.models.scales.means.tolist() == [5.0, 1.0, 1.0, 0.0]
        runner.decide(Item(record={"x": 11.0, "z": 3.0}))
        runner.decide(Item(record={"x": "NA", "z": 5.0}))
        np.testing.assert_allclose(learner.core.models.scales.means, [8.0, 2 / 3, 3.0, 0.0])


# ---------------------------------------------------------------------- what does not fit


@pytest.mark.parametrize(
    ("record", "sentence"),
    [
        ({"age": "old"}, r"item 1 \(from 0\), column 'age': 'old' is not a number"),
        ({"since": "soon"}, r"item 1 \(from 0\), column 'since': 'soon' is not a date"),
        ({"Age": 31}, r"item 1 \(from 0\): there is no column 'Age' in this task; there are 'age'"),
        ({"age": 1e200}, "is too large or infinite"),
    ],
)
def test_another_kind_of_value_is_refused_and_nothing_changes(tmp_path, record, sentence):
    with TaskRunner(str(tmp_path / "a.db"), task(KINDS)) as runner:
        before = runner.everything()
        with pytest.raises(RequestError, match=sentence):
            runner.decide(Item(record={"age": 31}), Item(record=record))
        assert runner.everything() == before


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"item": "text"}, "columns is for items with records"),
        ({"algorithm": "PAA-II"}, "PAA-II hashes records as they are"),
        ({"columns": {"age": "float"}}, "Invalid enum value 'float'"),
    ],
)
def test_columns_that_a_task_cannot_have(given, sentence):
    whole = {"name": "a", "classes": ["x", "y"], "item": "record", "columns": {"age": "number"}, **given}
    with pytest.raises(ValueError, match=sentence):
        as_settings(whole).learner()


def test_columns_come_before_the_first_item(tmp_path):
    with TaskRunner(str(tmp_path / "a.db"), task({}), snapshot_every=5) as runner:
        assert set_columns(runner, KINDS).columns == KINDS
        lived(runner, customers(12))
        seq = runner.task.fold.seq
        set_columns(runner, KINDS)
        assert runner.task.fold.seq == seq, "the same columns again change nothing"
        with pytest.raises(RequestError, match="has items, so its columns can no longer change"):
            set_columns(runner, {"age": "text"})
        before = runner.everything()
        with runner.reopened() as again:
            assert again.everything() == before
            assert again.task.settings.columns == KINDS
            again.store.drop_snapshots(1, again.store.snapshot_seqs(1))
            again.task.rebuild()
            assert again.everything() == before


def test_settings_in_toml_name_the_kinds(tmp_path):
    path = tmp_path / "task.toml"
    path.write_text(
        'name = "a"\nclasses = ["x", "y"]\nitem = "record"\n[columns]\nage = "number"\n'
        'city = {kind = "category", levels = ["Rome", "Oslo"]}\n'
    )
    made = as_settings(path)
    assert isinstance(made, TaskSettings)
    assert made.columns == {"age": "number", "city": Column("category", ["Rome", "Oslo"])}
    assert made.layout().hashed == 0, "nothing is hashed"


# ---------------------------------------------------------------------- with texts and vectors, and downloaded


@pytest.mark.slow
@pytest.mark.parametrize("item", [["text", "record"], "mixed"])
def test_columns_beside_texts_and_vectors(tmp_path, item):
    more = {"vector_length": 2} if item == "mixed" else {}
    made = msgspec.structs.replace(task({"age": "number", "note": "text"}), item=item, **more)
    with TaskRunner(str(tmp_path / "a.db"), made, snapshot_every=8) as runner:
        for place, (record, label) in enumerate(customers(20)):
            content = {"text": record["note"], "record": {"age": record["age"], "note": record["note"]}}
            if item == "mixed" and place % 3:
                content["vector"] = [0.6, 0.8 if label == "spam" else -0.8]
            if place % 5 == 4:
                del content["record"]
            decision = runner.decide(Item(**content))[0]
            if decision.ask:
                runner.label(decision.item, label)
        before = runner.everything()
        with runner.reopened() as again:
            assert again.everything() == before
            explain.explained(again.task.fold, Item(text="refund", record={"age": 50}))


@pytest.mark.slow
@pytest.mark.parametrize("columns", [KINDS, {"age": "number", "since": "date", "customer": "id"}])
def test_a_downloaded_model_reads_tables(tmp_path, columns):
    pairs = [
        ({name: record[name] for name in columns if name in record}, label) for record, label in customers(40)
    ]
    with TaskRunner(str(tmp_path / "a.db"), task(columns)) as runner:
        lived(runner, pairs)
        records = [record for record, _ in pairs]
        told = runner.task.predict([Item(record=record) for record in records]).predictions
        learner = model_of(runner.model())
    assert learner.predict(records).tolist() == [one.prediction for one in told]
