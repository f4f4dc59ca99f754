"""Kills while people lease, vote, skip, flag, undo, correct and change settings, and programs guess.

Several votes settle a label, and some questions are gold items. Nothing is lost or done twice.
"""

import random
from collections import Counter
from decimal import Decimal

import pytest

from askance.service.settings import from_json
from askance.service.state import journal, snapshots
from askance.service.store import open_store
from askance.service.task import Task
from busy_task import TASK, begin, finish, one_life
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
    people, chance, slowest = begin(store, directory, task), random.Random(kills), 0.0
    for _ in range(kills):
        slowest = max(slowest, one_life(store, directory, task, people, chance.uniform(0.05, 0.6)))
    finish(store, directory, task, people)
    done = [change for person in people for change in person.done]
    with open_store(store) as opened:
        entries = [entry for batch in opened.entries(1) for entry in batch]
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
            elif change.verb == "guess":
                (one,) = change.given["guesses"]
                _, body = given[journal.GUESS, one["key"]]
                assert (body.name, body.guess.label) == (one["name"], one["label"])
                assert body.guess.confidence == one["confidence"]
        assert opened.check() == []
        settings = from_json(opened.tasks()[0].settings)
        fold = Task(opened, 1, settings).fold
        restarted, money = snapshots.content(fold), fold.money
        names = Counter(name for entry in entries for name in guessers(entry))
        assert money.spent == money.labels + Decimal("0.01") * names["first"] + Decimal("0.3") * names["second"]
        assert money.spent >= fold.counts.votes
        opened.drop_snapshots(1, opened.snapshot_seqs(1))
        assert snapshots.content(Task(opened, 1, settings).fold) == restarted
    return Counter(change.verb for change in done), slowest


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
