"""The review page: a lead decides about one item after the other, and what was decided stays decided."""

import json
import urllib.error
import urllib.request
from typing import Any

import pytest

from browser import Served, until

WIDE = {"width": 1440, "height": 900}
SHOWN = "#item[data-item][aria-busy=false]"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Any:
    served = Served(tmp_path_factory.mktemp("review"), guarded=True)
    served.tokens = {
        name: served.post("/api/tokens", {"name": name, "role": "labeller"})["token"] for name in ("ann", "bob")
    }
    yield served
    served.running.kill()


@pytest.fixture
def page(browser: Any, served: Any) -> Any:
    with browser.new_context(viewport=WIDE, base_url=served.address) as context:
        context.set_default_timeout(60_000)
        page = context.new_page()
        page.faults = []
        page.on("pageerror", lambda fault: page.faults.append(str(fault)))
        page.goto("/sign-in")
        page.get_by_label("Your token").fill(served.running.token)
        page.keyboard.press("Enter")
        page.wait_for_url("**/tasks")
        yield page
        assert page.faults == []


def sent(served: Any, task: Any, who: str, path: str, body: Any) -> Any:
    """The answer to a labeller's request."""
    headers = {"content-type": "application/json", "authorization": f"Bearer {served.tokens[who]}"}
    address = f"{served.address}/api/tasks/{task.name}/{path}"
    request = urllib.request.Request(address, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def disputed(served: Any, count: int = 3) -> Any:
    """A task of which two labellers disagree about every item."""
    task = served.task(labels={"per_item": 2})
    task.ask(count)
    for who, label in (("ann", "ham"), ("bob", "spam")):
        given = [{"item": item, "label": label} for item in range(1, count + 1)]
        sent(served, task, who, "labels", {"labels": given})
    return task


def shown(page: Any) -> int:
    page.locator(SHOWN).wait_for()
    return int(page.locator("#item").get_attribute("data-item"))


def labels_of(task: Any) -> dict[int, str]:
    return {one["item"]: one["label"] for one in task.labels()}


def test_one_key_decides_and_the_next_item_comes(served: Any, page: Any) -> None:
    task = disputed(served)
    page.goto(f"/tasks/{task.name}/review")
    assert shown(page) == 3, "the newest first"
    votes = page.locator("#given li").all_text_contents()
    assert [vote[:8].startswith(who) for vote, who in zip(votes, ("annham", "bobspam"), strict=True)] == [
        True,
        True,
    ]
    assert page.locator("#disagreements").text_content() == "3"
    page.keyboard.press("s")
    assert shown(page) == 2
    page.keyboard.press("ArrowRight")
    assert shown(page) == 1
    page.keyboard.press("h")
    page.get_by_role("heading", name="This is the end of the list").wait_for()
    until(page, lambda: labels_of(task) == {3: "spam", 1: "ham"})
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert shown(page) == 2
    page.keyboard.press("Enter")  # without a label, as it is
    assert shown(page) == 1
    assert "You decided: ham." in (page.locator("#decided").text_content() or "")
    page.keyboard.press("s")  # another decision about the same item: a correction
    until(page, lambda: labels_of(task) == {3: "spam", 1: "spam"})
    until(page, lambda: task.get("reviews")["cases"] == [])
    page.reload()
    page.get_by_role("heading", name="Nothing to review").wait_for()


def test_what_the_service_refuses_is_undecided_again(served: Any, page: Any) -> None:
    task = disputed(served, 2)
    page.goto(f"/tasks/{task.name}/review")
    assert shown(page) == 2
    task.post("reviews", {"item": 2, "label": "ham"})  # somebody else was faster, and decided otherwise
    page.keyboard.press("s")
    page.get_by_text("id-1 was not changed.").wait_for()
    page.locator("#previous-case").click()
    assert shown(page) == 2
    assert page.locator("#decided").is_hidden()


def test_only_admins_have_the_page(served: Any, browser: Any) -> None:
    task = disputed(served, 1)
    with browser.new_context(base_url=served.address) as context:
        page = context.new_page()
        page.goto("/sign-in")
        page.get_by_label("Your token").fill(served.tokens["ann"])
        page.keyboard.press("Enter")
        page.wait_for_url("**/tasks")
        answer = page.goto(f"/tasks/{task.name}/review")
        assert answer is not None
        assert answer.status == 403
        page.goto(f"/tasks/{task.name}")
        assert page.get_by_role("link", name="Review").count() == 0
    for body in ({"item": 1}, {"item": 1, "label": "ham"}):
        with pytest.raises(urllib.error.HTTPError, match="403"):
            sent(served, task, "ann", "reviews", body)


def test_flags_are_reviewed_with_their_notes(served: Any, page: Any) -> None:
    task = served.task()
    task.ask(2)
    sent(served, task, "ann", "labels", {"labels": [{"item": 1, "label": "ham"}]})
    sent(served, task, "ann", "flags", {"item": 1, "note": "The guideline does not say"})
    sent(served, task, "bob", "flags", {"item": 2})
    page.goto(f"/tasks/{task.name}/review")
    assert shown(page) == 2
    assert page.locator("#flags").text_content() == "2"
    page.keyboard.press("ArrowRight")
    assert shown(page) == 1
    assert "flagged: The guideline does not say" in (page.locator("#given").text_content() or "")
    with page.expect_response("**/reviews"):
        page.keyboard.press("Enter")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    with page.expect_response("**/reviews"):
        page.keyboard.press("s")
    until(page, lambda: not task.get("items?state=flagged")["items"])
    assert labels_of(task) == {1: "ham", 2: "spam"}


@pytest.mark.slow
def test_skips_have_reasons_and_nothing_overflows(served: Any, page: Any) -> None:
    task = served.task(classes=[f"class.{number}" for number in range(20)], labels={"skips": 1})
    task.ask(1, lambda number: "a very long text " * 400)
    sent(served, task, "ann", "skips", {"item": 1, "reason": "No class fits at all"})
    page.goto(f"/tasks/{task.name}/review")
    assert shown(page) == 1
    assert "skipped: No class fits at all" in (page.locator("#given").text_content() or "")
    for width in (390, 768, 1100, 1440, 1920):
        page.set_viewport_size({"width": width, "height": 900})
        wide = page.evaluate("() => document.documentElement.scrollWidth")
        assert wide <= width, width
    page.keyboard.type("19")
    page.keyboard.press("Enter")
    until(page, lambda: bool(labels_of(task)))


def test_a_decision_is_sent_until_the_service_responds(served: Any, page: Any) -> None:
    """If a response was lost, the page said that the item was not changed, although it was."""
    task = disputed(served, 2)
    page.goto(f"/tasks/{task.name}/review")
    assert shown(page) == 2
    lost = []

    def lose(route: Any) -> None:
        """The first request does not arrive, and the response to the second one is lost."""
        lost.append(route.request.post_data_json)
        if len(lost) == 2:
            route.fetch()
        route.abort("connectionreset") if len(lost) < 3 else route.continue_()

    page.route("**/reviews", lose)
    page.keyboard.press("s")
    assert shown(page) == 1
    page.get_by_text("1 answer is saved in this browser and will be sent").wait_for()
    page.locator("#banner").wait_for(state="hidden")
    assert lost == [{"item": 2, "label": "spam", "key": lost[0]["key"]}] * 3
    page.locator("#previous-case").click()
    assert shown(page) == 2
    assert "You decided: spam." in (page.locator("#decided").text_content() or "")
    assert page.locator("#notices .notice").count() == 0
    lost.clear()
    page.route("**/corrections", lose)
    page.keyboard.press("h")
    until(page, lambda: labels_of(task) == {2: "ham"})
    page.locator("#banner").wait_for(state="hidden")
    corrections = task.get("items/2")["corrections"]
    assert [one["label"] for one in corrections] == ["ham"]


def test_decisions_wait_for_the_next_session(served: Any, page: Any) -> None:
    """The page went to the sign-in page at the first refusal, and forgot the decisions after it."""
    task = disputed(served)
    page.goto(f"/tasks/{task.name}/review")
    assert shown(page) == 3
    page.context.clear_cookies()
    for key in ("s", "h", "s"):
        page.keyboard.press(key)
    page.get_by_text("You are signed out. 3 answers are saved in this browser.").wait_for()
    assert labels_of(task) == {}
    page.get_by_role("link", name="Sign in again").click()
    page.get_by_label("Your token").fill(served.running.token)
    page.keyboard.press("Enter")
    until(page, lambda: labels_of(task) == {3: "spam", 2: "ham", 1: "spam"})
    page.get_by_role("heading", name="Nothing to review").wait_for()


def test_the_queue_leaves_out_what_is_decided_and_not_sent(served: Any, page: Any) -> None:
    task = disputed(served)
    page.goto(f"/tasks/{task.name}/review")
    assert shown(page) == 3
    page.route("**/reviews", lambda route: route.abort() if route.request.method == "POST" else route.continue_())
    page.keyboard.press("s")
    page.get_by_text("1 answer is saved in this browser").wait_for()
    page.reload()
    assert shown(page) == 2
    assert page.locator("#disagreements").text_content() == "2"
    page.unroute("**/reviews")
    until(page, lambda: labels_of(task) == {3: "spam"})
    page.locator("#banner").wait_for(state="hidden")
