"""The model is a pure fold over the journal: rebuilt, replayed or corrected, it is the same to the last bit."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import askance
from askance.learners.files import from_bytes, to_bytes
from askance.service.errors import RequestError
from askance.service.messages import Item
from askance.service.settings import Budget, Costs, Labelling
from askance.service.state import journal, snapshots
from askance.service.state.rows import stored_rows
from askance.service.store import open_store
from examples import examples
from service_task import TaskRunner, texts
from service_task import settings as made
from thinning import also_compiled

ALGORITHMS = ("auto", "PAA-II", "RPA-II", "SEL-ADA", "AROW-diag", "D-ADA", "OMCSL-F-h", "K-PAA-I")
COMMANDS = ("items", "items", "lease", "label", "label", "label", "skip", "undo", "correct", "teach", "back")
COMMANDS += ("budget", "per item", "state", "roll back", "take back roll-back", "delete")


def live_through(runner, random_state, steps):
    """A random life of a task; refusals belong to it."""
    chance = random.Random(random_state)
    asked, labelled, rolled_back = [], [], []
    for _ in range(steps):
        runner.clock.now += chance.random() * 100
        who = chance.choice(["ann", "bob"])
        try:
            match chance.choice(COMMANDS):
                case "items":
                    decided = runner.decide(*(text for text, _ in texts(chance, chance.randint(1, 5))))
                    asked += [decision.item for decision in decided if decision.ask]
                case "lease":
                    runner.lease(who, count=2)
                case "label" if asked:
                    item = chance.choice(asked)
                    runner.label(item, chance.choice(["ham", "spam"]), who)
                    labelled.append(item)
                case "skip" if asked:
                    runner.skip(chance.choice(asked), who)
                case "undo":
                    runner.undo(who)
                case "correct" if labelled:
                    runner.correct(chance.choice(labelled), chance.choice(["ham", "spam"]))
                case "teach":
                    runner.import_items(*texts(chance, 2))
                case "budget":
                    runner.change(
                        budget=Budget(rate=chance.choice([None, 0.2, 0.5]), total=chance.choice([400, 500]))
                    )
                case "per item":
                    runner.change(labels=Labelling(per_item=chance.randint(1, 2)))
                case "state":
                    runner.set_state(chance.choice(["running", "running", "paused", "archived"]))
                case "roll back":
                    rolled_back.append(runner.roll_back(chance.randint(0, runner.task.fold.seq)).number)
                case "take back roll-back" if rolled_back:
                    runner.undo_rollback(rolled_back.pop())
                case "delete":
                    runner.delete(*{chance.randint(1, runner.task.fold.seq + 1) for _ in range(3)})
                case "back" if asked:
                    runner.return_question(chance.choice(asked), who)
        except RequestError:
            pass


def is_rebuilt_bit_for_bit(url, random_state, algorithm, per_item, snapshot_every):
    task = made(algorithm, labels={"per_item": per_item}, random_state=random_state, budget={"total": 500})
    with TaskRunner(url, task, snapshot_every=snapshot_every) as runner:
        live_through(runner, random_state, 60)
        before, figures = runner.everything(), runner.figures()
        assert runner.everything() == before, "taking a snapshot changes nothing"
        with runner.reopened() as again:
            assert again.everything() == before
            assert again.figures().estimates == figures.estimates
            again.store.drop_snapshots(1, again.store.snapshot_seqs(1))
            again.task.rebuild()
            assert again.everything() == before, "from the first entry on"
            live_through(again, random_state + 1, 10)
            assert again.task.fold.seq > figures.entries


@pytest.mark.sampled(2)
@pytest.mark.parametrize("algorithm", also_compiled(ALGORITHMS, {"auto", "PAA-II"}))
def test_a_model_rebuilt_from_the_journal_is_bit_identical(algorithm, tmp_path):
    is_rebuilt_bit_for_bit(str(tmp_path / "a.db"), 7, algorithm, 1, 20)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("per_item", [2, 3])
def test_also_with_several_labels_an_item(per_item, store_url):
    is_rebuilt_bit_for_bit(store_url, 11, "PAA-II", per_item, 15)


@pytest.mark.soak
@pytest.mark.parametrize("random_state", range(100))
def test_over_a_hundred_seeds(random_state, store_url):
    chance = random.Random(random_state)
    is_rebuilt_bit_for_bit(
        store_url,
        random_state,
        ALGORITHMS[random_state % len(ALGORITHMS)],
        chance.choice([1, 1, 2, 3]),
        chance.choice([7, 40, 999]),
    )


def test_a_hundred_and_more_entries_make_snapshots(tmp_path):
    with TaskRunner(str(tmp_path / "a.db"), snapshot_every=10) as runner:
        for number in range(12):
            runner.decide(*[f"word{number}"] * 10)
            runner.task.settle()
        seqs = runner.store.snapshot_seqs(1)
        assert seqs[-1] == 120
        assert 3 <= len(seqs) < 12, "older ones are thinned out"
        content = runner.store.snapshot(1)[1]
        assert snapshots.pack(snapshots.content(snapshots.unpack(content, runner.settings))) == content


def test_a_damaged_snapshot_is_passed_over(tmp_path, caplog):
    runner = TaskRunner(str(tmp_path / "a.db"), snapshot_every=10)
    for number in range(5):
        runner.decide(*[f"word{number}"] * 10)
        runner.task.settle()
    before = runner.everything()
    seq, content = runner.store.snapshot(1)
    for bad in (content[:-30], content[:200] + b"x" + content[201:], b""):
        runner.store.add_snapshot(1, seq, bad)
        runner = runner.reopened()
        assert runner.everything() == before
        assert f"snapshot {seq} is damaged" in caplog.text or "no model" in caplog.text
    runner.close()


# ---------------------------------------------------------------------- corrections


def history(runner, wrong):
    """Forty items, labels for all that were asked, the ones at the places `wrong` with the wrong class first."""
    chance = random.Random(3)
    pairs = list(texts(chance, 40))
    decided = runner.decide(*(text for text, _ in pairs[:25]))
    labels = {}
    for place, (decision, (_, label)) in enumerate(zip(decided, pairs, strict=False)):
        if decision.ask:
            given_label = {"ham": "spam", "spam": "ham"}[label] if place in wrong else label
            runner.label(decision.item, given_label)
            labels[decision.item] = label
    runner.decide(*(text for text, _ in pairs[25:]))
    return labels


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["RPA-II", "AROW-diag"])
def test_a_corrected_label_leaves_the_model_that_a_right_one_would_have(name, tmp_path, store_url):
    # These ask whatever the model says, so a service with the right label from the start lives the same life.
    with (
        TaskRunner(store_url, made(name), snapshot_every=10) as runner,
        TaskRunner(str(tmp_path / "b.db"), made(name)) as right,
    ):
        labels = history(runner, wrong={2, 7})
        history(right, wrong=())
        assert runner.model() != right.model()
        for item, label in labels.items():
            mended = runner.correct(item, label)
            assert mended.label == label
        assert runner.model() == right.model()
        assert [d[:5] for d in map(tuple_of, runner.decide("win cash", "lunch"))] == [
            d[:5] for d in map(tuple_of, right.decide("win cash", "lunch"))
        ]


def tuple_of(decision):
    return decision.prediction, decision.score, decision.ask_probability, decision.ask


@pytest.mark.slow
def test_where_a_rule_looks_at_the_model_its_questions_stay_and_their_labels_are_learned_anew(tmp_path):
    with TaskRunner(str(tmp_path / "a.db"), made("PAA-I", parameters={"delta": 0.5})) as runner:
        labels = history(runner, wrong={0, 3, 9})
        asked_before = [entry.kind for batch in runner.store.entries(1) for entry in batch]
        for item, label in labels.items():
            runner.correct(item, label)
        entries = [entry for batch in runner.store.entries(1) for entry in batch]
        assert [entry.kind for entry in entries][: len(asked_before)] == asked_before
        twin = runner.settings.learner()
        contents = {entry.seq: journal.read(entry) for entry in entries if entry.kind in journal.ITEMS}
        rows = stored_rows(runner.settings, contents)
        for entry in entries:
            if entry.kind in journal.ITEMS:
                twin.ask(rows[entry.seq])
            elif entry.kind == journal.LABEL:
                twin.tell(rows[entry.item], labels[entry.item], contents[entry.item].ask_probability)
        assert to_bytes(twin) == runner.model()


def test_an_undone_label_leaves_the_model_without_it(tmp_path):
    with (
        TaskRunner(str(tmp_path / "a.db"), made("PA-II")) as runner,
        TaskRunner(str(tmp_path / "b.db"), made("PA-II")) as never,
    ):
        for one in (runner, never):
            one.decide("win cash", "hello you", "free prize")
            one.label(1, "spam")
        runner.label(2, "spam")
        runner.label(3, "spam")
        undone = runner.undo(item=2)
        assert (undone.item, undone.label) == (2, None)
        never.label(3, "spam")
        assert runner.model() == never.model()
        assert runner.detail(2).state == "open"
        assert runner.task.fold.questions.open[2].loan("ann", runner.clock.now) is not None, "it is ann's again"
        assert runner.undo().item == 3, "without an item, the last one"
        assert runner.label(2, "ham").state == "learned"


# ---------------------------------------------------------------------- decisions


@examples(25)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=8), st.integers(0, 1000))
def test_how_a_stream_is_cut_changes_no_decision(tmp_path_factory, sizes, random_state):
    chance = random.Random(random_state)
    stream = [text for text, _ in texts(chance, sum(sizes))]
    task = made("PAA-II", random_state=random_state, budget={"rate": 0.5, "burst": 3})
    directory = tmp_path_factory.mktemp("cuts")
    with TaskRunner(str(directory / "a.db"), task) as whole, TaskRunner(str(directory / "b.db"), task) as cut:
        at_once = whole.decide(*stream)
        pieces = []
        for size in sizes:
            pieces += cut.decide(*stream[len(pieces) : len(pieces) + size])
        assert pieces == at_once
        assert cut.everything() == whole.everything()


def test_decisions_are_those_of_the_library(tmp_path):
    task = made("PAA-II", random_state=5, parameters={"delta": 0.1})
    chance = random.Random(1)
    pairs = list(texts(chance, 60))
    learner = askance.make("PAA-II", delta=0.1, random_state=5, dtype="float64", classes=["ham", "spam"])
    with TaskRunner(str(tmp_path / "a.db"), task) as runner:
        for text, label in pairs:
            x = askance.data.hash_texts([text], 8, dtype="float64")
            expected, (decision,) = learner.ask(x), runner.decide(text)
            assert tuple_of(decision) == expected[:4]
            if decision.ask:
                learner.tell(x, label)
                runner.label(decision.item, label)
        assert 5 < runner.figures().asked < 55
        np.testing.assert_array_equal(from_bytes(runner.model()).coef_, learner.coef_)


def predicts_without_a_trace(runner, calls):
    runner.decide(*(text for text, _ in texts(random.Random(2), 30)))
    for item in list(runner.task.fold.questions.open)[:10]:
        runner.label(item, "spam")
    before = runner.everything()
    first = runner.task.predict([Item(text="win cash"), Item(text="lunch")])
    for _ in range(calls // 2):
        assert runner.task.predict([Item(text="win cash"), Item(text="lunch")]) == first
    assert runner.everything() == before


@pytest.mark.parametrize("classes", [("ham", "spam"), ("eggs", "ham", "spam")])
def test_predicting_leaves_no_trace(tmp_path, classes):
    with TaskRunner(str(tmp_path / "a.db"), made(classes=classes)) as runner:
        predicts_without_a_trace(runner, 400)


@pytest.mark.soak
def test_a_hundred_thousand_predictions_leave_no_trace(tmp_path):
    with TaskRunner(str(tmp_path / "a.db")) as runner:
        predicts_without_a_trace(runner, 100_000)


def asks_within_ten(name, tmp_path):
    many = askance.catalog[name].kind == "multiclass"
    classes = ("eggs", "ham", "spam") if many else ("ham", "spam")
    with TaskRunner(str(tmp_path / "a.db"), made(name, bits=5, classes=classes)) as runner:
        decided = runner.decide(*(text for text, _ in texts(random.Random(1), 10)))
        assert any(decision.ask for decision in decided)


@pytest.mark.parametrize("name", ["PAA-II", "MPAA-II", "SEL-ADA", "D-ADA"])
def test_a_method_asks_within_the_first_ten_items(name, tmp_path):
    asks_within_ten(name, tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize("name", askance.catalog)
def test_every_method_asks_within_the_first_ten_items(name, tmp_path):
    asks_within_ten(name, tmp_path)


# ---------------------------------------------------------------------- budgets


@pytest.mark.slow
@examples(40)
@given(
    st.sampled_from([None, 0.1, 0.3, 1.0]),
    st.integers(0, 6),
    st.sampled_from([None, 0, 3, 11]),
    st.sampled_from([None, 0, 2, 7]),
    st.integers(0, 1000),
)
def test_no_prefix_exceeds_a_budget(tmp_path_factory, rate, burst, total, per_day, random_state):
    keeps_its_budget(tmp_path_factory.mktemp("budget") / "a.db", rate, burst, total, per_day, random_state)


@pytest.mark.soak
@settings(max_examples=10_000)
@given(
    st.one_of(st.none(), st.floats(0.01, 1.0)),
    st.integers(0, 30),
    st.one_of(st.none(), st.integers(0, 40)),
    st.one_of(st.none(), st.integers(0, 15)),
    st.integers(0, 2**32),
)
def test_no_prefix_of_ten_thousand_streams_exceeds_a_budget(
    tmp_path_factory, rate, burst, total, per_day, random_state
):
    path = tmp_path_factory.mktemp("budget") / "a.db"
    keeps_its_budget(path, rate, burst, total, per_day, random_state)
    path.unlink()


def keeps_its_budget(path, rate, burst, total, per_day, random_state):
    chance = random.Random(random_state)
    budget = {"rate": rate, "burst": burst, "total": total, "per_day": per_day}
    asked, days, refused = 0, {}, 0
    with TaskRunner(
        str(path),
        made("PAA-II", bits=5, budget=budget, random_state=random_state % 2**32, parameters={"delta": 30.0}),
    ) as runner:
        for rows in range(1, 61):
            runner.clock.now += chance.choice([0, 10_000, 50_000])
            (decision,) = runner.decide(next(texts(chance, 1))[0])
            day = int(runner.clock.now // 86_400)
            days[day] = days.get(day, 0) + decision.ask
            asked += decision.ask
            refused += decision.ask_probability == 0
            assert rate is None or asked <= burst + rate * rows
            assert total is None or asked <= total
            assert per_day is None or days[day] <= per_day
        spend = runner.figures().spend
        assert (spend.asked, spend.today) == (asked, days[int(runner.clock.now // 86_400)])
        bounds = [bound for bound in (total, None if rate is None else burst + rate * 60) if bound is not None]
        if bounds and per_day is None:
            assert asked >= 0.9 * min(*bounds, 60) - 1 or refused == 0, "it is used, or nothing more was wanted"
        with runner.reopened() as again:
            assert again.figures().spend == spend


def test_a_clock_that_is_set_back_gives_no_day_twice(tmp_path):
    with TaskRunner(str(tmp_path / "a.db"), made("PA-II", budget={"per_day": 2})) as runner:
        for days, asked in ((0, [True, True]), (-1, [True, True]), (1, [False, False]), (1, [True, True])):
            runner.clock.now += days * 86_400
            decided = runner.decide("a", "b", "c")
            assert [decision.ask for decision in decided] == [*asked, False]


def test_a_store_of_another_task_is_not_mixed_up(tmp_path):
    with TaskRunner(str(tmp_path / "a.db")) as runner:
        other = runner.store.add_task("other", b"{}", 1.0)
        runner.decide("a", "b")
        assert runner.store.last(other.id) == 0
    with open_store(str(tmp_path / "a.db")) as store:
        assert store.check() == []


# ---------------------------------------------------------------------- the positive class


@pytest.mark.sampled(3)
@pytest.mark.parametrize("positive", [None, "ham", "spam"])
def test_figures_are_about_the_positive_class_and_say_so(tmp_path, positive):
    """Worked out from the answers alone: every item is asked about, so estimates are what they estimate."""
    task = made("PA-I", positive=positive)
    with TaskRunner(str(tmp_path / "a.db"), task) as runner:
        found = []
        for text, label in texts(random.Random(4), 80):
            (decision,) = runner.decide(text)
            runner.label(decision.item, label)
            found.append((decision.prediction, label))
        figures = runner.figures()
        named = positive or "spam"
        predicted, true = ([each[place] == named for each in found] for place in (0, 1))
        hits = sum(both == (True, True) for both in zip(predicted, true, strict=True))
        assert figures.positive == named
        assert figures.estimates["precision"].value == pytest.approx(hits / sum(predicted))
        assert figures.estimates["recall"].value == pytest.approx(hits / sum(true))
        assert 0 < hits < sum(true)
        with runner.reopened() as again:
            assert again.figures().estimates == figures.estimates
            assert again.figures().positive == named


@pytest.mark.slow
def test_costs_are_those_of_the_positive_class(tmp_path):
    costs = {}
    for positive in ("ham", "spam"):
        task = made("PA-I", positive=positive, costs=Costs(c_p=5.0, c_n=1.0))
        with TaskRunner(str(tmp_path / f"{positive}.db"), task) as runner:
            missed = dict.fromkeys(("ham", "spam"), 0)
            for text, label in texts(random.Random(4), 80):
                (decision,) = runner.decide(text)
                runner.label(decision.item, label)
                missed[label] += decision.prediction != label
            other = "ham" if positive == "spam" else "spam"
            costs[positive] = runner.figures().estimates["cost"].value
            assert costs[positive] == pytest.approx(5 * missed[positive] + missed[other])
    assert costs["ham"] != costs["spam"]


def test_a_task_of_many_classes_has_no_positive_class(tmp_path):
    with TaskRunner(str(tmp_path / "a.db"), made("MPAA-II", classes=("a", "b", "c"))) as runner:
        runner.decide("x")
        assert runner.figures().positive is None


@pytest.mark.parametrize(
    ("classes", "said"),
    [
        (["ham", "spam"], "positive must be 'ham' or 'spam', not 'fraud'"),
        (["a", "b", "fraud"], "positive is for two classes, and there are 3: leave it out"),
    ],
)
def test_a_positive_class_that_does_not_exist_is_refused(classes, said):
    with pytest.raises(ValueError, match=said):
        made(None, classes=classes, positive="fraud").learner()
