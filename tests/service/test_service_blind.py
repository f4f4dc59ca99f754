"""What a labeller sees of others before voting: nothing, by whichever way."""

from collections.abc import Iterator
from typing import Any

import pytest

from service_world import World, items

TASK = "/api/tasks/votes"  # three votes per item
# What others say of an item, and what is computed from that.
OF_OTHERS = ("votes", "corrections", "skips", "flags", "agreement", "label_probability", "guesses")


@pytest.fixture
def world(tmp_path: Any) -> Iterator[World]:
    found = World(tmp_path / "a.db")
    for name in ("ann", "bob", "cem"):
        found.tokens[name] = found.service.tokens.create(name, "labeller").token
    yield found
    found.close()


def get(world: World, path: str, role: str) -> Any:
    answer = world.call("GET", f"{TASK}{path}", role=role)
    assert answer.status_code == 200, answer.text
    return answer.json()


def label(world: World, item: int, given: str, *people: str) -> None:
    for who in people:
        world.post(f"{TASK}/labels", {"labels": [{"item": item, "label": given}]}, who)


def disputed(world: World) -> int:
    """An item with a guess, a vote, an undone vote, a skip and a flag of others."""
    guess = {"gpt-4o": {"label": "yes", "confidence": 0.9}}
    sent = {"items": [{"text": "win a prize", "guesses": guess}]}
    item: int = world.post(f"{TASK}/items", sent)["decisions"][0]["item"]
    label(world, item, "yes", "ann")
    label(world, item, "no", "labeller")
    world.post(f"{TASK}/undo", {"item": item}, "labeller")
    world.post(f"{TASK}/flags", {"item": item, "note": "surely yes"}, "ann")
    world.post(f"{TASK}/skips", {"item": item, "reason": "not sure that it is yes"}, "labeller")
    return item


def shown(detail: Any) -> dict[str, Any]:
    return {name: detail[name] for name in OF_OTHERS if detail[name]}


def test_who_has_not_voted_sees_nothing_of_others(world: World) -> None:
    item = disputed(world)
    later = world.post(f"{TASK}/items", items("win a prize now"))["decisions"][0]["item"]
    found = get(world, f"/items/{item}", "bob")
    assert (shown(found), found["blind"], found["text"]) == ({}, True, "win a prize")
    for path in ("/items", "/items?search=prize", "/items?state=asked"):
        listed = [one for one in get(world, path, "bob")["items"] if one["item"] == item]
        assert [(shown(one), one["blind"]) for one in listed] == [({}, True)], path
    similar = get(world, f"/items/{later}/similar", "bob")["items"]
    assert [shown(one["item"]) for one in similar if one["item"]["item"] == item] == [{}]


def test_what_somebody_did_themselves_is_shown(world: World) -> None:
    item = disputed(world)
    found = get(world, f"/items/{item}", "labeller")
    assert [(one["by"], one["undone"]) for one in found["votes"]] == [("labeller", True)]
    assert [one["by"] for one in found["skips"]] == ["labeller"]
    assert (found["flags"], found["blind"]) == ([], True)
    world.post(f"{TASK}/flags", {"item": item, "note": "mine"}, "bob")
    assert [one["note"] for one in get(world, f"/items/{item}", "bob")["flags"]] == ["mine"]


def test_others_are_shown_after_the_vote_and_to_other_roles(world: World) -> None:
    item = disputed(world)
    for role in ("admin", "read", "ingest"):
        found = get(world, f"/items/{item}", role)
        assert (len(found["votes"]), found["blind"], bool(found["guesses"])) == (2, False, True), role
    label(world, item, "no", "bob")
    found = get(world, f"/items/{item}", "bob")
    assert ([one["by"] for one in found["votes"]], found["blind"]) == (["ann", "labeller", "bob"], False)
    world.post(f"{TASK}/undo", {"item": item}, "bob")
    assert get(world, f"/items/{item}", "bob")["blind"]


def test_a_settled_label_is_shown_to_everybody(world: World) -> None:
    item = disputed(world)
    label(world, item, "yes", "bob", "cem")
    found = get(world, f"/items/{item}", "labeller")
    assert (found["label"], len(found["votes"]), found["blind"]) == ("yes", 4, False)


def test_filters_do_not_tell_who_voted_and_whether_they_disagree(world: World) -> None:
    item = disputed(world)
    other = world.post(f"{TASK}/items", items("see you"))["decisions"][0]["item"]
    for each in (item, other):
        label(world, each, "no", "cem")
    label(world, other, "yes", "bob")
    for query, seen in (("labeller=cem", [other]), ("state=disagreement", [other])):
        found = get(world, f"/items?{query}", "bob")
        assert ([one["item"] for one in found["items"]], found["total"]) == (seen, len(seen)), query
        assert get(world, f"/items/{other}/neighbours?{query}", "bob") == {"previous": None, "next": None}
        assert len(get(world, f"/items?{query}", "admin")["items"]) == 2, query


def test_filters_tell_what_somebody_flagged_or_skipped_only_to_them(world: World) -> None:
    item = disputed(world)
    for state, owner in (("flagged", "ann"), ("skipped", "labeller")):
        for role, seen in ((owner, [item]), ("bob", []), ("admin", [item])):
            listed = get(world, f"/items?state={state}", role)
            assert ([one["item"] for one in listed["items"]], listed["total"]) == (seen, len(seen)), (state, role)
    world.post(f"{TASK}/flags", {"item": item}, "bob")
    assert get(world, "/items?state=flagged", "bob")["total"] == 1
    label(world, item, "no", "cem")
    assert get(world, "/items?state=skipped", "cem")["total"] == 1, "who has voted sees it all"


def test_events_do_not_tell_the_label_of_an_item_that_is_open_again(world: World) -> None:
    item = disputed(world)
    label(world, item, "yes", "bob", "cem")
    world.post(f"{TASK}/undo", {"item": item}, "cem")

    def labels(role: str) -> list[Any]:
        return [one["data"].get("label") for one in get(world, "/changes", role)["changes"]]

    assert "yes" in labels("admin")
    assert "yes" not in labels("labeller")
    assert "yes" in labels("bob"), "who has voted on it"


def test_a_gold_item_looks_like_others_by_its_number(world: World) -> None:
    gold = {"items": [{"text": "gold", "label": "yes", "gold": True, "source": "expert"}]}
    world.post(f"{TASK}/import", gold)
    world.post(f"{TASK}/items", items("other"))
    label(world, 1, "yes", "ann")
    label(world, 2, "yes", "ann")
    for who in ("bob", "ann"):  # before the vote, and after it
        one, other = (get(world, f"/items/{item}", who) for item in (1, 2))
        assert [type(value) for value in one.values()] == [type(value) for value in other.values()], who
        same = ("state", "label", "reason", "ask_probability", "blind", "provenance")
        assert [one[name] for name in same] == [other[name] for name in same]
        assert [vote["by"] for vote in one["votes"]] == ([] if who == "bob" else ["ann"])
    label(world, 1, "no", "bob")
    assert [vote["by"] for vote in get(world, "/items/1", "bob")["votes"]] == ["bob"], "never those of others"
    assert len(get(world, "/items/1", "admin")["votes"]) == 2


def test_a_gold_label_is_never_shown_as_the_prediction(world: World) -> None:
    for text, given in (("one", "yes"), ("two", "no")):
        world.post(f"{TASK}/import", {"items": [{"text": text, "label": given, "gold": True}]})
    fold = world.service.writers["votes"].task.fold
    assert {question.prediction for question in fold.gold.questions.values()} == {"no"}, "the first class"
