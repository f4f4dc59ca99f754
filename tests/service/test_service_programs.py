"""Programs decide items in the place of people, if they are reliable enough and worth their price."""

import contextlib
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from askance.service import messages
from askance.service.commands import guesses as guess_commands
from askance.service.errors import RequestError
from askance.service.given_settings import as_settings
from askance.service.prices import Oracles
from askance.service.settings import Asking, TaskSettings
from askance.service.state import programs
from askance.service.state.journal import Guess
from askance.service.state.programs import LEARNING, Programs
from askance.service.views.wanted import AUDITS, wanted
from deciding_world import PRICES, PROGRAM, DecidingWorld

EASY = msgspec.structs.replace(PRICES, enough=0.6)
SETTINGS = TaskSettings("spam", ["ham", "spam"], questions=Asking("lease"), oracles=PRICES)


def other(label: str) -> str:
    return "ham" if label == "spam" else "spam"


class Stream:
    """Items that a program guesses about; people label what it does not decide."""

    def __init__(self, right: float, seed: int = 0, enough: float = 0.9) -> None:
        self.programs, self.right, self._chance = Programs(), right, random.Random(seed)
        self.settings = msgspec.structs.replace(
            SETTINGS, oracles=Oracles(people=1, guesses={PROGRAM: 0.01}, enough=enough)
        )
        self.people = self.decided = self.mistakes = 0

    def run(self, items: int) -> "Stream":
        for _ in range(items):
            item, truth = self.people + self.decided, self._chance.choice(["ham", "spam"])
            label = truth if self._chance.random() < self.right else other(truth)
            self.programs.note(item, {PROGRAM: Guess(label, 0.9)})
            found = self.programs.verdict(self.settings, item)
            if found is not None and self._chance.random() >= self.settings.oracles.check:
                self.programs.decide(item, found[0])
                self.decided += 1
                self.mistakes += found[1].label != truth
            else:
                self.programs.learn(item, truth)
                self.people += 1
        return self


# ---------------------------------------------------------------------- what is known of a program


def test_a_reliable_program_decides_most_items() -> None:
    for seed in range(3):
        found = Stream(0.97, seed).run(600)
        assert found.people < 300, seed
        assert found.mistakes <= 0.05 * found.decided


def test_a_program_that_knows_nothing_never_decides_and_is_given_up() -> None:
    found = Stream(0.5).run(LEARNING - 1)
    assert found.programs.is_worth(found.settings, PROGRAM), "too little is known"
    found.run(50)
    assert found.decided == 0
    assert not found.programs.is_worth(found.settings, PROGRAM)


@pytest.mark.slow
def test_few_of_many_decisions_are_wrong_if_a_program_is_hardly_good_enough() -> None:
    """It is looked at after every label, so chance alone would let a program decide that is not good enough."""
    found = [Stream(0.88, seed).run(400) for seed in range(10)]
    assert sum(one.decided for one in found) < 0.25 * 10 * 400
    assert sum(one.decided > 0 for one in found) <= 5


def test_a_program_that_turns_bad_is_noticed() -> None:
    found = Stream(0.99).run(500)
    before = found.people
    found.right = 0.5
    while found.programs.verdict(found.settings, _guessed(found)) is not None:
        found.run(1)
    assert found.people - before <= 30


def _guessed(stream: Stream) -> int:
    stream.programs.note(10**6, {PROGRAM: Guess("spam", 0.9)})
    return 10**6


def test_a_guess_that_costs_more_than_it_saves_is_not_wanted() -> None:
    found = Stream(0.99).run(LEARNING * 3)
    dear = msgspec.structs.replace(found.settings, oracles=Oracles(people=1, guesses={PROGRAM: 0.95}, enough=0.9))
    assert found.programs.is_worth(found.settings, PROGRAM)
    assert not found.programs.is_worth(dear, PROGRAM)


def test_two_programs_that_disagree_decide_nothing() -> None:
    programs = Programs()
    both = msgspec.structs.replace(SETTINGS, oracles=Oracles(people=1, guesses={"a": 0, "b": 0}, enough=0.9))
    for item in range(200):
        truth = ("ham", "spam")[item % 2]
        wrong = {"a": item < 4, "b": 4 <= item < 8}
        programs.note(item, {name: Guess(other(truth) if wrong[name] else truth) for name in "ab"})
        programs.learn(item, truth)
    programs.note(500, {"a": Guess("ham"), "b": Guess("ham")})
    programs.note(501, {"a": Guess("ham"), "b": Guess("spam")})
    found = programs.verdict(both, 500)
    assert found is not None
    assert (found[0], found[1].label) == ("a", "ham")
    assert programs.verdict(both, 501) is None


# ---------------------------------------------------------------------- a task


@pytest.fixture
def world(tmp_path: Path, monkeypatch: Any, request: Any) -> Iterator[DecidingWorld]:
    """A program that is always right, and decides after few labels."""
    monkeypatch.setattr(programs, "FEWEST", 2)
    one = DecidingWorld(tmp_path, 100, 1.0, EASY, algorithm=getattr(request, "param", "PA-I"))
    while not one.program.decided:
        one.guess()
        one.answer()
    yield one
    one.task.close()


def decided_by_program(world: DecidingWorld) -> list[messages.ItemDetail]:
    return world.task.found(state="labelled", labeller=PROGRAM, count=100).items


def test_what_a_program_decides_has_a_label_that_says_so(world: DecidingWorld) -> None:
    items = decided_by_program(world)
    assert len(items) == world.program.decided > 10
    for one in items:
        assert (one.label, one.reason, one.state) == (world.truths[one.item], "guesses", "learned")
        assert [(vote.label, vote.by) for vote in one.votes] == [(one.label, PROGRAM)]
        assert one.label_probability is not None
        assert one.label_probability >= 0.6
    figures = world.task.figures()
    assert figures.spend.asked == figures.labels == world.people.answers == world.people.decided
    assert world.task.task.fold.model.learned == world.people.answers - sum(
        audit.label is not None and audit.test for audit in world.task.task.fold.audits.kept.values()
    ), "the model learns from people alone"
    asked = {audit for audit, one in world.task.task.fold.audits.kept.items() if one.state == "labelled"}
    assert not asked & {one.item for one in items}, "questions at random are for people"


def test_people_check_a_known_share_of_what_a_program_could_decide(world: DecidingWorld) -> None:
    while (item := world.answer()) is not None:
        world.guess()
        if world.program.checked:
            break
    assert item is not None
    (asked,) = [
        journal_body
        for batch in world.task.store.entries(1, kinds=["ask"])
        for entry in batch
        if entry.item == item and (journal_body := msgspec.json.decode(entry.body))["check"] is not None
    ]
    assert asked["check"] == PRICES.check
    assert world.program.checked == world.program.right > 0


@pytest.mark.parametrize("world", ["PA-I", "auto"], indirect=True)
def test_a_correction_teaches_how_good_the_program_is(world: DecidingWorld) -> None:
    task, before = world.task, world.program.decided
    item = decided_by_program(world)[0].item
    with pytest.raises(RequestError, match="has no label from you"):
        task.undo(PROGRAM, item=item)
    task.correct(item, other(world.truths[item]))
    assert task.detail(item).label == other(world.truths[item])
    assert (world.program.decided, world.people.decided) == (before - 1, world.people.answers + 1)
    known = task.task.fold.programs.state.known
    assert known.decided[item] == other(world.truths[item])
    second = next(one.item for one in decided_by_program(world) if one.item != item)
    task.delete(item, second)
    assert (world.program.decided, world.people.decided) == (before - 2, world.people.answers)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("algorithm", ["PA-I", "auto"])
def test_replays_give_the_same_to_the_bit(tmp_path: Path, monkeypatch: Any, algorithm: str) -> None:
    monkeypatch.setattr(programs, "FEWEST", 2)
    made = DecidingWorld(tmp_path, 100, 1.0, EASY, algorithm=algorithm)
    made.task.task.snapshot_every = 100
    chance = random.Random(1)
    for step in range(40):
        made.guess()
        if made.answer() is None:
            break
        if made.program.decided and step % 7 == 0:
            item = chance.choice(decided_by_program(made) or [made.task.detail(1)]).item
            made.task.correct(item, other(made.truths[item]))
        if step % 20 == 19:
            made.task.undo()
            made.task.delete(chance.choice(sorted(made.truths)))
    assert made.program.decided > 0
    before, paid = made.task.everything(), (made.people, made.program)
    made.task.task.rebuild()
    assert made.task.everything() == before
    made.task = made.task.reopened()
    assert made.task.everything() == before
    assert (made.people, made.program) == paid
    from_start = made.task.task.fold_at(made.task.task.fold.seq)
    assert from_start.programs.state == made.task.task.fold.programs.state
    made.task.close()


def test_the_money_is_never_exceeded(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(programs, "FEWEST", 2)
    made = DecidingWorld(tmp_path, 200, 1.0, msgspec.structs.replace(EASY, budget=20.5))
    while True:
        with contextlib.suppress(RequestError):  # they cost more than is left
            made.guess()
        answered = made.answer()
        money = made.task.figures().spend.money
        assert money is not None
        assert money.left is not None
        assert float(money.left) >= 0
        if answered is None:
            break
    assert made.program.decided > 0
    assert float(money.left) < 1
    assert made.task.run(lambda transaction: wanted(transaction, PROGRAM)).items == [] or float(money.left) >= 0.01
    made.task.close()


def test_a_task_that_does_not_choose_says_so(world: DecidingWorld) -> None:
    with pytest.raises(RequestError, match="does not choose what 'claude' guesses"):
        world.task.run(lambda transaction: wanted(transaction, "claude"))
    world.task.change(oracles=msgspec.structs.replace(EASY, enough=None))
    before = world.program.decided
    world.answer()
    assert world.program.decided == before
    with pytest.raises(RequestError, match="it needs oracles"):
        world.task.run(lambda transaction: wanted(transaction, PROGRAM))


def test_guesses_that_come_with_items_or_after_labels(world: DecidingWorld) -> None:
    task = world.task
    said = {PROGRAM: messages.Guess("spam", 0.97)}
    (new,) = task.decide(messages.Item(text="new", guesses=said))
    assert task.task.fold.programs.guessed(new.item) == {PROGRAM: Guess("spam", 0.97)}
    world.truths[new.item] = "spam"
    item = world.answer()
    assert item is not None
    late = messages.LateGuesses([messages.LateGuess(label="ham", name="late", item=item)])
    task.run(lambda transaction: guess_commands.guess(transaction, late, "worker"))
    assert task.task.fold.programs.guessed(item) == {}, "it may have seen the label"


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"oracles": {"people": 1, "enough": 0.9}}, "oracles.enough compares prices: give oracles.people one"),
        ({"oracles": {"guesses": {"a": 1}, "enough": 0.9}}, "oracles.enough compares prices"),
        ({"oracles": {"people": 1, "guesses": {"a": 1}, "enough": 1}}, "oracles.enough"),
        (
            {"oracles": {"people": 1, "guesses": {"a": 1}, "enough": 0.9}, "questions": {"chosen": "arrival"}},
            "oracles.enough is for questions that are chosen on lease: leave it out",
        ),
    ],
)
def test_wrong_settings_are_refused(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence.replace(".", r"\.")):
        as_settings({"name": "mails", "classes": ["ham", "spam"], **given}).learner()


# ---------------------------------------------------------------------- simulated


@pytest.mark.slow
def test_with_a_program_that_is_right_for_95_percent_people_give_half_of_the_labels(tmp_path: Path) -> None:
    made = DecidingWorld(tmp_path, 500, 0.95)
    made.settle(400)
    assert made.people.answers <= 200, "people alone give 400"
    assert made.accuracy() >= 0.985
    made.task.close()


@pytest.mark.slow
def test_a_program_that_is_right_for_50_percent_is_not_trusted_and_then_hardly_asked(tmp_path: Path) -> None:
    made = DecidingWorld(tmp_path, 500, 0.5)
    made.settle(LEARNING + 30)
    assert made.program.decided == 0
    assert made.accuracy() == 1.0
    items = made.task.run(lambda transaction: wanted(transaction, PROGRAM)).items
    assert len(items) <= AUDITS
    assert all(one.item in made.task.task.fold.audits.kept for one in items), "it still shows if it gets better"
    made.task.close()
