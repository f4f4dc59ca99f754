"""The pages in other languages: who chooses, what is loaded, and pages from right to left."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from axe import barriers, script
from browser import Served

PATIENCE = 60_000
PHONE = {"width": 390, "height": 844}
CUT = "all => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent)"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    served = Served(tmp_path_factory.mktemp("languages"), guarded=True)
    yield served
    served.running.kill()


@contextmanager
def reader(browser: Any, served: Served, locale: str, **more: Any) -> Iterator[Any]:
    """A page on the sign-in page, in a browser that prefers this language."""
    with browser.new_context(base_url=served.address, locale=locale, reduced_motion="reduce", **more) as context:
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.goto("/sign-in")
        yield page


def sign_in(page: Any, served: Served) -> None:
    page.locator("#token").fill(served.running.token)
    page.keyboard.press("Enter")
    page.wait_for_url("**/tasks")


def language(page: Any) -> str:
    return page.evaluate("() => [document.documentElement.lang, document.documentElement.dir].join(' ')")


def test_a_choice_before_the_sign_in_is_kept(browser: Any, served: Served) -> None:
    with reader(browser, served, "tlh") as page:
        assert language(page) == "en ltr"  # which every reader of an unknown language gets
        page.get_by_role("button", name="Language").click()
        page.get_by_role("dialog").get_by_role("button", name="Deutsch").click()
        page.get_by_role("heading", name="Anmelden").wait_for()
        sign_in(page, served)
        page.get_by_role("heading", name="Aufgaben", exact=True).wait_for()
        page.reload()
        assert language(page) == "de ltr"
        page.get_by_role("button", name="Sprache").click()
        page.get_by_role("dialog").get_by_role("button", name="English").click()
        page.get_by_role("heading", name="Tasks", exact=True).wait_for()


def test_a_page_loads_its_own_catalogue_only(browser: Any, served: Served) -> None:
    task = served.task()
    task.ask(20)  # each browser leases some
    for locale, catalogues in (("en-GB", []), ("fr-CA", ["fr.json"])):
        with reader(browser, served, locale) as page:
            sign_in(page, served)
            loaded: list[str] = []
            page.on("request", lambda request, loaded=loaded: loaded.append(request.url.rpartition("/")[2]))
            page.goto(f"/tasks/{task.name}/label")
            page.locator("#item[data-item][aria-busy=false]").wait_for()
            assert [name for name in loaded if name.endswith(".json")] == catalogues


def test_numbers_and_plurals_are_those_of_the_language(browser: Any, served: Served) -> None:
    words = """async (count) => {
      const { src } = document.querySelector("script[type=module]");
      const { t, locale } = await import(src.replace(/[^/]+$/, "language.js"));
      const message = { one: "{count} item selected", other: "{count} items selected" };
      return [t(message, { count }), new Intl.NumberFormat(locale).format(1234.5)];
    }"""
    said = {
        "en-GB": {1: "1 item selected", 2: "2 items selected"},
        "de-AT": {1: "1 Element ausgewählt"},
        "zh-CN": {1: "已选择 1 个条目"},
        "ar-EG": {2: "عنصران محددان", 3: "3 عناصر محددة", 11: "11 عنصرًا محددًا", 100: "100 عنصر محدد"},
    }
    numbers = {"en-GB": "1,234.5", "de-AT": "1\u00a0234,5", "zh-CN": "1,234.5", "ar-EG": "1,234.5"}
    for locale, forms in said.items():
        with reader(browser, served, locale) as page:
            sign_in(page, served)
            found = {count: page.evaluate(words, count) for count in forms}
            assert {count: text for count, (text, _) in found.items()} == forms
            assert {number for _, number in found.values()} == {numbers[locale]}  # always with the digits of forms


def test_without_its_catalogue_a_page_is_in_english(browser: Any, served: Served) -> None:
    served.task()
    with reader(browser, served, "es") as page:
        page.route("**/es.json", lambda route: route.abort())
        sign_in(page, served)
        page.get_by_role("heading", name="Tareas").wait_for()  # the service knows these words
        page.locator("#tasks section").first.wait_for()
        assert page.locator("#tasks dt").first.inner_text() == "Items"


@pytest.fixture(scope="module")
def arabic(browser: Any, served: Served) -> Iterator[Any]:
    """A signed-in phone of somebody who reads Arabic."""
    script()
    with reader(browser, served, "ar", viewport=PHONE) as page:
        sign_in(page, served)
        yield page


def test_pages_from_right_to_left(arabic: Any, served: Served) -> None:
    task = served.task(classes=["billing", "bug", "شكر"], interface={"guidance": "# Classes\nRead `twice`."})
    task.ask(8)
    task.post("labels", {"labels": [{"id": f"id-{number}", "label": "bug"} for number in range(3)]})
    for path, shown in (
        ("", "#pace svg"),
        ("/label", "#item[data-item][aria-busy=false]"),
        ("/items", "#items th"),
    ):
        arabic.goto(f"/tasks/{task.name}{path}")
        arabic.locator(shown).first.wait_for()
        assert language(arabic) == "ar rtl"
        assert arabic.evaluate("() => document.documentElement.scrollWidth <= innerWidth"), path
        assert arabic.locator("header nav").evaluate_all(CUT) == [], path
        for colours in ("light", "dark"):
            arabic.emulate_media(color_scheme=colours)
            assert barriers(arabic) == [], path
    link = arabic.locator(".brand").bounding_box()
    assert link["x"] > PHONE["width"] / 2


def test_arrows_follow_the_direction_of_reading(arabic: Any, served: Served) -> None:
    task = served.task()
    for decision in task.post("items", {"items": [{"text": "one"}, {"text": "two"}]})["decisions"]:
        task.post("skips", {"item": decision["item"], "reason": "No class fits"})
    arabic.goto(f"/tasks/{task.name}/review")
    first = arabic.locator("#item[data-item][aria-busy=false]").get_attribute("data-item")
    assert "لا توجد فئة مناسبة" in arabic.locator("#given").inner_text()
    arabic.keyboard.press("ArrowLeft")
    arabic.locator(f"#item[data-item]:not([data-item='{first}'])").wait_for()
    arabic.keyboard.press("ArrowRight")
    arabic.locator(f"#item[data-item='{first}']").wait_for()
