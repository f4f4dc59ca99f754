"""The review queue: what leads should look at, what they decide, and that it is remembered."""

import random

import pytest

from askance.service import messages
from askance.service.commands import labels, reviews
from askance.service.connectors.events import SETTLED, EventMaker
from askance.service.errors import RequestError
from askance.service.settings import Asking
from askance.service.state import journal, snapshots
from askance.service.views import review as review_view
from service_task import TaskRunner, settings, texts


@pytest.fixture
def opened(tmp_path):
    runners = []

    def start(made=None, algorithm="PA-I", **more):
        runners.append(TaskRunner(str(tmp_path / f"{len(runners)}.db"), made or settings(algorithm, **more)))
        return runners[-1]

    yield start
    for runner in runners:
        runner.close()


def queue(runner, **wish):
    return review_view.queue(runner.store, runner.task, messages.ReviewSearch(**wish))


def cases(runner, **wish):
    """The items of the queue, each with the reason why it is there."""
    return [(case.item.item, case.why) for case in queue(runner, **wish).cases]


def review(runner, item, label=None, who="boss"):
    wish = messages.ReviewRequest(item) if label is None else messages.ReviewRequest(item, label)
    return runner.run(lambda transaction: reviews.review(transaction, wish, who))


def asked(runner, count=1):
    items = [one.item for one in runner.decide(*(f"text {number}" for number in range(count)))]
    assert all(item in runner.task.fold.questions.open for item in items)
    return items


@pytest.mark.parametrize("algorithm", ["PA-I", "auto"])
def test_a_lead_whose_lease_has_ended_can_decide_what_was_given_up(opened, algorithm):
    runner = opened(algorithm=algorithm, questions=Asking("lease"))
    runner.decide("win prize")
    item = runner.lease("ann").questions[0].item
    runner.skip(item, "ann")
    runner.lease("boss", items=[item])
    runner.clock.now += 400
    runner.lease("bob", items=[item])
    assert runner.skip(item, "bob").state == "given up"
    assert review(runner, item, "spam").label == "spam"
    assert replays(runner)


def replays(runner):
    """Whether the journal alone and the newest snapshot with its rest give the same fold."""
    before = runner.everything()
    runner.task.rebuild()
    return runner.everything() == before


# ---------------------------------------------------------------------- disagreements


def test_votes_that_differ_are_listed_until_a_lead_decides(opened):
    runner = opened(labels={"per_item": 2})
    tied, equal = asked(runner, 2)
    for who, label in (("ann", "ham"), ("bob", "spam")):
        runner.label(tied, label, who)
        runner.label(equal, "ham", who)
    (case,) = queue(runner).cases
    assert (case.item.item, case.why, case.item.label) == (tied, "disagreement", None)
    assert [(vote.by, vote.label) for vote in case.item.votes] == [("ann", "ham"), ("bob", "spam")]
    done = review(runner, tied, "spam")
    assert (done.label, done.again) == ("spam", False)
    detail = runner.detail(tied)
    assert (detail.state, detail.label) == ("learned", "spam")
    assert [(vote.by, vote.final) for vote in detail.votes] == [("ann", False), ("bob", False), ("boss", True)]
    assert cases(runner) == []
    assert replays(runner)


def test_a_decision_holds_whatever_the_votes_are_and_is_no_part_of_the_agreement(opened):
    runner = opened(labels={"per_item": 3}, classes=("a", "b", "c"), algorithm="MPA-I")
    (item,) = asked(runner)
    runner.label(item, "a", "ann")
    runner.label(item, "a", "bob")
    runner.label(item, "b", "boss")
    assert runner.detail(item).label == "a", "two of three"
    (item,) = asked(runner)
    runner.label(item, "a", "ann")
    runner.label(item, "b", "boss")
    before = runner.task.fold.counts
    assert review(runner, item, "c").label == "c", "also if the lead has voted for another"
    after = runner.task.fold.counts
    assert (after.pairs, after.equal_pairs) == (before.pairs, before.equal_pairs)
    assert (after.votes, after.labelled) == (before.votes + 1, before.labelled + 1)
    assert runner.detail(item).agreement == 0
    assert runner.task.fold.people["ann"].compared == 3
    assert replays(runner)


def test_a_decision_can_be_undone(opened):
    runner = opened(labels={"per_item": 2})
    (item,) = asked(runner)
    runner.label(item, "ham", "ann")
    runner.label(item, "spam", "bob")
    model = runner.model()
    review(runner, item, "spam")
    assert runner.undo("boss", item=item).label is None
    assert runner.model() == model
    assert cases(runner) == [(item, "disagreement")]


def test_settled_disagreements_are_confirmed_or_corrected(opened):
    runner = opened(labels={"per_item": 3})
    first, second = asked(runner, 2)
    for item in (first, second):
        for who, label in (("ann", "ham"), ("bob", "spam"), ("eve", "spam")):
            runner.label(item, label, who)
    assert cases(runner) == [(second, "disagreement"), (first, "disagreement")]
    assert review(runner, first).label == "spam"
    assert cases(runner) == [(second, "disagreement")]
    runner.correct(second, "ham")
    assert cases(runner) == []
    assert review(runner, first).again
    assert review(runner, second, "ham").again, "a correction is a decision"
    with pytest.raises(RequestError, match="already has the label 'spam': send a correction"):
        review(runner, first, "ham")


# ---------------------------------------------------------------------- skips


def test_skipped_items_come_with_their_reasons(opened):
    runner = opened(labels={"skips": 2})
    once, twice, never = asked(runner, 3)
    runner.skip(once, "ann", reason="No class fits")
    runner.skip(twice, "ann")
    runner.skip(twice, "bob", reason="It is broken")
    found = queue(runner).cases
    assert [(case.item.item, case.why) for case in found] == [(twice, "skipped"), (once, "skipped")]
    given_up = next(case for case in found if case.item.item == twice)
    assert (given_up.item.state, [skip.reason for skip in given_up.item.skips]) == (
        "given up",
        [None, "It is broken"],
    )
    assert review(runner, once, "spam").label == "spam"
    assert review(runner, twice).label is None, "it stays without a label"
    assert cases(runner) == []
    runner.label(never, "ham")
    assert cases(runner) == []


@pytest.mark.parametrize("chosen", ["arrival", "lease"])
def test_an_item_that_was_given_up_can_still_get_a_label(opened, chosen):
    runner = opened(settings("PA-I", labels={"skips": 1}, questions=Asking(chosen)))
    (item,) = [one.item for one in runner.decide("win a prize")]
    runner.lease("ann", items=[item])
    runner.skip(item, "ann")
    fold = runner.task.fold
    assert (fold.counts.given_up, runner.detail(item).state) == (1, "given up")
    spent, model = fold.ledger.asked, runner.model()
    assert review(runner, item, "spam").label == "spam"
    assert runner.model() != model
    assert (fold.counts.given_up, fold.counts.labelled) == (0, 1)
    assert fold.ledger.asked == spent + 1, "the budget counts it"
    assert runner.detail(item).state == "learned"
    assert replays(runner)
    assert snapshots.content(snapshots.unpack(snapshots.pack(runner.everything()), runner.settings)) == (
        runner.everything()
    )
    runner.undo("boss", item=item)
    assert (runner.model(), runner.detail(item).state) == (model, "given up")
    assert cases(runner) == [(item, "skipped")]


def test_a_budget_that_is_spent_has_no_label_for_a_given_up_item(opened):
    made = settings("PA-I", labels={"skips": 1}, questions=Asking("lease"), budget={"total": 1})
    runner = opened(made)
    first, second = (one.item for one in runner.decide("a b", "c d"))
    runner.skip(runner.lease("ann", items=[first]).questions[0].item, "ann")
    runner.label(runner.lease("ann", items=[second]).questions[0].item, "ham", "ann")
    with pytest.raises(RequestError, match="the budget has no label left"):
        review(runner, first, "ham")


# ---------------------------------------------------------------------- likely errors


def messy(runner, count=120, wrong=8):
    """Labelled messages, some of which have the label of the other class; return these."""
    chance = random.Random(3)
    made = list(texts(chance, count))
    items = [one.item for one in runner.decide(*(text for text, _ in made))]
    flipped = set(chance.sample(items[40:], wrong))
    other = {"ham": "spam", "spam": "ham"}
    given = [
        messages.Label(other[label] if item in flipped else label, item)
        for item, (_, label) in zip(items, made, strict=True)
    ]
    runner.run(lambda transaction: labels.label(transaction, given, "ann"))
    return flipped


def test_labels_that_the_model_contradicts_are_listed_the_surest_first(opened):
    runner = opened()
    flipped = messy(runner)
    found = queue(runner)
    assert (found.looked_at, found.before) == (120, None)
    assert {case.why for case in found.cases} == {"likely error"}
    assert all(case.prediction != case.item.label for case in found.cases)
    margins = [case.margin for case in found.cases]
    assert margins == sorted(margins, reverse=True)
    first = {case.item.item for case in found.cases[: len(flipped)]}
    assert len(first & flipped) >= 4, "far more than the 0.5 that would be there by chance"


@pytest.mark.slow
def test_what_was_confirmed_stays_away_until_its_label_changes(opened):
    runner = opened()
    messy(runner)
    (first, _), *rest = cases(runner)
    review(runner, first)
    assert cases(runner) == rest
    runner = runner.reopened()
    assert cases(runner) == rest, "also after a restart"
    runner.correct(first, {"ham": "spam", "spam": "ham"}[runner.detail(first).label])
    assert first not in dict(cases(runner)), "somebody has just decided"
    runner.close()


def test_imported_labels_are_looked_at_too(opened):
    runner = opened()
    chance = random.Random(5)
    made = list(texts(chance, 200))
    runner.import_items(*made, ("win free cash prize now click win free", "ham"))
    assert (201, "likely error") in cases(runner)


@pytest.mark.slow
def test_the_automatic_learner_gives_a_probability(opened):
    runner = opened(algorithm="auto")
    made = list(texts(random.Random(5), 80))
    runner.import_items(*made, ("win free cash prize now click win free", "ham"))
    case = next(case for case in queue(runner).cases if case.item.item == 81)
    assert (case.why, case.prediction, case.margin) == ("likely error", "spam", None)
    assert 0.5 < case.probability <= 1
    runner.correct(81, "spam")
    assert 81 not in dict(cases(runner))


def test_few_items_are_looked_at_per_request_and_older_ones_with_the_next(opened, monkeypatch):
    runner = opened()
    messy(runner)
    everything = set(cases(runner, count=200))
    monkeypatch.setattr(review_view, "LOOKED_AT", 40)
    found, before, looked_at = set(), {}, []
    while before is not None:
        page = queue(runner, count=200, **before)
        looked_at.append(page.looked_at)
        found |= {case.item.item for case in page.cases}
        before = None if page.before is None else {"before": page.before}
    assert looked_at == [40, 40, 40, 0]
    assert len(found & {item for item, _ in everything}) > len(everything) / 2
    few = queue(runner, count=1)
    assert (len(few.cases), few.left_out) == (1, len(queue(runner).cases) - 1)


def test_an_untrained_model_suspects_nobody(opened):
    runner = opened()
    for item in asked(runner, 3):
        runner.label(item, "spam")
    assert cases(runner) == []


def test_an_item_is_listed_once_and_what_needs_an_answer_comes_first(opened):
    runner = opened(labels={"per_item": 2, "skips": 5})
    messy_votes, skipped = asked(runner, 2)
    runner.skip(messy_votes, "eve")
    runner.label(messy_votes, "ham", "ann")
    runner.label(messy_votes, "spam", "bob")
    runner.skip(skipped, "eve")
    assert cases(runner) == [(messy_votes, "disagreement"), (skipped, "skipped")]


# ---------------------------------------------------------------------- what cannot be reviewed


def test_only_items_that_were_asked_about_can_be_decided(opened):
    runner = opened(settings("PA-I", budget={"total": 1}))
    first, second = (one.item for one in runner.decide("one", "two"))
    assert second not in runner.task.fold.questions.open
    with pytest.raises(RequestError, match="there is no item 99"):
        review(runner, 99)
    with pytest.raises(RequestError, match="was not asked about"):
        review(runner, second, "ham")
    with pytest.raises(RequestError, match="unknown class 'eggs'"):
        review(runner, first, "eggs")


def test_a_review_ends_no_lease(opened):
    runner = opened()
    (item,) = asked(runner)
    lease = runner.lease("boss").questions[0]
    review(runner, item)
    assert runner.task.fold.questions.open[item].loan("boss", runner.clock.now).seq == lease.lease


def test_a_decision_is_the_event_of_a_settled_label(opened):
    runner = opened(labels={"per_item": 2})
    (item,) = asked(runner)
    runner.label(item, "ham", "ann")
    runner.label(item, "spam", "bob")
    review(runner, item)
    review(runner, item, "spam")
    maker = EventMaker(runner.store, runner.task.number, runner.settings)
    entries = [entry for batch in runner.store.entries(runner.task.number) for entry in batch]
    settled = [event for _, found in maker.events(entries, [SETTLED]) for event in found]
    assert [(event.seq, event.data["item"], event.data["label"]) for event in settled] == [(5, item, "spam")]


def test_labels_of_old_journals_are_written_and_read_as_before():
    assert journal.entry(journal.LABEL, 1, 0.0, journal.Label("ham")).body == b'{"label":"ham"}'
