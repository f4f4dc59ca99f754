"""A run of the pages with faults, and what has to be true at its end."""

import asyncio
import json
import random
import time
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from playwright.async_api import Error, async_playwright

from askance.service.settings import from_json
from askance.service.state import journal, snapshots
from askance.service.store import open_store
from askance.service.store.entries import Entry
from askance.service.task import Task
from browser import ARGUMENTS, CHROMIUM, Served, ServedTask
from desk_people import CLASSES, Admin, Labeller, Lead, Person
from faulty_line import until
from needs import missing

NAME = "desk"
KIND_OF = {"label": journal.LABEL, "skip": journal.SKIP, "undo": journal.UNDO}
FINAL_REFUSALS = range(400, 500)
NOT_FINAL = (401, 403, 408, 429)


class Outcome(NamedTuple):
    """What is left of a run."""

    people: dict[str, Person]
    faults: Counter[str]
    shown: dict[str, Any]  # by the dashboard and the desks, at the end
    exported: list[dict[str, Any]]
    live: dict[str, Any]  # what the service said before it was killed for the last time


async def run(directory: Path, seconds: float, random_state: int) -> Outcome:
    """Let everybody work for a while, with faults, and then bring everything to an end."""
    if not CHROMIUM:
        missing("the tests of pages", "chromium")
    served = await asyncio.to_thread(Served, directory, guarded=True, own_process=True)
    try:
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
            people = await asyncio.to_thread(_people, served, random_state)
            for person in people.values():
                await person.enter(browser)
            faults = await _work(served, people, seconds, random.Random(random_state))
            for person in people.values():
                person.line.is_calm = True
                await _leave(person)
                faults.update(person.line.faults)
            outcome = await _look(people, faults)
            await browser.close()
        return outcome
    finally:
        await asyncio.to_thread(served.running.kill)


def _people(served: Served, random_state: int) -> dict[str, Person]:
    task = served.task(name=NAME, classes=list(CLASSES), labels={"per_item": 2, "lease_seconds": 20.0, "skips": 2})
    kinds = {"ann": Labeller, "bob": Labeller, "lead": Lead, "admin": Admin}
    people = {}
    for place, (name, kind) in enumerate(kinds.items()):
        token = served.running.token if kind is Admin else None
        role = "labeller" if kind is Labeller else "admin"
        token = token or served.post("/api/tokens", {"name": name, "role": role})["token"]
        people[name] = kind(name, token, task, random_state + place)
    return people


async def _work(served: Served, people: dict[str, Person], seconds: float, chance: random.Random) -> Counter[str]:
    over, faults = asyncio.Event(), Counter[str]()
    async with asyncio.TaskGroup() as group:
        for person in people.values():
            group.create_task(person.work(over))
        group.create_task(_disturb(served, people, over, chance, faults))
        await asyncio.sleep(seconds)
        over.set()
    return faults


async def _disturb(
    served: Served, people: dict[str, Person], over: asyncio.Event, chance: random.Random, faults: Counter[str]
) -> None:
    """Every few seconds something happens to somebody, or to everybody."""
    while not over.is_set():
        await asyncio.sleep(chance.uniform(1, 9))
        draw, person = chance.random(), chance.choice(list(people.values()))
        if draw < 0.4:
            await person.line.cut(person.context, chance.uniform(0.5, 6))
        elif draw < 0.55:
            await person.sign_out()
        else:
            faults["killed"] += 1
            await asyncio.to_thread(_kill, served, chance.uniform(0, 2))


def _kill(served: Served, pause: float) -> None:
    with served.killed():
        time.sleep(pause)


async def _leave(person: Person) -> None:
    """On a calm line nothing may fail twice: a page may still show what happened before."""
    try:
        await person.leave()
    except Error:
        await person.leave()


# ---------------------------------------------------------------------- what is shown at the end


async def _look(people: dict[str, Person], faults: Counter[str]) -> Outcome:
    admin = people["admin"]
    get = asyncio.to_thread
    figures = await get(admin.task.get, "figures")
    await admin.open("")
    await until(lambda: _has_counts(admin, figures), "the dashboard has other counts than the service")
    cards = await admin.page.locator(".figure").evaluate_all(
        "all => all.map((card) => [...card.children].map((part) => part.textContent))"
    )
    bars = await admin.page.locator("#classes .bar-row").evaluate_all(
        "all => all.map((row) => ['.bar-name', '.number'].map((part) => row.querySelector(part).textContent))"
    )
    desks = {}
    for name in ("ann", "bob"):
        page = people[name].page
        desks[name] = {
            "mine": await page.locator("#mine").text_content(),
            "past": await page.evaluate(PAST),
        }
    shown = {
        "cards": {name: [value, words] for name, value, words in cards},
        "classes": dict(bars),
        "desks": desks,
    }
    exported = await get(_exported, admin.task)
    live = {"figures": await get(admin.task.get, "figures"), "history": await get(admin.task.get, "history")}
    live["settings"] = (await get(admin.task.get, ""))["settings"]
    return Outcome(people, faults, shown, exported, live)


# What the tab remembers of its last answers, and shows.
PAST = """() => {
  const name = Object.keys(localStorage).find((key) => key.startsWith('askance:questions:'));
  const { past } = JSON.parse(localStorage.getItem(name));
  return past.map(({ kind, label, question }) => [kind, label ?? null, question.item]);
}"""


async def _has_counts(admin: Person, figures: dict[str, Any]) -> bool:
    words = await admin.page.locator("#figures").inner_text()
    has_classes = await admin.page.locator("#classes .bar-row").count() > 0  # they come with another response
    return has_classes and f"{figures['labelled']:,} of {figures['asked']:,} questions are answered" in words


def _exported(task: ServedTask) -> list[dict[str, Any]]:
    """All items with everything about them, as they are exported."""
    return task.lines("export/items?format=jsonl")


# ---------------------------------------------------------------------- what has to be true


def check(outcome: Outcome, store: Path) -> Counter[str]:
    """Compare the pages, the journal and the export; returns how much there was."""
    with open_store(str(store)) as opened:
        number, settings = next((one.id, from_json(one.settings)) for one in opened.tasks() if one.name == NAME)
        entries = [entry for batch in opened.entries(number) for entry in batch]
        did = _check_journal(outcome, entries) + _check_decisions(outcome, entries)
        _check_uploads(outcome, entries)
        assert opened.check() == []
        restarted = snapshots.content(Task(opened, number, settings).fold)
        opened.drop_snapshots(number, opened.snapshot_seqs(number))
        rebuilt = Task(opened, number, settings).fold
        assert snapshots.content(rebuilt) == restarted
        assert rebuilt.seq == outcome.live["figures"]["entries"]
    _check_counts(outcome)
    _check_desks(outcome, entries)
    for person in outcome.people.values():
        assert person.errors == []
    return did


def _check_journal(outcome: Outcome, entries: list[Entry]) -> Counter[str]:
    """Each answer that a desk took is in the journal once, or was refused, and nothing else is there."""
    did = Counter[str]()
    keys = Counter((entry.kind, entry.key) for entry in entries if entry.key is not None)
    assert max(keys.values()) == 1, [key for key, times in keys.items() if times > 1]
    by_key = {(entry.kind, entry.key): entry for entry in entries if entry.key is not None}
    texts = {line["item"]: line["text"] for line in outcome.exported}
    for name in ("ann", "bob"):
        person, wanted, stands = outcome.people[name], set(), set()
        refused, again = _responses(person)
        for note in person.noted:
            kind, body = KIND_OF[note["kind"]], note["body"]
            wanted.add((kind, body["key"]))
            entry = by_key.get((kind, body["key"]))
            if note["kind"] != "undo":
                assert (note["shown"], note["text"]) == (body["item"], texts[body["item"]]), note
            if entry is None and body["item"] in stands:
                did["withdrawn"] += 1
                continue
            if note["kind"] == "undo" and body["key"] in refused:
                stands.add(body["item"])  # what is answered in its place is not sent
            if entry is None:
                assert body["key"] in refused or body["key"] in again, f"lost: {note}"
                did["refused" if body["key"] in refused else "again"] += 1
                continue
            assert body["key"] not in refused, f"refused, but written: {note}"
            assert (entry.who, entry.item) == (name, body["item"]), note
            assert kind != journal.LABEL or journal.read(entry).label == body["label"], note
            did[note["kind"]] += 1
        written = {
            (entry.kind, entry.key) for entry in entries if entry.who == name and entry.kind in KIND_OF.values()
        }
        assert written <= wanted, written - wanted
    return did


def _responses(person: Person) -> tuple[set[str], set[str]]:
    """The keys of answers that the service refused for good, and of those that it had already in another way."""
    refused, again = set(), set()
    for one in person.line.exchanges:
        bodies = one.body["labels"] if one.path.endswith("/labels") else [one.body]
        key = bodies[0].get("key") if isinstance(bodies[0], dict) else None
        if key is None or one.status is None:
            continue
        if one.status in FINAL_REFUSALS and one.status not in NOT_FINAL and one.told:
            refused.add(key)
        said = one.content["labels"][0] if one.path.endswith("/labels") and one.status == 200 else one.content
        if one.status == 200 and said.get("again"):
            again.add(key)
    return refused, again


def _check_decisions(outcome: Outcome, entries: list[Entry]) -> Counter[str]:
    """Each decision that the review page took is in the journal once, or was refused, or changed nothing."""
    lead, did = outcome.people["lead"], Counter[str]()
    refused, again = _responses(lead)
    by_key = {entry.key: entry for entry in entries if entry.who == "lead" and _is_decision(entry)}
    for note in lead.noted:
        body = note["body"]
        assert note["shown"] == body["item"], note
        entry = by_key.get(body["key"])
        if entry is None:
            was = "refused" if body["key"] in refused else "again"
            assert body["key"] in refused | again, f"lost: {note}, of {_about(lead, body['item'])}"
            did[f"decision {was}"] += 1
            continue
        assert body["key"] not in refused, f"refused, but written: {note}"
        assert entry.item == body["item"], note
        assert entry.kind == journal.REVIEWED or journal.read(entry).label == body["label"], note
        did[note["kind"]] += 1
    wanted = {note["body"]["key"] for note in lead.noted}
    written = {key for key in by_key if key and "/" not in key} - wanted  # those with a slash are of groups
    assert not written, written
    return did


def _is_decision(entry: Entry) -> bool:
    if entry.kind == journal.LABEL:
        return bool(journal.read(entry).final)
    return entry.kind in (journal.CORRECTION, journal.REVIEWED)


def _check_uploads(outcome: Outcome, entries: list[Entry]) -> None:
    """Each row of each file is there once; the last guidelines that were saved are those of the task."""
    admin = outcome.people["admin"]
    assert isinstance(admin, Admin)
    items = [entry for entry in entries if entry.kind in journal.ITEMS]
    ids = Counter(entry.key for entry in items)
    texts = Counter(journal.read(entry).text for entry in items)
    for upload in admin.uploads:
        found = ids if upload.has_ids else texts
        wrong = {name: found[name] for name in upload.names if found[name] != 1}
        assert not wrong, f"rows of a file that are not there once: {wrong}"
    assert len(items) == sum(len(upload.names) for upload in admin.uploads)
    if admin.saved:
        guidance = outcome.live["settings"]["interface"]["guidance"]
        assert admin.saved[-1] == guidance or guidance not in admin.saved, (admin.saved[-1], guidance)


def _check_counts(outcome: Outcome) -> None:
    """The dashboard's counts are those of the export."""
    lines, cards, figures = outcome.exported, outcome.shown["cards"], outcome.live["figures"]
    votes = [vote for line in lines for vote in line["votes"] if not vote["undone"]]
    labelled = [line["label"] for line in lines if line["label"] is not None]
    asked = sum(line["decision"]["ask"] for line in lines)
    assert cards["Items"][0] == f"{len(lines):,}"
    assert cards["Labels"] == [f"{len(votes):,}", f"{len(labelled):,} of {asked:,} questions are answered"]
    assert outcome.shown["classes"] == {name: f"{labelled.count(name):,}" for name in CLASSES}
    people = {one["name"]: one["labels"] for one in outcome.live["history"]["labellers"]}
    given = Counter(vote["by"] for vote in votes)
    assert {name: number for name, number in people.items() if number} == dict(given)
    assert figures["corrected"] == sum(bool(line["corrections"]) for line in lines)


def _check_desks(outcome: Outcome, entries: list[Entry]) -> None:
    """A desk shows how many labels its labeller gave today, and the answers that stand."""
    standing = {
        name: {
            line["item"]: vote["label"]
            for line in outcome.exported
            for vote in line["votes"]
            if vote["by"] == name and not vote["undone"]
        }
        for name in ("ann", "bob")
    }
    for name, desk in outcome.shown["desks"].items():
        for kind, label, item in desk["past"]:
            if kind == "label":
                assert standing[name].get(item) == label, (name, item, label, standing[name].get(item))
        miscounted = _miscounted(outcome.people[name], standing[name])
        assert desk["mine"] == f"{len(standing[name]):,}", (name, desk["mine"], len(standing[name]), miscounted)


def _miscounted(person: Person, standing: dict[int, str]) -> list[Any]:
    """What was done with each item of which a desk counts another number of labels than there are."""
    done: dict[int, list[Any]] = {}
    count = Counter[int]()
    refused, again = _responses(person)
    for note in person.noted:
        item, key = note["body"].get("item"), note["body"].get("key")
        was = "refused" if key in refused else "again" if key in again else ""
        done.setdefault(item, []).append((note["kind"], note["body"].get("label"), was))
        change = {"label": 1, "undo": -1}.get(note["kind"], 0)
        count[item] += 0 if was == "refused" else change
    wrong = [item for item, number in count.items() if number != (item in standing)]
    return [(item, done[item], _about(person, item)) for item in wrong]


def _about(person: Person, item: int) -> list[Any]:
    """The requests of a person, and their results, in which an item appears."""
    return [
        (place, one.path.rpartition("/")[2], one.status, one.told, one.body)
        for place, one in enumerate(person.line.exchanges)
        if f'"item": {item},' in json.dumps([one.body, one.content]) + ","
    ]
