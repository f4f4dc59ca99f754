"""The form of a task with prices, and with programs that decide."""

from collections.abc import Iterator
from typing import Any

import pytest

from askance.service.client import Client
from askance.service.prices import Oracles
from askance.service.web.languages import Words
from browser import Served

PRICES = {"oracles_budget": "300", "oracles_people": "1.5", "oracles_guesses": "gpt-4o = 0.01\nanother one = 0"}


@pytest.fixture(scope="module")
def served(tmp_path_factory: Any) -> Iterator[Served]:
    served = Served(tmp_path_factory.mktemp("prices"))
    yield served
    served.running.kill()


@pytest.fixture
def page(served: Served, browser: Any) -> Iterator[Any]:
    faults: list[str] = []
    context = browser.new_context(base_url=served.address)
    context.set_default_timeout(20_000)
    context.on("weberror", lambda fault: faults.append(str(fault.error)))
    yield context.new_page()
    context.close()
    assert faults == []


def fill(page: Any, name: str, fields: dict[str, str]) -> None:
    page.goto("/new-task")
    page.fill("#name", name)
    page.fill("#classes", "ham\nspam")
    page.locator("#more-settings").evaluate("fold => fold.open = true")
    for field, given in fields.items():
        page.fill(f"#{field}", given)


def test_a_task_gets_prices_and_programs_that_decide(served: Served, page: Any) -> None:
    fill(page, "paid", PRICES | {"oracles_enough": "95", "oracles_check": "20"})
    page.get_by_role("button", name="Create the task").click()
    page.wait_for_url("**/tasks/paid/upload")
    with Client(served.address, task="paid") as client:
        wanted = Oracles(300.0, 1.5, {"gpt-4o": 0.01, "another one": 0.0}, 0.95, 0.2)
        assert client.task_detail().settings.oracles == wanted
        page.goto("/tasks/paid/settings")
        page.wait_for_function("() => document.getElementById('oracles_enough')?.value === '95'")
        shown = {name: page.input_value(f"#{name}") for name in (*PRICES, "oracles_check")}
        assert shown == PRICES | {"oracles_check": "20"}
        page.get_by_label("Budget of money").fill("400.25")
        page.get_by_label("Programs decide from this probability (%)").fill("")
        page.get_by_role("button", name="Save changes").click()
        page.get_by_text("Saved.").wait_for()
        found = client.task_detail().settings.oracles
    assert (found.budget, found.people, found.enough) == (400.25, 1.5, None)


def test_a_task_without_prices_has_none(served: Served, page: Any) -> None:
    fill(page, "free", {})
    page.get_by_role("button", name="Create the task").click()
    page.wait_for_url("**/tasks/free/upload")
    page.goto("/tasks/free/settings")
    page.get_by_role("button", name="Save changes").click()
    page.get_by_text("Saved.").wait_for()
    with Client(served.address, task="free") as client:
        assert client.task_detail().settings.oracles == Oracles()


WRONG = [
    ({"oracles_budget": "9"}, "oracles_budget", "A budget of money needs prices: give labels or guesses one."),
    (
        {"oracles_people": "1", "oracles_enough": "95"},
        "oracles_enough",
        "Programs decide only if labels and guesses have prices: give both one.",
    ),
    (
        {"oracles_guesses": "gpt-4o = a cent"},
        "oracles_guesses",
        "“{line}”: the price must be a number from 0 on.",
    ),
    ({"oracles_guesses": "gpt-4o"}, "oracles_guesses", "“{line}” has no equals sign: write name = value."),
]


@pytest.mark.parametrize(("fields", "field", "words"), WRONG)
@pytest.mark.parametrize("language", ["en", pytest.param("de", marks=pytest.mark.slow)])
def test_the_form_says_what_is_wrong_in_its_language(
    page: Any, language: str, fields: dict[str, str], field: str, words: str
) -> None:
    page.context.set_extra_http_headers({"Accept-Language": language})
    fill(page, "wrong", fields)
    page.locator("#task-form .actions button").click()
    said = page.locator("#wrong")
    said.wait_for()
    assert said.inner_text() == str(Words(language)(words, line=fields.get("oracles_guesses", "")))
    assert page.locator(f"#{field}").get_attribute("aria-invalid") == "true"
    assert page.evaluate("document.activeElement.id") == field


@pytest.mark.parametrize(
    ("fields", "field", "words"),
    [
        ({"oracles_enough": "40"}, "oracles_enough", "Programs decide from this probability (%): at least 50.01."),
        ({"enough": "40"}, "enough", "Probability that is enough (%): at least 50.01."),
        ({"oracles_check": "60"}, "oracles_check", "Decisions of programs to check (%): at most 50."),
        ({"oracles_people": "1e-13"}, "oracles_people", "Oracles.people: 1e-13 has more than 12 digits"),
        ({"oracles_guesses": "people = 1"}, "oracles_guesses", "a program cannot be called"),
    ],
)
def test_limits_and_errors_of_the_service_are_shown_at_their_field(
    page: Any, fields: dict[str, str], field: str, words: str
) -> None:
    fill(page, "wrong", fields)
    page.get_by_role("button", name="Create the task").click()
    said = page.locator("#wrong")
    said.wait_for()
    assert words in said.inner_text()
    assert page.evaluate("document.activeElement.id") == field


def test_programs_decide_only_where_questions_are_chosen_on_lease(page: Any) -> None:
    fill(page, "wrong", PRICES | {"oracles_enough": "95"})
    page.locator("#task-form details details").evaluate("fold => fold.open = true")
    page.select_option("#chosen", "arrival")
    page.get_by_role("button", name="Create the task").click()
    said = page.locator("#wrong")
    said.wait_for()
    assert (
        said.inner_text() == "Programs decide only if questions are chosen when somebody labels: leave this empty."
    )
    assert page.evaluate("document.activeElement.id") == "oracles_enough"
