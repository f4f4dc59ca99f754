"""Kills while people lease, vote, skip, flag, undo, correct and change settings, and programs guess.

Several votes settle a label, and some questions are gold items. Nothing is lost or done twice.
"""

import random
from collections import Counter
from decimal import Decimal

import pytest

import deciding_people
from askance.service.settings import from_json
from askance.service.state import journal, snapshots
from askance.service.store import open_store
from askance.service.task import Task
from busy_task import TASK, begin, finish, one_life
from deciding_people import PROGRAM, Decider
from stores import KINDS

KIND_OF = {
    "label": journal.LABEL,
    "skip": journal.SKIP,
    "flag": journal.FLAG,
    "undo": journal.UNDO,
    "correct": journal.CORRECTION,
}


def guessers(entry):
    """The programs whose guesses are in an entry."""
    if entry.kind == journal.GUESS:
        return [journal.read(entry).name]
    return journal.read(entry).all_guessers if entry.kind in (journal.ITEM, journal.QUESTION) else []


def survives(store, directory, kills, algorithm="PA-II"):
    """All that was acknowledged is in the journal, once; a rebuilt task is the same to the last bit."""
    task = TASK.format(algorithm)
    people = begin(store, directory, task)
    slowest = live(store, directory, task, people, kills)
    with open_store(store) as opened:
        entries = [entry for batch in opened.entries(1) for entry in batch]
        check_changes(people, entries, kills)
        fold = check_rebuilt(opened)
    check_money(fold, entries)
    return Counter(change.verb for person in people for change in person.done), slowest


def live(store, directory, task, people, kills):
    """Let people work, with kills; returns how long the slowest start took."""
    chance, slowest = random.Random(kills), 0.0
    for _ in range(kills):
        slowest = max(slowest, one_life(store, directory, task, people, chance.uniform(0.05, 0.6)))
    finish(store, directory, task, people)
    return slowest


def check_changes(people, entries, kills):
    """Each change that was acknowledged is in the journal, once, as it was sent."""
    done = [change for person in people for change in person.done]
    keys = Counter((entry.kind, entry.key) for entry in entries if entry.key is not None)
    assert max(keys.values(), default=0) <= 1
    for change in done:
        if change.verb in KIND_OF:
            assert keys[KIND_OF[change.verb], change.given["key"]] == 1, change
        elif change.verb == "decide":
            assert all(
                keys[journal.ITEM, item.id] + keys[journal.QUESTION, item.id] == 1
                for item in change.given["items"]
            )
        elif change.verb == "import_items":
            assert [keys[journal.GOLD, item.id] for item in change.given["items"]] == [1]
    changed = sum(change.verb == "change" for change in done)
    assert changed <= sum(entry.kind == journal.SETTINGS for entry in entries) <= changed + kills
    given = {(entry.kind, entry.key): (entry.who, journal.read(entry)) for entry in entries}
    for change in done:
        if change.verb == "label":
            who, body = given[journal.LABEL, change.given["key"]]
            assert (who, body.label) == (change.who, change.given["label"])
        for one in change.given["guesses"] if change.verb == "guess" else []:
            _, body = given[journal.GUESS, one["key"]]
            assert (body.name, body.guess.label) == (one["name"], one["label"])
            assert body.guess.confidence == one["confidence"]


def check_rebuilt(opened):
    """The store is sound, and a task that is rebuilt from the journal alone is the same. Returns its fold."""
    assert opened.check() == []
    settings = from_json(opened.tasks()[0].settings)
    restarted = snapshots.content(Task(opened, 1, settings).fold)
    opened.drop_snapshots(1, opened.snapshot_seqs(1))
    fold = Task(opened, 1, settings).fold
    assert snapshots.content(fold) == restarted
    return fold


def check_money(fold, entries):
    """All guesses are paid once, and as many labels as were given and are on lease."""
    money, names = fold.money, Counter(name for entry in entries for name in guessers(entry))
    assert money.spent == money.labels + Decimal("0.01") * names["first"] + Decimal("0.3") * names["second"]
    assert money.spent >= fold.counts.votes


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["PA-II", "auto"])
def test_nothing_is_lost_by_kills_while_everybody_works(tmp_path, algorithm):
    did, _ = survives(str(tmp_path / "a.db"), tmp_path, 3, algorithm)
    assert did, "what was done depends on how fast the machine is"


@pytest.mark.soak
@pytest.mark.parametrize("kind", KINDS)
def test_nor_by_many_of_them(kind, new_store_url, tmp_path):
    did, slowest = survives(new_store_url(kind), tmp_path, kills=200 if kind == "postgres" else 1000)
    print(f"{kind}: {dict(did)}, slowest start {slowest:.2f} s")


# ---------------------------------------------------------------------- programs decide


def decisions_survive(store, directory, kills, algorithm="PA-II"):
    """The same where a program decides items: each is decided once, with the label that somebody saw.

    Returns how many items the program had decided before the first kill, and afterwards.
    """
    task = deciding_people.TASK.format(algorithm)
    people = begin(store, directory, task, Decider)
    deciding_people.prime(store, directory, task, people)
    with open_store(store) as opened:
        before = opened.last(1)
    live(store, directory, task, people, kills)
    with open_store(store) as opened:
        entries = [entry for batch in opened.entries(1) for entry in batch]
        check_changes(people, entries, kills)
        fold = check_rebuilt(opened)
    check_money(fold, entries)
    assert fold.money.labels <= fold.counts.votes + len(fold.questions.open), (
        "programs decide without people's money"
    )
    decided = check_decisions(people[0], entries, fold)
    late = sum(entry.seq > before for entry in decided.values())
    return len(decided) - late, late


def check_decisions(admin, entries, fold):
    """Each item that a program decided was asked about for that, once, and no label of somebody else stands."""
    labels = [(entry, journal.read(entry)) for entry in entries if entry.kind == journal.LABEL]
    decided = {entry.item: entry for entry, body in labels if body.by_program}
    assert len(decided) == sum(body.by_program for _, body in labels), "an item was decided twice"
    standing = [(entry, body) for entry, body in labels if entry.seq not in fold.amendments.undone]
    by_people = {entry.item for entry, body in standing if not body.by_program}
    assert not by_people & set(decided)
    assert {entry.who for entry in decided.values()} == {PROGRAM}
    asked = {entry.seq: entry.item for entry in entries if entry.kind == journal.ASK and _for_programs(entry)}
    assert asked == {entry.seq - 1: item for item, entry in decided.items()}
    for item, label in admin.seen.items():
        assert journal.read(decided[item]).label == label, f"item {item} was seen with another label"
    corrected = {entry.item for entry in entries if entry.kind == journal.CORRECTION}
    (trust,) = fold.programs.trust([PROGRAM])
    assert trust.decided == fold.programs.items_decided == len(set(decided) - corrected)
    checks = {
        entry.item for entry in entries if entry.kind == journal.ASK and journal.read(entry).check is not None
    }
    assert trust.checked <= len(checks)
    return decided


def _for_programs(entry):
    return journal.read(entry).reason == "guesses"


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["PA-II", "auto"])
def test_nothing_is_decided_twice_or_lost_by_kills_while_a_program_decides(tmp_path, algorithm):
    before, after = decisions_survive(str(tmp_path / "a.db"), tmp_path, 3, algorithm)
    assert before > 0
    assert after > 0


@pytest.mark.soak
@pytest.mark.parametrize("kind", KINDS)
def test_nor_by_many_of_them_while_a_program_decides(kind, new_store_url, tmp_path):
    before, after = decisions_survive(new_store_url(kind), tmp_path, kills=200 if kind == "postgres" else 1000)
    assert after > before > 0
    print(f"{kind}: {after} items decided while it was killed")
