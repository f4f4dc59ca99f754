"""Images of items: an https address of a host that the task allows, for display only."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from askance.service import messages
from askance.service.commands import items as item_commands
from askance.service.compaction import compact
from askance.service.errors import RequestError
from askance.service.settings import Interface, from_json
from askance.service.state import snapshots
from askance.service.views import export
from payloads import PAYLOADS
from service_task import TaskRunner, settings

ADDRESS = "https://images.example.org/a%20b.png?size=2&x='y'"
HOSTS = Interface(image_hosts=("images.example.org", "cdn.example.org:8443", "usual.example.org:443"))


@pytest.fixture
def runner(tmp_path: Path) -> Iterator[Any]:
    with TaskRunner(str(tmp_path / "a.db"), settings("PA-I", interface=HOSTS)) as runner:
        yield runner


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
