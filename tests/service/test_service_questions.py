"""Questions that are chosen when somebody leases one, and the figures from audits."""

import random

import pytest

from askance.service import messages
from askance.service.commands import choosing
from askance.service.errors import RequestError
from askance.service.settings import Asking, Budget, TaskSettings
from askance.service.state import candidates, journal, snapshots
from askance.service.views import task as task_view
from question_study import study
from service_task import TaskRunner, settings

HAM, SPAM = "lunch at noon then", "win a free prize"


def on_lease(**more):
    asking = more.pop("questions", Asking("lease"))
    return settings("PAA-II", questions=asking, bits=10, **more)


@pytest.fixture
def opened(tmp_path):
    runners = []

    def start(made=None, **more):
        runners.append(TaskRunner(str(tmp_path / f"{len(runners)}.db"), made or on_lease(), **more))
        return runners[-1]

    yield start
    for runner in runners:
        runner.close()


def text(number, chance):
    """A message that is easy to tell, but for some words that nobody knows."""
    words = [f"word{chance.randrange(200)}" for _ in range(4)]
    return " ".join([SPAM if number % 3 == 0 else HAM, *words])


def label_of(question):
    return "spam" if SPAM in question.text else "ham"


def pushed(runner, count=200, random_state=1):
    chance = random.Random(random_state)
    return runner.decide(*(text(number, chance) for number in range(count)))


def answered(runner, count, at_once=5, who="ann"):
    """Lease and answer questions; return them."""
    found = []
    while len(found) < count:
        questions = runner.lease(who, count=min(at_once, count - len(found))).questions
        if not questions:
            break
        for question in questions:
            runner.label(question.item, label_of(question), who)
        found += questions
    return found


def reasons(runner):
    entries = [entry for batch in runner.store.entries(1, kinds=[journal.ASK]) for entry in batch]
    return {entry.item: journal.read(entry) for entry in entries}


# ---------------------------------------------------------------- choosing


def test_nothing_is_asked_on_arrival(opened):
    runner = opened()
    decisions = pushed(runner, 50)
    assert not any(decision.ask for decision in decisions)
    assert not runner.task.fold.questions.open
    assert runner.figures().waiting == 50


def test_a_fifth_of_the_questions_is_drawn_at_random(opened):
    runner = opened()
    pushed(runner)
    answered(runner, 100)
    found = [body.reason for body in reasons(runner).values()]
    assert found.count("audit") == 20
    assert found.count("doubt") == 80


def test_the_least_certain_item_is_asked_about(opened):
    """The twin: predict all candidates with the current model and take the smallest score."""
    runner = opened(on_lease(questions=Asking("lease", audit=0.01)))
    pushed(runner)
    answered(runner, 20)
    fold = runner.task.fold
    waiting = list(fold.candidates.waiting)
    texts = {entry.seq: journal.read(entry).text for entry in runner.store.at(1, waiting).values()}
    said = runner.task.predict([messages.Item(text=texts[item]) for item in waiting]).predictions
    least = min(zip(waiting, said, strict=True), key=lambda one: abs(one[1].score))
    [question] = runner.lease("ann").questions
    assert abs(question.score) == pytest.approx(abs(least[1].score))


def test_audits_take_the_smallest_coins_first(opened):
    runner = opened()
    pushed(runner, 400)
    coins = {item: audit.coin for item, audit in runner.task.fold.audits.kept.items()}
    answered(runner, 100)
    drawn = [item for item, body in reasons(runner).items() if body.reason == "audit"]
    assert drawn == sorted(coins, key=coins.__getitem__)[: len(drawn)]


def test_items_that_are_nearly_the_same_are_not_asked_about_together(opened):
    runner = opened(on_lease(questions=Asking("lease", audit=0.01)))
    pushed(runner, 60)
    answered(runner, 20)
    runner.decide(*["something quite new here"] * 30)
    texts = [question.text for question in runner.lease("ann", count=10).questions]
    assert len(texts) == 10
    assert texts.count("something quite new here") <= 1


def test_what_the_labeller_sees_is_of_one_version(opened):
    runner = opened()
    pushed(runner)
    answered(runner, 30)
    for question in runner.lease("ann", count=10, why=True).questions:
        assert question.prediction == question.why.prediction
        assert abs(question.score) == pytest.approx(abs(question.why.score))
        assert question.why.version == runner.task.fold.version


def test_a_question_that_was_asked_on_arrival_shows_the_current_model(opened):
    runner = opened(settings("PA-I", bits=10))
    pushed(runner, 60)  # decided by the empty model
    answered(runner, 30)
    questions = runner.lease("ann", count=20, why=True).questions
    assert [question.prediction for question in questions] == [question.why.prediction for question in questions]
    right = sum(question.prediction == label_of(question) for question in questions)
    assert right > 15


def test_a_question_of_which_the_model_says_nothing_shows_what_it_said_on_arrival(opened, monkeypatch):
    """A model that has diverged has no finite scores."""
    runner = opened(settings("PA-I", bits=10))
    [decided] = runner.decide(HAM)
    monkeypatch.setattr(choosing, "current", lambda *_: {})
    [question] = runner.lease("ann").questions
    assert (question.prediction, question.score) == (decided.prediction, decided.score)


def test_candidates_are_bounded(monkeypatch):
    monkeypatch.setattr(candidates, "MOST", 20)
    monkeypatch.setattr(candidates, "SURPLUS", 5)
    chance, found = random.Random(1), candidates.Candidates()
    for item in range(500):
        found.add(item, candidates.Candidate(chance.random(), "ham", chance.gauss(0, 1), 0.0))
        assert len(found.waiting) <= 25
    kept = sorted(abs(one.score) for one in found.waiting.values())
    assert kept[5] < 0.05, "the doubtful ones stay"
    assert kept[-1] > 0.5, "and some others"


# ---------------------------------------------------------------- budgets


def test_the_budget_counts_questions_on_lease(opened):
    runner = opened(on_lease(budget={"total": 10}))
    pushed(runner)
    first = runner.lease("ann", count=7).questions
    assert len(runner.lease("bob", count=7).questions) == 3
    assert runner.lease("eve", count=7).questions == []
    assert runner.figures().spend.asked == 10
    runner.clock.now += 400  # ann and bob have gone
    assert len(runner.lease("eve", count=20).questions) == 10
    assert runner.figures().spend.asked == 10
    assert first[0].item in runner.task.fold.candidates.waiting.keys() | runner.task.fold.questions.open.keys()


def test_the_budget_counts_labels(opened):
    runner = opened(on_lease(budget={"total": 10}, labels={"per_item": 2}))
    pushed(runner)
    for who in ("ann", "bob"):
        answered(runner, 20, who=who)
    figures = runner.figures()
    assert (figures.labelled, figures.labels, figures.spend.asked) == (5, 10, 10)


def test_a_skipped_question_gives_its_label_back(opened):
    runner = opened(on_lease(budget={"total": 5}))
    pushed(runner)
    for _ in range(3):
        runner.skip(runner.lease("ann").questions[0].item, "ann")
    assert runner.figures().spend.asked == 0
    assert len(answered(runner, 10)) == 5, "ann can still give all labels"


def test_a_returned_question_waits_again(opened):
    runner = opened(on_lease(budget={"total": 5}))
    pushed(runner)
    [question] = runner.lease("ann").questions
    runner.return_question(question.item, "ann")
    assert not runner.task.fold.questions.open
    assert runner.figures().spend.asked == 0
    assert runner.detail(question.item).state == "not asked"


def test_a_lease_that_ran_out_can_be_renewed(opened):
    runner = opened()
    pushed(runner)
    [question] = runner.lease("ann").questions
    runner.clock.now += 400
    runner.return_question(runner.lease("bob").questions[0].item, "bob")
    assert not runner.task.fold.questions.open
    [again] = runner.lease("ann", items=[question.item]).questions
    assert again.item == question.item
    runner.label(question.item, label_of(question), "ann")
    assert runner.detail(question.item).label == label_of(question)


def test_named_items_stay_within_the_budget(opened):
    runner = opened(on_lease(budget={"total": 1}))
    decisions = pushed(runner)
    with pytest.raises(RequestError, match="budget has no label left"):
        runner.lease("ann", items=[decision.item for decision in decisions[:2]])


def test_an_item_that_was_not_asked_about_can_be_labelled(opened):
    runner = opened(on_lease(budget={"total": 40}))
    decisions = pushed(runner)
    reach = runner.task.fold.audits.reach
    for decision in decisions[:40]:
        runner.label(decision.item, "ham")
    assert runner.figures().labelled == 40
    assert runner.task.fold.audits.reach == reach, "these are no random sample"
    with pytest.raises(RequestError, match="budget has no label left"):
        runner.label(decisions[41].item, "ham")


# ---------------------------------------------------------------- the journal


def test_rebuilding_gives_the_same_bytes(opened):
    runner = opened(snapshot_every=37)
    chance = random.Random(5)
    for _ in range(6):
        pushed(runner, 40, random_state=chance.randrange(100))
        answered(runner, 10, at_once=3)
        runner.skip(runner.lease("bob").questions[0].item, "bob")
        runner.clock.now += 400
    runner.undo("ann")
    before = snapshots.content(runner.task.fold)
    again = runner.reopened()
    assert snapshots.content(again.task.fold) == before
    for seq in again.store.snapshot_seqs(1):
        again.store.drop_snapshots(1, [seq])
    again.task.rebuild()
    assert snapshots.content(again.task.fold) == before


def test_an_undone_vote_keeps_the_later_ones(opened):
    """A lease that ran out withdraws a question only if nobody had voted, also when a vote is undone later."""
    runner = opened(on_lease(labels={"per_item": 2}))
    pushed(runner)
    [question] = runner.lease("ann").questions
    runner.label(question.item, "ham", "ann")
    assert [one.item for one in runner.lease("bob").questions] == [question.item]
    runner.clock.now += 400
    runner.lease("eve", count=2)
    runner.clock.now += 400
    runner.lease("bob", items=[question.item])
    runner.label(question.item, "ham", "bob")
    runner.undo("ann", item=question.item)
    votes = [vote for vote in runner.detail(question.item).votes if not vote.undone]
    assert [vote.by for vote in votes] == ["bob"]
    assert question.item in runner.task.fold.questions.open


def test_labels_for_testing_are_not_learned(opened):
    runner = opened(on_lease(questions=Asking("lease", audit=1.0, test=1.0)))
    pushed(runner)
    answered(runner, 20)
    said = runner.task.predict([messages.Item(text=SPAM), messages.Item(text=HAM)]).predictions
    assert {one.score for one in said} == {0.0}


def test_new_audits_do_not_make_the_estimate_useless(opened):
    """Early on, audits reach large coins. Later items with smaller ones are asked about before larger ones."""
    runner = opened(on_lease(questions=Asking("lease", audit=0.5)))
    for _ in range(10):
        pushed(runner, 40)
        answered(runner, 10)
    found = runner.figures().estimates["accuracy"]
    assert found.labels >= 30
    assert found.high - found.low < 0.45


# ---------------------------------------------------------------- what is shown


def test_lists_of_items_find_those_that_were_asked_about_later(opened):
    runner = opened()
    pushed(runner)
    given = answered(runner, 12)
    runner.lease("bob", count=3)
    assert {one.item for one in runner.found(state="labelled", count=200).items} == {one.item for one in given}
    assert len(runner.found(state="asked", count=200).items) == 15
    assert len(runner.found(state="waiting", count=200).items) == 3
    detail = runner.detail(given[0].item)
    assert (detail.state, detail.label) == ("learned", label_of(given[0]))


def test_pages_of_a_list_have_each_item_once(opened):
    runner = opened()
    pushed(runner)
    given = {one.item for one in answered(runner, 25)}
    page = runner.found(state="labelled", count=10)
    found = [one.item for one in page.items]
    while page.before is not None:
        page = runner.found(state="labelled", count=10, before=page.before)
        found += [one.item for one in page.items]
    assert sorted(found) == sorted(given)


def test_agreement_counts_items_that_are_not_settled(opened):
    """With two labels per item and a quarter of disagreement, only equal pairs are settled."""
    runner = opened(settings("PA-I", bits=10, labels={"per_item": 2}))
    pushed(runner, 40)
    for number, question in enumerate(runner.lease("ann", count=40).questions):
        runner.label(question.item, label_of(question), "ann")
        other = {"ham": "spam", "spam": "ham"}[label_of(question)]
        runner.label(question.item, other if number % 4 == 0 else label_of(question), "bob")
    figures = runner.figures()
    assert figures.agreement == 0.75
    assert (figures.labels, figures.labelled, figures.asked) == (80, 30, 40)
    assert [one.agreement for one in task_view.history(runner.task.fold).labellers] == [0.75, 0.75]


def test_unanswered_questions_widen_the_interval(opened):
    """All of 200 are asked about and 40 answered, all rightly predicted: the others may all be wrong."""
    runner = opened(settings("PA-I", bits=10))
    pushed(runner, 200)
    for question in runner.lease("ann", count=100).questions[:40]:
        runner.label(question.item, question.prediction, "ann")
    found = runner.figures().estimates["accuracy"]
    assert found.low < 0.25
    assert found.high > 0.95
    assert "no answer" in found.note


def test_defaults_by_algorithm():
    assert TaskSettings("a", ["x", "y"]).named.questions == Asking("lease")
    assert TaskSettings("a", ["x", "y"], algorithm="PAA-II").named.questions == Asking("arrival")
    assert TaskSettings("a", ["x", "y"], budget=Budget()).label_cost == 1


@pytest.mark.slow
def test_intervals_hold_when_questions_stay_unanswered():
    """Labellers who are slow, answer newest first, skip or leave what is hard, stop half-way, or are wrong."""
    met: dict[str, list[bool]] = {}
    for (*_, figure), found in study(4).items():
        if figure.startswith("accuracy"):  # the others need more positives than most of these streams have
            met.setdefault(figure, []).extend(one.holds for one in found)
    assert min(map(len, met.values())) >= 10
    assert min(sum(holds) / len(holds) for holds in met.values()) >= 0.9


@pytest.mark.parametrize("kind", ["text", "record"])
def test_items_that_wait_do_not_keep_their_batch_in_memory(opened, kind):
    """Of a million items, some of nearly every batch wait: parts of its arrays would keep all of them."""
    runner = opened(settings("auto", questions=Asking("lease"), bits=10, item=kind))
    for number in range(3):
        content = {"text": HAM} if kind == "text" else {"record": {"subject": HAM, "length": float(number)}}
        runner.decide(*(messages.Item(**content) for _ in range(20)))
    runner.task.rebuild()
    runner.lease("ann", count=5)  # reads rows from the store
    rows = list(runner.task._waiting._rows.values())
    assert rows
    for row in rows:
        for array in row if kind == "text" else (*row.categories, row.dense):
            assert array is None or array.base is None
