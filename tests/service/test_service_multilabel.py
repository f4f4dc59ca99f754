"""Tasks whose items have several labels each: questions, answers, changes of the past, figures and exports."""

import csv
import io
import json
import random

import numpy as np
import pytest

from askance import load
from askance.metrics.multilabel import label_counts, macro_f, micro_f
from askance.service import messages
from askance.service.commands import guesses, reviews
from askance.service.commands import items as item_commands
from askance.service.errors import RequestError
from askance.service.given_settings import as_settings
from askance.service.label_sets import check_label, class_counts, label_of
from askance.service.set_text import joined
from askance.service.settings import Asking, Budget, Certify, Costs, Goal, Labelling
from askance.service.state import snapshots
from askance.service.state.models import encode_for_users
from askance.service.task import Task
from askance.service.views import confusion, export, labellers, model, predictions, review, similar
from askance.service.views.tables import ITEMS, csv_file
from service_task import TaskRunner
from several_labels import CLASSES, label_by_words, several, tickets


@pytest.fixture
def opened(tmp_path):
    runners = []

    def start(made=None, snapshot_every=10_000):
        runners.append(
            TaskRunner(str(tmp_path / f"{len(runners)}.db"), made or several(), snapshot_every=snapshot_every)
        )
        return runners[-1]

    yield start
    for runner in runners:
        runner.close()


def taught(runner, count=150, labels=90, random_state=1):
    """Items of which some are labelled, in the order in which the task asks; return their labels."""
    runner.decide(*(text for text, _ in tickets(count, random_state)))
    given = {}
    for _ in range(labels):
        [question] = runner.lease("ann").questions
        given[question.item] = label_by_words(question.text)
        runner.label(question.item, given[question.item])
    return given


def is_what_the_journal_says(runner):
    """Restarted, and rebuilt from the first entry on, the fold is the same to the last bit."""
    before = runner.everything()
    assert snapshots.content(Task(runner.store, 1, runner.settings, runner.clock).fold) == before
    runner.task.settle()
    runner.store.drop_snapshots(1, runner.store.snapshot_seqs(1))
    runner.task.rebuild()
    assert runner.everything() == before


def refusal(work):
    with pytest.raises(RequestError) as found:
        work()
    return found.value


# ---------------------------------------------------------------------- the loop


def test_the_model_learns_sets_of_labels(opened):
    runner = opened()
    taught(runner)
    fresh = list(tickets(200, random_state=9))
    found = runner.task.predict([messages.Item(text=text) for text, _ in fresh]).predictions
    truth = np.array([[name in carried for name in CLASSES] for _, carried in fresh])
    said = np.array([[name in one.prediction for name in CLASSES] for one in found])
    assert micro_f(label_counts(truth, said)) > 0.9
    assert [] in [one.prediction for one in found]  # no label is an answer, too
    for one in found:
        assert list(one.probabilities) == sorted(CLASSES)
        assert {name for name, share in one.probabilities.items() if share > 0.5} == set(one.prediction)
        assert one.score == pytest.approx(min(abs(2 * share - 1) for share in one.probabilities.values()))


def test_before_the_first_answer_nothing_is_predicted(opened):
    runner = opened()
    [decision] = runner.decide("hello now")
    assert (decision.prediction, decision.score, decision.ask) == ([], 0.0, False)
    [found] = runner.task.predict([messages.Item(text="now")]).predictions
    assert found.probabilities == dict.fromkeys(CLASSES, 0.5)


def test_answers_are_lists_and_no_label_is_one(opened):
    runner = opened()
    runner.decide("please refund now", "hello team")
    leased = {one.text: one for one in runner.lease("ann", count=2).questions}
    assert all(one.prediction == [] for one in leased.values())
    first = runner.label(leased["please refund now"].item, ["urgent", "billing"], key="first")
    assert (first.state, first.votes) == ("learned", {'["billing","urgent"]': 1})
    again = runner.label(leased["please refund now"].item, ["billing", "urgent"], key="first")
    assert (again.again, again.version) == (True, first.version)
    second = runner.label(leased["hello team"].item, [])
    assert second.votes == {"[]": 1}
    detail = runner.detail(leased["please refund now"].item)
    assert (detail.state, detail.label) == ("learned", ["billing", "urgent"])
    assert runner.detail(leased["hello team"].item).label == []
    is_what_the_journal_says(runner)


@pytest.mark.parametrize(
    ("label", "said"),
    [
        (
            "billing",
            "the label is 'billing', but items of this task may have several classes: give a list",
        ),
        (["billing", "cash"], "unknown class 'cash': this task has 'billing', 'login', 'urgent'"),
    ],
)
def test_wrong_answers_change_nothing(opened, label, said):
    runner = opened()
    item = runner.decide("please refund now")[0].item
    runner.lease("ann")
    before = runner.everything()
    assert said in refusal(lambda: runner.label(item, label)).message
    assert said in refusal(lambda: runner.import_items(("now", label))).message
    assert runner.everything() == before
    runner.label(item, ["billing"])
    before = runner.everything()
    assert said in refusal(lambda: runner.correct(item, label)).message
    assert runner.everything() == before


def test_a_task_of_one_label_takes_no_list(opened):
    runner = opened(several(multilabel=False))
    item = runner.decide("please refund now")[0].item
    assert "have one class each" in refusal(lambda: runner.label(item, ["billing"])).message
    assert runner.label(item, "billing").state == "learned"


def test_undo_skip_and_corrections(opened):
    runner = opened(snapshot_every=7)
    given = taught(runner, count=40, labels=20)
    item = list(given)[-1]
    assert runner.undo("ann").label is None
    assert runner.detail(item).state == "open"
    assert runner.label(item, ["login"]).state == "learned"
    found = runner.correct(item, ["urgent", "login"])
    assert (found.label, found.replayed) == (["login", "urgent"], 0)
    assert runner.correct(item, ["login", "urgent"]).again
    learner = runner.task.fold.model.learner
    assert learner.core.models.lanes.sides[learner.items.index(item)].tolist() == [-1, 1, 1]
    [question] = runner.lease("ann").questions
    assert runner.skip(question.item, reason="not clear").state == "open"
    assert [vote.label for vote in runner.detail(item).votes] == [given[item], ["login"]]
    is_what_the_journal_says(runner)


def test_deleted_items_are_forgotten(opened):
    runner = opened()
    given = taught(runner, count=40, labels=20)
    gone = list(given)[:5]
    runner.delete(*gone)
    counts = class_counts(runner.task.settings, runner.task.fold.classes)
    kept = [label for item, label in given.items() if item not in gone]
    assert counts == {name: sum(name in label for label in kept) for name in CLASSES}
    is_what_the_journal_says(runner)


@pytest.mark.slow
def test_imported_items_are_learned(opened):
    runner = opened()
    assert runner.import_items(*tickets(60)).learned == 60
    assert runner.figures().imported == 60
    carried = [label for _, label in tickets(60)]
    history = runner.run(lambda transaction: class_counts(transaction.settings, transaction.fold.classes))
    assert history == {name: sum(name in label for label in carried) for name in CLASSES}
    [found] = runner.task.predict([messages.Item(text="refund of the invoice, card charge")]).predictions
    assert found.prediction == ["billing"]
    is_what_the_journal_says(runner)


# ---------------------------------------------------------------------- a random life


VERBS = ("decide", *["lease"] * 3, "import", "correct", "undo", "skip", "delete", "state", "roll")


def live(runner, steps, random_state):
    """Everything that people can do, in a random order."""
    chance = random.Random(random_state)
    sent = tickets(10 * steps, random_state)
    known, labelled = [], []
    for _ in range(steps):
        runner.clock.now += chance.choice([0.1, 1, 400])
        verb = chance.choice(VERBS)
        try:
            if verb == "decide":
                known += [one.item for one in runner.decide(*(next(sent)[0] for _ in range(chance.randint(1, 6))))]
            elif verb == "import":
                runner.import_items(next(sent))
            elif verb in ("lease", "skip"):
                for question in runner.lease(chance.choice(["ann", "bob"]), count=chance.randint(1, 3)).questions:
                    if verb == "skip":
                        runner.skip(question.item, chance.choice(["ann", "bob"]))
                    else:
                        some = [name for name in CLASSES if chance.random() < 0.3]
                        runner.label(question.item, label_by_words(question.text) or some)
                        labelled.append(question.item)
            elif verb == "correct":
                runner.correct(chance.choice(labelled), [name for name in CLASSES if chance.random() < 0.5])
            elif verb == "undo":
                runner.undo(chance.choice(["ann", "bob"]))
            elif verb == "delete" and chance.random() < 0.3:
                runner.delete(chance.choice(known))
            elif verb == "roll" and chance.random() < 0.3:
                runner.roll_back(chance.randint(0, runner.task.fold.version))
            elif verb == "state" and chance.random() < 0.2:
                runner.set_state("paused")
                runner.set_state("running")
        except (RequestError, IndexError):
            continue


@pytest.mark.sampled(3)
@pytest.mark.parametrize("random_state", range(3))
def test_a_random_life_is_replayed_to_the_bit(opened, random_state):
    runner = opened(snapshot_every=40)
    live(runner, 120, random_state)
    assert runner.task.fold.counts.labelled > 10
    is_what_the_journal_says(runner)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "made",
    [
        {"item": "record"},
        {"item": "record", "columns": {"amount": "number", "city": "category"}},
        {"item": ["text", "vector"], "vector_length": 2},
    ],
    ids=["records", "columns", "vectors"],
)
def test_records_and_vectors(opened, made):
    runner = opened(several(**made, classes=["large", "rome"]), snapshot_every=30)
    chance = np.random.default_rng(0)
    truth = {}
    for _ in range(80):
        amount, city = float(chance.normal()), str(chance.choice(["Rome", "Oslo"]))
        if "vector" in made["item"]:
            one = messages.Item(text=city, vector=[amount, 1.0])
        else:
            one = messages.Item(record={"amount": amount, "city": city})
        label = (["large"] if amount > 0.3 else []) + (["rome"] if city == "Rome" else [])
        truth[runner.decide(one)[0].item] = label, one
        for question in runner.lease("ann").questions:
            runner.label(question.item, truth[question.item][0])
    found = runner.task.predict([one for _, one in truth.values()]).predictions
    right = [one.prediction == label for one, (label, _) in zip(found, truth.values(), strict=True)]
    assert np.mean(right) > 0.8
    is_what_the_journal_says(runner)


# ---------------------------------------------------------------------- classes


def test_classes_can_be_added_and_renamed(opened):
    runner = opened()
    given = taught(runner, count=60, labels=20)
    item = next(item for item, label in given.items() if "urgent" in label)
    runner.change_classes(add=["spam"], rename={"urgent": "now"})
    assert "now" in runner.detail(item).label
    [question] = runner.lease("ann").questions
    runner.label(question.item, ["spam", "urgent"])
    assert runner.detail(question.item).label == ["now", "spam"]
    [found] = runner.task.predict([messages.Item(text=question.text)]).predictions
    assert "spam" in found.probabilities
    assert runner.found(label="now").total == runner.found(label="urgent").total > 1
    is_what_the_journal_says(runner)


# ---------------------------------------------------------------------- what is shown


def test_figures_are_those_of_the_questions_at_random(opened):
    runner = opened(several(questions=Asking("lease", audit=1.0, test=0.5)))
    taught(runner, count=400, labels=80)
    found = runner.figures()
    assert set(found.estimates) == {"accuracy", "micro_f", "macro_f"}
    audits = [audit for _, audit in runner.task.fold.audits.sample(400).best_part().audits]
    assert all(audit.label is not None for audit in audits)
    truth, said = (
        np.array([[name in json.loads(text) for name in CLASSES] for text in texts])
        for texts in ([audit.label for audit in audits], [audit.prediction for audit in audits])
    )
    counts = label_counts(truth, said)
    assert found.estimates["micro_f"].value == pytest.approx(micro_f(counts))
    assert found.estimates["macro_f"].value == pytest.approx(macro_f(counts))
    assert found.estimates["accuracy"].value == pytest.approx((truth == said).all(axis=1).mean())
    for name in ("accuracy", "micro_f"):
        one = found.current[name]
        assert one.low <= one.value <= one.high, name
    assert found.current["micro_f"].value > found.estimates["micro_f"].value  # it has learned since
    assert found.positive is None


def test_items_are_found_by_one_of_their_labels(opened):
    runner = opened()
    given = taught(runner, count=60, labels=30)
    runner.decide("password locked code signin")
    found = [one.item for one in runner.found(label="login", count=100).items]
    assert sorted(found) == sorted(item for item, label in given.items() if "login" in label)
    predicted = runner.found(predicted="login", count=100).items
    assert predicted
    assert all("login" in one.decision.prediction for one in predicted)
    wish = messages.ItemExport(label="login")
    exported = [row["item"] for batch in export.item_rows(runner.store, runner.task, wish) for row in batch]
    assert sorted(exported) == sorted(found)


def test_exports_have_lists(opened):
    runner = opened()
    given = taught(runner, count=40, labels=15)
    objects = [one for batch in export.labels(runner.store, runner.task) for one in batch]
    assert {one["item"]: one["label"] for one in objects} == given
    rows = csv_file(ITEMS, export.label_rows(runner.store, runner.task))
    cells = list(csv.DictReader(io.StringIO(b"".join(rows).decode())))
    assert {int(one["item"]): json.loads(one["label"]) for one in cells} == given
    assert all(isinstance(json.loads(one["prediction"]), list) for one in cells)
    decided = [one for batch in export.decision_rows(runner.store, runner.task) for one in batch]
    assert all(isinstance(json.loads(one["prediction"]), list) for one in decided)


def test_the_model_file_is_one_of_the_library(opened, tmp_path):
    runner = opened()
    taught(runner, count=60, labels=30)
    runner.change_classes(rename={"urgent": "now"})
    (tmp_path / "tickets.model").write_bytes(
        encode_for_users(runner.task.fold.model.learner, runner.task.settings)
    )
    learner = load(tmp_path / "tickets.model")
    assert learner.classes_.tolist() == ["billing", "login", "now"]
    assert learner.questions == "items"


def test_views_know_several_labels(opened):
    runner = opened()
    given = taught(runner, count=150, labels=40)
    task, store = runner.task, runner.store
    shown = model.detail(store, task)
    assert shown.labels == {name: sum(name in label for label in given.values()) for name in CLASSES}
    assert shown.strongest["billing"][0].feature in ("invoice", "refund", "charge", "card")
    sample = runner.run(confusion.sample)
    assert confusion.confusion(store, task, sample).note == confusion.SEVERAL
    item = next(iter(given))
    alike = similar.similar(store, task, item, messages.SimilarRequest())
    assert isinstance(alike.prediction, list)
    assert labellers.labellers(store, task).labellers[0].labels == 40
    runner.decide(*(text for text, _ in tickets(600, random_state=5)))
    found = predictions.over_time(store, task)
    assert {one.name for one in found.classes} == set(CLASSES)
    assert 0.2 < found.classes[0].recent[0] < 0.6


# ---------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("made", "named"),
    [
        ({"algorithm": "PAA-II"}, "algorithm PAA-II"),
        ({"positive": "urgent"}, "positive"),
        ({"costs": Costs(2.0, 1.0)}, "costs"),
        ({"questions": Asking("arrival")}, "questions that are chosen on arrival"),
        ({"labels": Labelling(per_item=2)}, "labels.per_item"),
        ({"labels": Labelling(enough=0.9)}, "labels.enough"),
        ({"certify": Certify(error=0.05)}, "certify"),
        ({"oracles": {"people": 0.5}}, "oracles"),
    ],
)
def test_a_task_cannot_have_what_is_for_one_label(made, named):
    wanted = {"name": "tickets", "classes": CLASSES, "multilabel": True, **made}
    with pytest.raises(ValueError, match=f"{named}: not possible in a multilabel task"):
        as_settings(wanted).learner()


def test_nor_can_it_be_changed_to_have_it(opened):
    runner = opened()
    said = refusal(lambda: runner.change(certify=Certify(error=0.05)))
    assert "certify: not possible in a multilabel task" in said.message
    assert runner.change(goal=Goal(accuracy=0.9), budget=Budget(total=10)).goal.accuracy == 0.9


def test_parameters():
    made = several(parameters={"C": 3, "memory": 50}).learner()
    assert (made.core.settings.C, made.core.settings.memory) == (3, 50)
    for given, said in (({"rate": 0.1}, "set budget.rate"), ({"audit": 0.1}, "its parameters are C, memory")):
        with pytest.raises(ValueError, match=said):
            several(parameters=given).learner()
    with pytest.raises(ValueError, match="C must be a number"):
        several(parameters={"C": "much"}).learner()


def test_calls_for_one_label_are_refused(opened):
    runner = opened()
    given = taught(runner, count=20, labels=5)
    item = next(iter(given))
    before = runner.everything()
    guess = messages.LateGuess(label="login", name="llm", item=item)
    gold = messages.LabelledItem(text="now", label=["urgent"], gold=True)
    guessed = messages.Item(text="now", guesses={"llm": messages.Guess("login")})
    calls = {
        "labels of many items at once": lambda: runner.label_group([item], "login"),
        "reviews": lambda: runner.run(lambda t: reviews.review(t, messages.ReviewRequest(item), "boss")),
        "guesses": lambda: runner.run(lambda t: guesses.guess(t, messages.LateGuesses([guess]), "llm")),
        "gold items": lambda: runner.run(lambda t: item_commands.import_items(t, [gold], "boss")),
    }
    for what, call in calls.items():
        found = refusal(call)
        assert (found.code, found.status) == ("multilabel", 409)
        assert found.message == f"{what}: not possible in a multilabel task"
    assert refusal(lambda: runner.decide(guessed)).code == "multilabel"
    assert refusal(lambda: review.queue(runner.store, runner.task, messages.ReviewSearch())).code == "multilabel"
    assert runner.everything() == before


# ---------------------------------------------------------------------- texts of sets


def test_equal_sets_are_equal_texts():
    settings = several(former={"urgent": "urgent"})
    assert check_label(settings, ["urgent", "billing"]) == joined(["billing", "urgent", "billing"])
    assert label_of(settings, joined(["urgent", "billing"])) == ["billing", "urgent"]
    quoted = several(classes=['say "no"', "[]"])
    assert label_of(quoted, check_label(quoted, ["[]", 'say "no"'])) == ['say "no"', "[]"]
