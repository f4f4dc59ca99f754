"""Images of items, for display only: addresses of hosts that the task allows, and images that come along."""

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from askance.service import messages
from askance.service.commands import items as item_commands
from askance.service.compaction import compact
from askance.service.connectors.events import EVENT_TYPES, EventMaker
from askance.service.errors import RequestError
from askance.service.settings import Interface, from_json
from askance.service.state import snapshots
from askance.service.store import open_store
from askance.service.store.copying import copy
from askance.service.store.entries import image_name
from askance.service.views import export
from payloads import PAYLOADS
from service_task import TaskRunner, settings
from service_world import World

ADDRESS = "https://images.example.org/a%20b.png?size=2&x='y'"
HOSTS = Interface(image_hosts=("images.example.org", "cdn.example.org:8443", "usual.example.org:443"))


@pytest.fixture
def runner(tmp_path: Path) -> Iterator[Any]:
    with TaskRunner(str(tmp_path / "a.db"), settings("PA-I", interface=HOSTS)) as runner:
        yield runner


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Any]:
    world = World(tmp_path / "a.db")
    yield world
    world.close()


def read(body: Any) -> messages.Item:
    return msgspec.convert(body, messages.Item)


def test_an_image_is_shown_and_exported_and_the_model_does_not_see_it(runner: Any) -> None:
    plain, shown = runner.decide("win a prize", read({"text": "win a prize", "image": ADDRESS}))
    assert (plain.score, plain.prediction) == (shown.score, shown.prediction)
    first, second = runner.lease(count=2).questions
    assert (first.image, second.image) == (None, ADDRESS)
    runner.label(second.item, "ham")
    assert runner.detail(second.item).image == ADDRESS
    (label,) = [one for batch in export.labels(runner.store, runner.task) for one in batch]
    (row,) = [one for batch in export.label_rows(runner.store, runner.task) for one in batch]
    decisions = [one for batch in export.decisions(runner.store, runner.task) for one in batch]
    assert label["image"] == row["image"] == decisions[1]["image"] == ADDRESS
    assert "image" not in decisions[0]
    before = runner.everything()
    runner.task.rebuild()
    assert runner.everything() == before
    assert snapshots.content(snapshots.unpack(snapshots.pack(before), runner.settings)) == before


def test_imported_items_have_images_too(runner: Any) -> None:
    item = messages.LabelledItem(text="hello", label="ham", image=ADDRESS)
    runner.run(lambda transaction: item_commands.import_items(transaction, [item], "sender"))
    assert runner.detail(1).image == ADDRESS


def test_compaction_drops_the_address(tmp_path: Path) -> None:
    made = settings("PA-I", interface=HOSTS, budget={"total": 0})
    with TaskRunner(str(tmp_path / "a.db"), made) as runner:
        runner.decide(read({"text": "one", "image": ADDRESS}))
        runner.clock.now += 100
        runner.decide("two")
        runner.clock.now += 100
        runner.task.settle()
        runner.store.add_snapshot(runner.task.number, 1, snapshots.pack(runner.everything()))
        compact(runner.task, 0.0, runner.clock.now + 1)
        assert runner.detail(1).image is None


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("https://elsewhere.test/a.png", "elsewhere.test"),
        ("https://images.example.org:8443/a.png", "images.example.org:8443"),
        ("https://cdn.example.org/a.png", "cdn.example.org"),
        ("https://images.example.org.elsewhere.test/a.png", "images.example.org.elsewhere.test"),
        ("https://evil-images.example.org/", "evil-images.example.org"),
    ],
)
def test_other_hosts_are_refused_with_a_remedy(runner: Any, address: str, host: str) -> None:
    item = read({"text": "hello", "image": address})
    with pytest.raises(RequestError, match=f"images of the host '{host}' are not allowed in this task: add it"):
        runner.decide(item)
    assert runner.task.fold.seq == 0


@pytest.mark.parametrize(
    "address",
    ["https://IMAGES.example.org/A.png", "https://cdn.example.org:8443/", "https://usual.example.org:443/x"],
)
def test_hosts_are_compared_as_browsers_do(runner: Any, address: str) -> None:
    assert runner.decide(read({"text": "hello", "image": address}))


@pytest.mark.parametrize(
    "address",
    [
        "http://images.example.org/a.png",
        "//images.example.org/a.png",
        "/a.png",
        "data:image/svg+xml,<svg onload=alert(1)>",
        "javascript:alert(1)",
        "https://images.example.org",
        "https://me@images.example.org/a.png",
        "https://elsewhere.test\\@images.example.org/a.png",
        "https://images.example.org/a b.png",
        "https://images.example.org/a.png\n",
        "https://images.example.org/" + "a" * 2000,
        *PAYLOADS[::20],
    ],
)
def test_what_is_no_https_address_is_refused(address: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        read({"text": "hello", "image": address})


@pytest.mark.parametrize(
    "host",
    [
        "*",
        "*.example.org",
        "https://images.example.org",
        "images.example.org/a",
        "Images.example.org",
        "'self'",
        "a; script-src *",
        "a b",
        "a.test\n",
        "data:",
        *PAYLOADS[::20],
    ],
)
def test_what_is_no_host_is_refused(host: str) -> None:
    made = {"name": "a", "classes": ["x", "y"], "interface": {"image_hosts": [host]}}
    with pytest.raises(ValueError, match="image_hosts"):
        from_json(msgspec.json.encode(made))


# ---------------------------------------------------------------------- images that come along

IMAGES = {
    "image/png": b"\x89PNG\r\n\x1a\n" + bytes(40),
    "image/jpeg": b"\xff\xd8\xff\xe0" + bytes(40),
    "image/gif": b"GIF89a" + bytes(40),
    "image/webp": b"RIFF\x24\0\0\0WEBPVP8 " + bytes(40),
}
PNG = IMAGES["image/png"]
TASK = "/api/tasks/spam"


def with_image(text: str, content: bytes, **more: Any) -> dict[str, Any]:
    return {"text": text, "image_data": base64.b64encode(content).decode(), **more}


@pytest.mark.parametrize("kind", IMAGES)
def test_an_image_that_comes_along_is_served_as_what_it_is(world: Any, kind: str) -> None:
    world.post(f"{TASK}/items", {"items": [with_image("a chair", IMAGES[kind])]})
    (question,) = world.post(f"{TASK}/leases", {}, "labeller")["questions"]
    assert question["image"] == world.call("GET", f"{TASK}/items/1").json()["image"] == f"{TASK}/items/1/image"
    answer = world.call("GET", question["image"], role="labeller")
    assert (answer.content, answer.headers["content-type"]) == (IMAGES[kind], kind)
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert "private" in answer.headers["cache-control"]


def test_an_image_needs_a_token_and_an_item_may_have_none(world: Any) -> None:
    world.post(f"{TASK}/items", {"items": [with_image("a chair", PNG), {"text": "nothing to see"}]})
    assert world.call("GET", f"{TASK}/items/1/image", role="nobody").status_code == 401
    for item in (2, 3):
        answer = world.call("GET", f"{TASK}/items/{item}/image")
        assert (answer.status_code, answer.headers["content-type"]) == (404, "application/json")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>", "not a PNG, JPEG, GIF or WebP file"),
        (b"<html><script>alert(1)</script>", "not a PNG, JPEG, GIF or WebP file"),
        (b" " + PNG, "not a PNG, JPEG, GIF or WebP file"),
        (PNG + bytes(500_000), "its image has 500,048 bytes: at most 500,000 are allowed"),
        (b"", "not a PNG, JPEG, GIF or WebP file"),
    ],
)
def test_what_is_no_image_or_too_large_is_refused(world: Any, content: bytes, said: str) -> None:
    body = {"items": [{"text": "fine"}, with_image("not", content)]}
    answer = world.call("POST", f"{TASK}/items", body)
    assert answer.status_code == 422
    assert answer.json()["error"]["message"].startswith("item 1 (from 0): ")
    assert said in answer.json()["error"]["message"]
    assert world.store.last(1) == 0
    both = {"items": [with_image("not", PNG, image=ADDRESS)]}
    assert "give one of the two" in world.call("POST", f"{TASK}/items", both).json()["error"]["message"]
    wrong = {"items": [{"text": "not", "image_data": "%%%"}]}
    assert world.call("POST", f"{TASK}/items", wrong).status_code == 422


def test_images_are_kept_with_their_items_copied_checked_and_compacted(store_url: str, tmp_path: Path) -> None:
    made = settings("PA-I", budget={"total": 1})
    shared, own = PNG, IMAGES["image/gif"]
    with TaskRunner(store_url, made) as runner:
        item = {"text": "one", "image_data": shared}
        runner.decide(messages.Item(**item, id="a"), messages.Item(text="two", image_data=own))
        runner.decide(messages.Item(**item, id="a"))  # again
        number = runner.task.number
        names = [image_name(content) for content in (shared, own)]
        assert [runner.store.image(number, name) for name in names] == [shared, own]
        assert [one.image for one in map(runner.detail, (1, 2))] == [
            f"{TASK}/items/{item}/image" for item in (1, 2)
        ]
        assert runner.store.check() == []
        copy(runner.store, str(tmp_path / "copy.db"))
        with open_store(str(tmp_path / "copy.db")) as copied:
            assert [copied.image(number, name) for name in names] == [shared, own]
            with copied.writing() as connection:
                connection.run("UPDATE images SET content = ? WHERE name = ?", (own[:-1], names[1]))
            assert copied.check() == ["task 1: 1 images do not match their checksums"]
        runner.clock.now += 100
        runner.decide(messages.Item(text="three", image_data=own))
        runner.clock.now += 100
        runner.task.rebuild()
        compact(runner.task, 0.0, runner.clock.now + 1)
        assert runner.detail(2).image is None
        assert runner.detail(1).image, "the first was asked about"
        assert runner.store.image(number, names[0]) == shared
        kept = runner.detail(3).image is not None
        assert (runner.store.image(number, names[1]) is not None) == kept, "as long as an item has it"


def test_events_and_exports_have_the_address(tmp_path: Path) -> None:
    with TaskRunner(str(tmp_path / "a.db"), settings("PA-I")) as runner:
        runner.decide(messages.Item(text="one", image_data=PNG))
        entries = [entry for batch in runner.store.entries(runner.task.number) for entry in batch]
        ((_, (event,)),) = EventMaker(runner.store, runner.task.number, runner.settings).events(
            entries, EVENT_TYPES
        )
        (decision,) = [one for batch in export.decisions(runner.store, runner.task) for one in batch]
        assert event.data["image"] == decision["image"] == f"{TASK}/items/1/image"
