"""What those who run a task do: other settings, a pause, a roll-back; and what they look at."""

import random

import msgspec
import pytest

from askance.learners.files import from_bytes, to_bytes
from askance.service.errors import RequestError
from askance.service.messages import Item
from askance.service.settings import Budget, Costs, Interface, Labelling, to_json
from askance.service.store.reader import Reader
from askance.service.views import explain, model, task
from service_task import TaskRunner, settings, texts

SPAM, HAM = "win free cash prize", "lunch meeting hello nine"


@pytest.fixture
def runner(store_url):
    with TaskRunner(store_url, settings("PA-I", bits=12)) as opened:
        yield opened


def taught(runner, count=40, random_state=3):
    """Some items, asked for and labelled."""
    decided = []
    for text, label in texts(random.Random(random_state), count):
        decision = runner.decide(text)[0]
        runner.clock.now += 5
        if decision.ask:
            runner.label(decision.item, label)
        decided.append(decision)
    return decided


# ---------------------------------------------------------------------- settings and states


def test_settings_change_from_now_on_and_survive_a_restart(runner):
    taught(runner, 5)
    changed = runner.change(budget=Budget(total=7), labels=Labelling(per_item=2), costs=Costs(c_p=5.0))
    assert runner.task.settings == changed
    assert [decision.ask for decision in runner.decide(*["a b"] * 5)] == [True, True, False, False, False]
    again = runner.reopened()
    assert to_json(again.task.settings) == to_json(changed)
    assert again.task.first_settings == settings("PA-I", bits=12)
    again.close()


def test_a_change_that_changes_nothing_is_not_written(runner):
    runner.change(budget=Budget())
    assert runner.task.fold.seq == 0


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        ({"interface": Interface(keys={"eggs": "e"})}, "'eggs' is not one of the classes"),
        ({"interface": Interface(keys={"ham": "u"})}, "'u' already means undo"),
        ({"interface": Interface(keys={"ham": "h", "spam": "H"})}, "two classes have the same key"),
    ],
)
def test_changes_that_do_not_fit_are_refused(runner, parts, told):
    with pytest.raises(RequestError, match=told):
        runner.change(**parts)
    assert runner.task.fold.seq == 0


def test_a_rate_can_be_set_and_taken_away(store_url):
    with TaskRunner(store_url, settings("PAA-II", bits=12)) as runner:
        taught(runner, 10)
        before = runner.model()
        runner.change(budget=Budget(rate=0.05, burst=0))
        assert runner.model() != before, "the query rule is part of a model"
        asked = sum(decision.ask for text, _ in texts(random.Random(1), 200) for decision in runner.decide(text))
        assert 0 < asked <= 0.05 * 210
        runner.change(budget=Budget())
        assert runner.task.fold.model.learner.query == settings("PAA-II").query()


def test_a_paused_task_decides_and_asks_nothing(runner):
    first = taught(runner, 2)
    waiting = runner.decide("a b c")[0].item
    runner.set_state("paused")
    decision = runner.decide("d e f")[0]
    assert (decision.ask, decision.ask_probability) == (False, 0.0)
    assert runner.lease().questions == []
    assert runner.label(waiting, "ham").state == "learned", "an answer that is under way is never lost"
    assert runner.correct(first[0].item, "ham" if runner.detail(first[0].item).label == "spam" else "spam").label
    runner.set_state("running")
    assert runner.decide("g h i")[0].ask
    assert len(runner.lease().questions) == 1


def test_an_archived_task_takes_no_items(runner):
    runner.set_state("archived")
    for work in (lambda: runner.decide("a"), lambda: runner.import_items(("a", "ham"))):
        with pytest.raises(RequestError, match="is archived: set its state to 'running' first"):
            work()
    assert runner.figures().state == "archived"
    runner.set_state("running")
    assert runner.decide("a")[0].ask


# ---------------------------------------------------------------------- roll-backs


def test_rolled_back_the_model_is_the_one_without_the_labels_since(store_url):
    rows = list(texts(random.Random(3), 40))
    with TaskRunner(store_url, settings("PA-I", bits=12), snapshot_every=20) as runner:
        items = [runner.decide(text)[0].item for text, _ in rows]
        for item, (_, label) in zip(items[:25], rows, strict=False):
            runner.label(item, label)
        version = runner.task.fold.version
        before = msgspec.json.encode(from_bytes(runner.model()).coef_.tolist())
        for item, (_, label) in zip(items[25:], rows[25:], strict=True):
            runner.label(item, "ham" if label == "spam" else "spam")
        poisoned = runner.model()
        told = runner.roll_back(version)
        assert (told.to, told.version) == (version, runner.task.fold.seq)
        assert msgspec.json.encode(from_bytes(runner.model()).coef_.tolist()) == before
        assert runner.detail(items[30]).label is not None, "labels are kept"
        assert runner.figures().labelled == 40
        runner.undo_rollback(told.number)
        assert runner.model() == poisoned
        with pytest.raises(RequestError, match="there is no rollback"):
            runner.undo_rollback(told.number)


@pytest.mark.parametrize("to", [99, 5, 6])
def test_there_is_no_going_back_to_what_has_not_been(runner, to):
    taught(runner, 2)  # two items and two labels: version 4
    with pytest.raises(RequestError, match=f"there is no version {to} before 4"):
        runner.roll_back(to)


@pytest.mark.slow
def test_earlier_versions_can_be_had_again(store_url, monkeypatch):
    entries = Reader.entries
    monkeypatch.setattr(Reader, "entries", lambda *given, **more: entries(*given, **more, batch=7))
    with TaskRunner(store_url, settings("PA-I", bits=12), snapshot_every=15) as runner:
        models = {}
        for text, label in texts(random.Random(3), 30):
            runner.label(runner.decide(text)[0].item, label)
            models[runner.task.fold.version] = runner.model()
        runner.correct(1, "ham" if runner.detail(1).label == "spam" else "spam")
        assert len(runner.store.snapshot_seqs(1)) > 2, "made anew, and knowing of the correction"
        assert {version: to_bytes(runner.task.fold_at(version).model.learner) for version in models} == models


# ---------------------------------------------------------------------- what has been


def test_the_history_has_the_figures_along_the_way(runner):
    taught(runner, 60)
    told = task.history(runner.task.fold)
    labels = [point.labelled for point in told.points]
    assert labels == sorted(labels)
    assert labels[-1] >= 0.9 * 60
    last = told.points[-1].estimates["accuracy"]
    assert last[1] <= last[0] <= last[2]
    assert sum(minute.items for minute in told.minutes) == 60
    assert sum(told.classes.values()) == 60
    assert told.labellers[0].name == "ann"
    assert told.labellers[0].labels == 60
    assert told.labellers[0].seconds_per_label == pytest.approx(5.0)


def test_labellers_agree_or_not(store_url):
    with TaskRunner(store_url, settings("PA-I", bits=12, labels={"per_item": 3})) as runner:
        for n in range(4):
            item = runner.decide(f"word{n}")[0].item
            for who, label in (("ann", "ham"), ("bob", "ham"), ("eve", "spam")):
                runner.label(item, label, who)
        runner.skip(runner.decide("more")[0].item, "eve")
        told = {
            one.name: (one.labels, one.skips, one.agreement) for one in task.history(runner.task.fold).labellers
        }
        assert told == {"ann": (4, 0, 0.5), "bob": (4, 0, 0.5), "eve": (4, 1, 0.0)}


def test_votes_from_before_labellers_were_counted_are_settled_all_the_same(store_url):
    with TaskRunner(store_url, settings("PA-I", bits=12, labels={"per_item": 2})) as runner:
        item = runner.decide("word")[0].item
        runner.label(item, "ham", "ann")
        runner.task.fold.people.clear()  # as in a snapshot of then
        assert runner.label(item, "ham", "bob").state == "learned"


def test_only_the_last_day_is_kept_by_minutes(runner):
    for _ in range(30):
        runner.decide("a b")
        runner.clock.now += 3600
    minutes = task.history(runner.task.fold).minutes
    assert len(minutes) == 24
    assert minutes[-1].at - minutes[0].at < 86_400


# ---------------------------------------------------------------------- lists


def items_of(found):
    return [story.item for story in found.items]


def test_items_are_listed_by_state_and_text(runner):
    runner.change(budget=Budget(total=3))
    first, second, third, fourth = runner.decide("Red apple", "green pear", "red CHERRY", "blue plum")
    runner.label(first.item, "ham")
    runner.label(second.item, "spam")
    runner.correct(second.item, "ham")
    everything = [fourth.item, third.item, second.item, first.item]
    assert items_of(runner.found()) == everything
    assert items_of(runner.found(state="asked")) == everything[1:]
    assert items_of(runner.found(state="waiting")) == [third.item]
    assert items_of(runner.found(state="labelled")) == [second.item, first.item]
    assert items_of(runner.found(state="corrected")) == [second.item]
    assert items_of(runner.found(state="disagreement")) == []
    assert items_of(runner.found(search="RED")) == [third.item, first.item]
    assert items_of(runner.found(search="red", state="labelled")) == [first.item]
    assert runner.found(search="nothing like it").items == []


def test_disagreement_is_found(store_url):
    with TaskRunner(store_url, settings("PA-I", bits=12, labels={"per_item": 3})) as runner:
        one, other = runner.decide("a", "b")
        for item, votes in ((one.item, ("ham", "ham", "spam")), (other.item, ("ham", "ham", "ham"))):
            for who, label in zip(("ann", "bob", "eve"), votes, strict=True):
                runner.label(item, label, who)
        assert items_of(runner.found(state="disagreement")) == [one.item]


def test_lists_go_on_where_they_ended(runner):
    items = [decision.item for decision in runner.decide(*(f"word{n}" for n in range(23)))]
    pages, before = [], None
    while True:
        found = runner.found(count=5, **({} if before is None else {"before": before}))
        pages.append(items_of(found))
        before = found.before
        if before is None:
            break
    assert [item for page in pages for item in page] == items[::-1]
    assert max(map(len, pages)) == 5


def test_a_search_ends_after_so_many_items_and_goes_on(runner, monkeypatch):
    monkeypatch.setattr("askance.service.views.items.BATCH", 4)
    monkeypatch.setattr("askance.service.views.items.MOST_SEARCHED", 8)
    wanted = runner.decide("needle", *(f"word{n}" for n in range(12)))[0].item
    found = runner.found(search="needle")
    assert (found.items, found.searched) == ([], 8)
    assert items_of(runner.found(search="needle", before=found.before)) == [wanted]


# ---------------------------------------------------------------------- why


def test_what_pulls_is_what_was_learned(runner):
    for _ in range(5):
        for text, label in ((SPAM, "spam"), (HAM, "ham")):
            runner.label(runner.decide(text)[0].item, label)
    text = "Hello! WIN the prize, hello"
    why = explain.explained(runner.task.fold, Item(text=text))
    pulls = {pull.feature: pull for pull in why.pulls}
    assert pulls["win"].towards == pulls["prize"].towards == "spam"
    assert pulls["hello"].towards == "ham"
    assert [text[start:end] for start, end in pulls["hello"].spans] == ["Hello", "hello"]
    assert "the" not in pulls
    assert why.prediction == runner.task.predict([Item(text=text)]).predictions[0].prediction


def test_pulls_add_up_to_the_score_of_a_linear_model(runner):
    taught(runner, 20)
    item = Item(text="win hello cash lunch see you now")
    why = explain.explained(runner.task.fold, item)
    score = runner.task.predict([item]).predictions[0].score
    assert sum(pull.by if pull.towards == "spam" else -pull.by for pull in why.pulls) * 2 == pytest.approx(score)


def test_questions_say_why_without_giving_the_guess_away(store_url):
    with TaskRunner(store_url, settings("PAA-I", bits=12)) as runner:
        assert runner.decide(HAM)[0].ask
        question = runner.lease(why=True).questions[0]
        assert "knew nothing about this item" in question.why.reason
        runner.label(question.item, "ham")
        for text, _ in texts(random.Random(5), 30):
            runner.decide(text)
        reasons = [question.why.reason for question in runner.lease(why=True, count=20).questions]
        assert any("in doubt" in reason for reason in reasons)
        assert not any("ham" in reason or "spam" in reason or "-" in reason for reason in reasons)
        assert runner.lease(who="bob").questions == []


def test_records_are_explained_by_their_fields(store_url):
    made = msgspec.structs.replace(settings("PA-I", bits=12), item="record")
    with TaskRunner(store_url, made) as runner:
        for _ in range(4):
            for country, label in (("xy", "spam"), ("ab", "ham")):
                runner.label(runner.decide(Item(record={"country": country, "amount": 2.0}))[0].item, label)
        why = explain.explained(runner.task.fold, Item(record={"country": "xy", "amount": 2.0}))
        assert (why.pulls[0].feature, why.pulls[0].towards, why.pulls[0].spans) == ("country=xy", "spam", [])


def test_an_item_without_features_has_nothing_that_pulls(runner):
    assert explain.explained(runner.task.fold, Item(text="!?")).pulls == []


# ---------------------------------------------------------------------- the model


@pytest.mark.parametrize("algorithm", ["PA-I", "AROW-diag", "K-PAA-I"])
def test_the_strongest_features_are_those_that_tell_the_classes_apart(store_url, algorithm):
    with TaskRunner(store_url, settings(algorithm, bits=12)) as runner:
        for _ in range(8):
            for text, label in ((SPAM, "spam"), (HAM, "ham")):
                decision = runner.decide(text)[0]
                if decision.ask:
                    runner.label(decision.item, label)
        told = model.detail(runner.store, runner.task)
        assert {one.feature for one in told.strongest["spam"]} == set(SPAM.split())
        assert {one.feature for one in told.strongest["ham"]} == set(HAM.split())
        assert told.versions[0].version <= told.version
        assert [version.labels for version in told.versions] == sorted(
            (version.labels for version in told.versions), reverse=True
        )


def test_of_many_classes_each_has_its_own(store_url):
    with TaskRunner(store_url, settings("MPAA-I", bits=12, classes=("a", "b", "c"))) as runner:
        for _ in range(8):
            for label in "abc":
                decision = runner.decide(f"only{label} common")[0]
                if decision.ask:
                    runner.label(decision.item, label)
        strongest = model.detail(runner.store, runner.task).strongest
        assert {label: found[0].feature for label, found in strongest.items()} == {c: f"only{c}" for c in "abc"}


def test_a_model_without_labels_has_no_features(runner):
    told = model.detail(runner.store, runner.task)
    assert told.strongest == {"ham": [], "spam": []}
    assert told.versions == []


# ---------------------------------------------------------------------- leases whose answer was lost


def test_a_lease_that_is_asked_for_again_gives_the_same_questions(runner):
    runner.decide("a", "b", "c", "d")
    first = runner.lease(count=2, key="k")
    assert runner.lease(count=2, key="k") == first
    with pytest.raises(RequestError, match="another labeller's lease"):
        runner.lease("bob", count=2, key="k")
    runner.label(first.questions[0].item, "ham")
    assert runner.lease(count=2, key="k").questions == first.questions[1:]
    runner.clock.now += 1000
    again = runner.lease(count=2, key="k").questions
    assert [question.item for question in again] == [2, 3], "those leases are over, so there are new ones"
    assert runner.store.check() == []
