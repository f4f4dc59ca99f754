"""What pages load."""

import re

import pytest

from askance.service.auth.rights import Person
from askance.service.web.assets import ADDRESS, ASSETS
from askance.service.web.rendering import HEADERS
from askance.service.web.table import PAGES
from paths import ROOT
from service_world import World, address, items

FIRST_VIEW = 60_000  # bytes, with headers


@pytest.fixture
def world(tmp_path):
    world = World(tmp_path / "a.db")
    yield world
    world.close()


def test_all_that_any_page_loads_is_small():
    assert sum(len(asset.packed) for asset in ASSETS.values()) < 100_000


def test_the_values_of_the_style_are_documented():
    page = (ROOT / "docs" / "explanation" / "looks.md").read_text("utf-8")
    style = ASSETS["askance.css"].content.decode()
    values = set(re.findall(r"^  (--[a-z0-9-]+):", style[: style.index("}")], re.MULTILINE))
    named = set(re.findall(r"`(--[a-z0-9-]+)`", page)) - {"--tone"}  # of classes, in the style of the desk
    assert values - {f"--gap-{number}" for number in range(2, 6)} == named


def test_the_first_view_of_every_page_is_small(world) -> None:
    world.post("/api/tasks/spam/items", items("a text"))
    asset_head = head(world.client.get(f"{ADDRESS}/askance.css"))
    secret, _ = world.service.sessions.begin(Person("admin", "admin"), "a browser")
    for route in (route for route in PAGES if route.method == "GET" and route.roles is not None):
        page = world.client.get(address(route), headers={"cookie": f"askance_session={secret}"})
        assert page.status_code == 200, route.path
        loaded = all_loaded(re.findall(rf"{ADDRESS}/([\w.-]+)", page.text))
        assert len(loaded) > 5, route.path
        size = sum(asset_head + len(ASSETS[name].packed) for name in loaded)
        assert head(page) + len(page.content) + size < FIRST_VIEW, route.path


def test_the_labelling_page_loads_what_few_need_later(world) -> None:
    page = world.call("GET", "/tasks/spam/label").text
    loaded = all_loaded(re.findall(rf"{ADDRESS}/([\w.-]+)", page))
    assert not loaded & {"markdown.js", "offer.js", "clipboard.js"}
    assert all(f"/{name}" in page for name in loaded), (
        "and names all the rest, so that nothing waits for an import"
    )


def all_loaded(names):
    """These files, and the modules that they import."""
    found, left = set(), list(names)
    while left:
        found.add(name := left.pop())
        imported = re.findall(r'^import .* from "\./(.+)";$', ASSETS[name].content.decode(), re.MULTILINE)
        left.extend(set(imported) - found)
    return found


def head(answer):
    """The bytes of the headers."""
    return sum(len(name) + len(value) + 4 for name, value in answer.headers.raw)


def test_what_pages_load_has_no_policy_of_its_own(world) -> None:
    for name in ("dom.js", "askance.css", "askance.svg", "de.json"):
        answer = world.client.get(f"{ADDRESS}/{name}")
        assert answer.headers.keys() & HEADERS.keys() == {"cache-control", "x-content-type-options"}
        assert answer.headers["cache-control"].endswith("immutable")
        assert answer.headers["x-content-type-options"] == "nosniff"
    lost = world.client.get(f"{ADDRESS}/lost.js")
    assert (lost.status_code, {name: lost.headers[name] for name in HEADERS}) == (404, HEADERS)
