"""What those who run a task do: other settings, a pause, a roll-back; and what they look at."""

import random

import msgspec
import pytest

from askance.learners.files import to_bytes
from askance.service.errors import Refusal
from askance.service.messages import Item
from askance.service.settings import Budget, Costs, Labelling, to_json
from askance.service.settings import Desk as DeskSettings
from askance.service.store.reader import Reader
from askance.service.views import explain, model, task
from live_desk import Desk, settings, texts

SPAM, HAM = "win free cash prize", "lunch meeting hello nine"


@pytest.fixture
def desk(store_url):
    with Desk(store_url, settings("PA-I", bits=12)) as opened:
        yield opened


def taught(desk, count=40, random_state=3):
    """Some items, asked for and labelled."""
    decided = []
    for text, label in texts(random.Random(random_state), count):
        decision = desk.decide(text)[0]
        desk.clock.now += 5
        if decision.asked:
            desk.label(decision.item, label)
        decided.append(decision)
    return decided


# ---------------------------------------------------------------------- settings and states


def test_settings_change_from_now_on_and_survive_a_restart(desk):
    taught(desk, 5)
    changed = desk.change(budget=Budget(total=7), labels=Labelling(per_item=2), costs=Costs(c_p=5.0))
    assert desk.task.settings == changed
    assert [decision.asked for decision in desk.decide(*["a b"] * 5)] == [True, True, False, False, False]
    again = desk.reopened()
    assert to_json(again.task.settings) == to_json(changed)
    assert again.task.first_settings == settings("PA-I", bits=12)
    again.close()


def test_a_change_that_changes_nothing_is_not_written(desk):
    desk.change(budget=Budget())
    assert desk.task.fold.seq == 0


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        ({"desk": DeskSettings(keys={"eggs": "e"})}, "'eggs' is none of the classes"),
        ({"desk": DeskSettings(keys={"ham": "u"})}, "'u' means undo already"),
        ({"desk": DeskSettings(keys={"ham": "h", "spam": "H"})}, "two classes have the same key"),
    ],
)
def test_changes_that_do_not_fit_are_refused(desk, parts, told):
    with pytest.raises(Refusal, match=told):
        desk.change(**parts)
    assert desk.task.fold.seq == 0


def test_a_rate_can_be_set_and_taken_away(store_url):
    with Desk(store_url, settings("PAA-II", bits=12)) as desk:
        taught(desk, 10)
        before = desk.model()
        desk.change(budget=Budget(rate=0.05, burst=0))
        assert desk.model() != before, "the query rule is part of a model"
        asked = sum(decision.asked for text, _ in texts(random.Random(1), 200) for decision in desk.decide(text))
        assert 0 < asked <= 0.05 * 210
        desk.change(budget=Budget())
        assert desk.task.fold.learner.query == settings("PAA-II").query()


def test_a_paused_task_decides_and_asks_nothing(desk):
    first = taught(desk, 2)
    waiting = desk.decide("a b c")[0].item
    desk.become("paused")
    decision = desk.decide("d e f")[0]
    assert (decision.asked, decision.probability) == (False, 0.0)
    assert desk.lease().questions == []
    assert desk.label(waiting, "ham").state == "learned", "an answer that is under way is never lost"
    assert desk.correct(first[0].item, "ham" if desk.story(first[0].item).label == "spam" else "spam").label
    desk.become("running")
    assert desk.decide("g h i")[0].asked
    assert len(desk.lease().questions) == 1


def test_an_archived_task_takes_no_items(desk):
    desk.become("archived")
    for work in (lambda: desk.decide("a"), lambda: desk.teach(("a", "ham"))):
        with pytest.raises(Refusal, match="is archived: start it again first"):
            work()
    assert desk.figures().state == "archived"
    desk.become("running")
    assert desk.decide("a")[0].asked


# ---------------------------------------------------------------------- roll-backs


def test_rolled_back_the_model_is_the_one_without_the_labels_since(store_url):
    rows = list(texts(random.Random(3), 40))
    with Desk(store_url, settings("PA-I", bits=12), snapshot_every=20) as desk:
        items = [desk.decide(text)[0].item for text, _ in rows]
        for item, (_, label) in zip(items[:25], rows, strict=False):
            desk.label(item, label)
        version = desk.task.fold.version
        before = msgspec.json.encode(desk.task.fold.learner.coef_.tolist())
        for item, (_, label) in zip(items[25:], rows[25:], strict=True):
            desk.label(item, "ham" if label == "spam" else "spam")
        poisoned = desk.model()
        told = desk.roll_back(version)
        assert (told.to, told.version) == (version, desk.task.fold.seq)
        assert msgspec.json.encode(desk.task.fold.learner.coef_.tolist()) == before
        assert desk.story(items[30]).label is not None, "labels are kept"
        assert desk.figures().labelled == 40
        desk.take_back_rollback(told.number)
        assert desk.model() == poisoned
        with pytest.raises(Refusal, match="there is no roll-back"):
            desk.take_back_rollback(told.number)


@pytest.mark.parametrize("to", [99, 5, 6])
def test_there_is_no_going_back_to_what_has_not_been(desk, to):
    taught(desk, 2)  # two items and two labels: version 4
    with pytest.raises(Refusal, match=f"there is no version {to} before 4"):
        desk.roll_back(to)


def test_earlier_versions_can_be_had_again(store_url, monkeypatch):
    entries = Reader.entries
    monkeypatch.setattr(Reader, "entries", lambda *given, **more: entries(*given, **more, batch=7))
    with Desk(store_url, settings("PA-I", bits=12), snapshot_every=15) as desk:
        models = {}
        for text, label in texts(random.Random(3), 30):
            desk.label(desk.decide(text)[0].item, label)
            models[desk.task.fold.version] = desk.model()
        desk.correct(1, "ham" if desk.story(1).label == "spam" else "spam")
        assert len(desk.store.snapshot_seqs(1)) > 2, "made anew, and knowing of the correction"
        assert {version: to_bytes(desk.task.fold_at(version).learner) for version in models} == models


# ---------------------------------------------------------------------- what has been


def test_the_history_has_the_figures_along_the_way(desk):
    taught(desk, 60)
    told = task.history(desk.task.fold)
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
    with Desk(store_url, settings("PA-I", bits=12, labels={"per_item": 3})) as desk:
        for n in range(4):
            item = desk.decide(f"word{n}")[0].item
            for who, label in (("ann", "ham"), ("bob", "ham"), ("eve", "spam")):
                desk.label(item, label, who)
        desk.skip(desk.decide("more")[0].item, "eve")
        told = {
            one.name: (one.predictions, one.skips, one.agreement) for one in task.history(desk.task.fold).labellers
        }
        assert told == {"ann": (4, 0, 1.0), "bob": (4, 0, 1.0), "eve": (4, 1, 0.0)}


def test_votes_from_before_labellers_were_counted_are_settled_all_the_same(store_url):
    with Desk(store_url, settings("PA-I", bits=12, labels={"per_item": 2})) as desk:
        item = desk.decide("word")[0].item
        desk.label(item, "ham", "ann")
        desk.task.fold.people.clear()  # as in a snapshot of then
        assert desk.label(item, "ham", "bob").state == "learned"


def test_only_the_last_day_is_kept_by_minutes(desk):
    for _ in range(30):
        desk.decide("a b")
        desk.clock.now += 3600
    minutes = task.history(desk.task.fold).minutes
    assert len(minutes) == 24
    assert minutes[-1].at - minutes[0].at < 86_400


# ---------------------------------------------------------------------- lists


def items_of(found):
    return [story.item for story in found.items]


def test_items_are_listed_by_state_and_text(desk):
    desk.change(budget=Budget(total=3))
    first, second, third, fourth = desk.decide("Red apple", "green pear", "red CHERRY", "blue plum")
    desk.label(first.item, "ham")
    desk.label(second.item, "spam")
    desk.correct(second.item, "ham")
    everything = [fourth.item, third.item, second.item, first.item]
    assert items_of(desk.found()) == everything
    assert items_of(desk.found(state="asked")) == everything[1:]
    assert items_of(desk.found(state="waiting")) == [third.item]
    assert items_of(desk.found(state="labelled")) == [second.item, first.item]
    assert items_of(desk.found(state="corrected")) == [second.item]
    assert items_of(desk.found(state="disagreement")) == []
    assert items_of(desk.found(search="RED")) == [third.item, first.item]
    assert items_of(desk.found(search="red", state="labelled")) == [first.item]
    assert desk.found(search="nothing like it").items == []


def test_disagreement_is_found(store_url):
    with Desk(store_url, settings("PA-I", bits=12, labels={"per_item": 3})) as desk:
        one, other = desk.decide("a", "b")
        for item, votes in ((one.item, ("ham", "ham", "spam")), (other.item, ("ham", "ham", "ham"))):
            for who, label in zip(("ann", "bob", "eve"), votes, strict=True):
                desk.label(item, label, who)
        assert items_of(desk.found(state="disagreement")) == [one.item]


def test_lists_go_on_where_they_ended(desk):
    items = [decision.item for decision in desk.decide(*(f"word{n}" for n in range(23)))]
    pages, before = [], None
    while True:
        found = desk.found(count=5, **({} if before is None else {"before": before}))
        pages.append(items_of(found))
        before = found.before
        if before is None:
            break
    assert [item for page in pages for item in page] == items[::-1]
    assert max(map(len, pages)) == 5


def test_a_search_ends_after_so_many_items_and_goes_on(desk, monkeypatch):
    monkeypatch.setattr("askance.service.views.items.BATCH", 4)
    monkeypatch.setattr("askance.service.views.items.MOST_SEARCHED", 8)
    wanted = desk.decide("needle", *(f"word{n}" for n in range(12)))[0].item
    found = desk.found(search="needle")
    assert (found.items, found.searched) == ([], 8)
    assert items_of(desk.found(search="needle", before=found.before)) == [wanted]


# ---------------------------------------------------------------------- why


def test_what_pulls_is_what_was_learned(desk):
    for _ in range(5):
        for text, label in ((SPAM, "spam"), (HAM, "ham")):
            desk.label(desk.decide(text)[0].item, label)
    text = "Hello! WIN the prize, hello"
    why = explain.explained(desk.task.fold, Item(text=text))
    pulls = {pull.feature: pull for pull in why.pulls}
    assert pulls["win"].towards == pulls["prize"].towards == "spam"
    assert pulls["hello"].towards == "ham"
    assert [text[start:end] for start, end in pulls["hello"].spans] == ["Hello", "hello"]
    assert "the" not in pulls
    assert why.label == desk.task.predict([Item(text=text)]).predictions[0].label


def test_pulls_add_up_to_the_score_of_a_linear_model(desk):
    taught(desk, 20)
    item = Item(text="win hello cash lunch see you now")
    why = explain.explained(desk.task.fold, item)
    score = desk.task.predict([item]).predictions[0].score
    assert sum(pull.by if pull.towards == "spam" else -pull.by for pull in why.pulls) * 2 == pytest.approx(score)


def test_questions_say_why_without_giving_the_guess_away(store_url):
    with Desk(store_url, settings("PAA-I", bits=12)) as desk:
        assert desk.decide(HAM)[0].asked
        question = desk.lease(why=True).questions[0]
        assert "nothing of this item yet" in question.why.reason
        desk.label(question.item, "ham")
        for text, _ in texts(random.Random(5), 30):
            desk.decide(text)
        reasons = [question.why.reason for question in desk.lease(why=True, count=20).questions]
        assert any("in doubt" in reason for reason in reasons)
        assert not any("ham" in reason or "spam" in reason or "-" in reason for reason in reasons)
        assert desk.lease(who="bob").questions == []


def test_records_are_explained_by_their_fields(store_url):
    made = msgspec.structs.replace(settings("PA-I", bits=12), item="record")
    with Desk(store_url, made) as desk:
        for _ in range(4):
            for country, label in (("xy", "spam"), ("ab", "ham")):
                desk.label(desk.decide(Item(record={"country": country, "amount": 2.0}))[0].item, label)
        why = explain.explained(desk.task.fold, Item(record={"country": "xy", "amount": 2.0}))
        assert (why.pulls[0].feature, why.pulls[0].towards, why.pulls[0].spans) == ("country=xy", "spam", [])


def test_an_item_without_features_has_nothing_that_pulls(desk):
    assert explain.explained(desk.task.fold, Item(text="!?")).pulls == []


# ---------------------------------------------------------------------- the model


@pytest.mark.parametrize("algorithm", ["PA-I", "AROW-diag", "K-PAA-I"])
def test_the_strongest_features_are_those_that_tell_the_classes_apart(store_url, algorithm):
    with Desk(store_url, settings(algorithm, bits=12)) as desk:
        for _ in range(8):
            for text, label in ((SPAM, "spam"), (HAM, "ham")):
                decision = desk.decide(text)[0]
                if decision.asked:
                    desk.label(decision.item, label)
        told = model.story(desk.store, desk.task)
        assert {one.feature for one in told.strongest["spam"]} == set(SPAM.split())
        assert {one.feature for one in told.strongest["ham"]} == set(HAM.split())
        assert told.versions[0].version <= told.version
        assert [version.labels for version in told.versions] == sorted(
            (version.labels for version in told.versions), reverse=True
        )


def test_of_many_classes_each_has_its_own(store_url):
    with Desk(store_url, settings("MPAA-I", bits=12, classes=("a", "b", "c"))) as desk:
        for _ in range(8):
            for label in "abc":
                decision = desk.decide(f"only{label} common")[0]
                if decision.asked:
                    desk.label(decision.item, label)
        strongest = model.story(desk.store, desk.task).strongest
        assert {label: found[0].feature for label, found in strongest.items()} == {c: f"only{c}" for c in "abc"}


def test_a_model_without_labels_has_no_features(desk):
    told = model.story(desk.store, desk.task)
    assert told.strongest == {"ham": [], "spam": []}
    assert told.versions == []


# ---------------------------------------------------------------------- leases whose answer was lost


def test_a_lease_that_is_asked_for_again_gives_the_same_questions(desk):
    desk.decide("a", "b", "c", "d")
    first = desk.lease(count=2, key="k")
    assert desk.lease(count=2, key="k") == first
    with pytest.raises(Refusal, match="somebody else's lease"):
        desk.lease("bob", count=2, key="k")
    desk.label(first.questions[0].item, "ham")
    assert desk.lease(count=2, key="k").questions == first.questions[1:]
    desk.clock.now += 1000
    again = desk.lease(count=2, key="k").questions
    assert [question.item for question in again] == [2, 3], "those leases are over, so there are new ones"
    assert desk.store.check() == []
