"""A decision of a lead that is sent again after something else happened."""

from typing import Any

from service_world import World, items


def test_a_decision_that_is_sent_again_confirms_nothing_new(tmp_path: Any) -> None:
    world = World(tmp_path / "store.db")
    task = "/api/tasks/spam"
    item = world.post(f"{task}/items", items("win cash"))["decisions"][0]["item"]
    world.post(f"{task}/skips", {"item": item}, "labeller")
    wish = {"item": item, "key": "one"}
    assert not world.post(f"{task}/reviews", wish)["again"]
    world.post(f"{task}/labels", {"labels": [{"item": item, "label": "ham"}]})
    assert world.post(f"{task}/reviews", wish)["again"]
    assert world.post(f"{task}/reviews", {"item": item})["again"] is False, "the label was not confirmed yet"
    world.close()
