"""Numbers that are not finite: none is acknowledged, and a model that has diverged can be brought back."""

import math
import random

import numpy as np
import pytest

from askance.algorithms import catalog
from askance.rules.registry import MULTICLASS
from askance.service.commands import items as item_commands
from askance.service.errors import RequestError
from askance.service.messages import Item, LabelledItem
from service_task import TaskRunner, settings
from stores import all_entries

pytestmark = pytest.mark.slow

LARGEST = {"float64": 1e153, "float32": 1e18}
SMALLEST = {"float64": 5e-324, "float32": 1e-45}
KINDS = {
    "milliseconds": lambda chance, place, _: {"at_ms": 1_700_000_000_000 + 1000 * place, "x": chance.random()},
    "extreme": lambda chance, _, dtype: {"a": chance.uniform(-1, 1) * LARGEST[dtype], "b": chance.random()},
    "constant": lambda *_: {"a": 1.0},
    "all magnitudes": lambda chance, _, dtype: {
        chance.choice("abc"): chance.choice([-1, 1])
        * math.exp(chance.uniform(math.log(SMALLEST[dtype]), math.log(LARGEST[dtype])))
    },
    "tiny": lambda chance, _, dtype: {"a": SMALLEST[dtype] * chance.randint(1, 9)},
}
# Those that acknowledged such numbers, those of the default, and one per form of states.
SOME = ("auto", "OPAUC", "CW-stdev", "R-ADA", "PAA-II", "SEL-PNORM", "MPAA-II", "K-SEL-2ND")


@pytest.fixture(autouse=True)
def quiet():
    """Compiled rules do not warn when they overflow; those in plain Python do."""
    with np.errstate(all="ignore"):
        yield


def live_through(runner, kind, dtype, rounds):
    """Send records, and answer what is asked at random; return the decisions and the refusals."""
    chance, decided, refused = random.Random(1), [], []
    classes = runner.settings.classes
    for place in range(rounds):
        item = Item(record=KINDS[kind](chance, place, dtype))
        try:
            decision = runner.decide(item)[0]
            decided.append(decision)
            if decision.ask:
                runner.label(decision.item, chance.choice(classes))
            decided += runner.task.predict([item]).predictions
        except RequestError as error:
            refused.append(error)
    return decided, refused


def check(tmp_path, name, dtype, kind, rounds):
    entry = catalog[name] if name != "auto" else None
    classes = ("a", "b", "c") if entry is not None and entry.kind == MULTICLASS else ("a", "b")
    made = settings(name, bits=4, classes=classes, item="record", dtype=dtype)
    with TaskRunner(str(tmp_path / "a.db"), made) as runner:
        decided, refused = live_through(runner, kind, dtype, rounds)
        assert {error.status for error in refused} <= {409, 422}, refused
        for decision in decided:
            assert math.isfinite(decision.score)
            assert 0 <= getattr(decision, "ask_probability", 0) <= 1
            assert decision.prediction in classes
        before, figures = runner.everything(), runner.figures()
        again = runner.reopened()
        assert (again.everything(), again.figures().problem) == (before, figures.problem)
        again.close()


@pytest.mark.parametrize("kind", ["milliseconds", "extreme", "tiny"])
@pytest.mark.parametrize("name", SOME)
def test_no_number_that_is_not_finite_is_acknowledged(tmp_path, name, kind):
    check(tmp_path, name, "float64", kind, 20)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["milliseconds", "extreme"])
@pytest.mark.parametrize("name", ["auto", *catalog])
def test_no_name_acknowledges_such_a_number_early(tmp_path, name, kind):
    check(tmp_path, name, "float64", kind, 8)


@pytest.mark.soak
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", ["auto", *catalog])
def test_no_name_acknowledges_a_number_that_is_not_finite(tmp_path, name, dtype):
    if name == "auto" and dtype == "float32":
        return  # it computes in double precision
    for number, kind in enumerate(KINDS):
        (tmp_path / str(number)).mkdir()
        check(tmp_path / str(number), name, dtype, kind, 60)


# ---------------------------------------------------------------------- a model that has diverged


def diverged(tmp_path):
    """A task whose model has learned from values that its algorithm cannot bear."""
    runner = TaskRunner(str(tmp_path / "a.db"), settings("OPAUC", bits=4, item="record"))
    live_through(runner, "all magnitudes", "float64", 6)
    good = runner.task.fold.version, runner.model()
    live_through(runner, "extreme", "float64", 10)
    assert runner.task.fold.model.diverged
    return runner, *good


def test_a_diverged_model_refuses_items_and_says_how_to_go_back(tmp_path):
    runner, *_ = diverged(tmp_path)
    with runner:
        before, seq = runner.everything(), runner.task.fold.seq
        item = Item(record={"a": 1.0})
        labelled = LabelledItem(record={"a": 1.0}, label="spam")
        for work in (
            lambda: runner.decide(item),
            lambda: runner.task.predict([item]),
            lambda: runner.run(lambda transaction: item_commands.import_items(transaction, [labelled], "sender")),
        ):
            with pytest.raises(RequestError, match=r"has diverged: .* roll the model back") as refused:
                work()
            assert (refused.value.status, refused.value.code) == (409, "diverged")
        assert (runner.task.fold.seq, runner.everything()) == (seq, before)
        assert "has diverged" in runner.figures().problem


def test_a_diverged_model_is_rolled_back(tmp_path):
    runner, version, _ = diverged(tmp_path)
    with runner:
        runner.roll_back(version)
        assert runner.figures().problem is None
        assert math.isfinite(runner.decide(Item(record={"a": 1.0}))[0].score)
        again = runner.reopened()
        assert again.figures().problem is None
        again.close()


def test_a_label_that_made_the_model_diverge_is_undone(tmp_path):
    runner = TaskRunner(str(tmp_path / "a.db"), settings("OPAUC", bits=4, item="record"))
    with runner:
        chance = random.Random(1)
        while not runner.task.fold.model.diverged:
            decision = runner.decide(Item(record=KINDS["extreme"](chance, 0, "float64")))[0]
            if decision.ask:
                runner.label(decision.item, chance.choice(["ham", "spam"]))
        entry = runner.store.at(1, [runner.task.fold.model.diverged])[runner.task.fold.model.diverged]
        assert entry.kind == "label"
        runner.undo(item=entry.item)
        assert runner.figures().problem is None


def test_labels_are_taken_while_a_model_has_diverged(tmp_path):
    """A labeller's work is kept: it is learned at its place when the label that did the damage is undone."""
    runner = TaskRunner(str(tmp_path / "a.db"), settings("OPAUC", bits=4, item="record"))
    with runner:
        waiting = runner.decide(Item(record={"b": 1.0}))[0]
        live_through(runner, "extreme", "float64", 20)
        assert runner.task.fold.model.diverged
        assert waiting.ask
        assert runner.label(waiting.item, "ham").state == "learned"


def test_no_snapshot_is_taken_of_a_diverged_model(tmp_path):
    runner, *_ = diverged(tmp_path)
    with runner:
        runner.task.snapshot_every = 1
        runner.set_state("paused")
        runner.task.settle()
        assert runner.store.snapshot_seqs(1) == []


# ---------------------------------------------------------------------- items that the model cannot bear


def huge_weights(runner):
    """A model whose weights are finite, but so large that a huge value has no score."""
    runner.run(
        lambda transaction: item_commands.import_items(
            transaction,
            [LabelledItem(record={name: 1.3e154}, label="ham") for name in "abcd"],
            "sender",
        )
    )


def test_an_item_without_a_finite_score_is_refused_alone(tmp_path):
    """Neither the rest of its request nor other requests of the same commit are harmed."""
    with TaskRunner(str(tmp_path / "a.db"), settings("PE", bits=8, item="record")) as runner:
        huge_weights(runner)
        before, entries = runner.everything(), all_entries(runner.store)
        bad = [Item(record={"a": 1.0}), Item(record=dict.fromkeys("abcd", 6e153))]
        with pytest.raises(
            RequestError, match=r"item 1 \(from 0\): its score is not finite.*scale them down"
        ) as error:
            runner.decide(*bad)
        assert (error.value.status, error.value.code) == (422, "invalid")
        assert runner.figures().problem is None
        assert (runner.everything(), all_entries(runner.store)) == (before, entries)
        with pytest.raises(RequestError, match=r"item 1 \(from 0\): its score"):
            runner.task.predict(bad)
        good = [Item(record={"b": 1.0}, id="good")]
        answers = runner.run_all(
            [
                lambda transaction: item_commands.decide(transaction, [Item(record={"c": 1.0})], "sender"),
                lambda transaction: item_commands.decide(transaction, bad, "sender"),
                lambda transaction: item_commands.decide(transaction, good, "sender"),
            ]
        )
        assert [answer.exception() is None for answer in answers] == [True, False, True]
        assert [entry.seq for entry in all_entries(runner.store)] == [1, 2, 3, 4, 5, 6]
