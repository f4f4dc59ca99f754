"""The labelling desk in a browser: whatever keyboards, tabs, lines and services do, an answer counts once."""

from collections import Counter

import pytest

from askance.service.client import Client
from browser import Served, until
from labelling_tab import Tab, standing

HELD_DOWN = [("2", 1), ("s", 1), ("Space", 0)]  # and the labels that they give
REPEATS = 20  # of a key that is held down, about as many as in a second


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    served = Served(tmp_path_factory.mktemp("pages"), own_process=True)
    yield served
    served.running.kill()


@pytest.fixture
def context(browser):
    context = browser.new_context()
    yield context
    context.close()


@pytest.mark.slow
def test_keyboard_loop_with_undo_and_skip(served, context, capsys):
    task = served.task()
    task.ask(22)
    tab = Tab(context, task)
    tab.page.evaluate(KEY_TO_PAINT)
    given = {}
    for number in range(20):
        tab.ready()
        given[tab.item] = "spam" if number % 3 else "ham"
        tab.press("2" if number % 3 else "1")
    tab.ready()
    skipped = tab.item
    tab.press("Space")
    tab.ready()
    item = tab.item
    tab.press("1")
    tab.wait_for_end("You're done here")
    tab.page.keyboard.press("u")
    tab.ready()
    assert tab.item == item
    tab.press("2")
    tab.wait_for_end("You're done here")
    tab.until_sent()
    assert standing(task) == given | {item: "spam"}
    assert skipped not in given
    undone = next(line for line in task.labels() if line["item"] == item)["votes"]
    assert [(vote["label"], vote["undone"]) for vote in undone] == [("ham", True), ("spam", False)]
    took = sorted(tab.page.evaluate("() => window.took"))
    with capsys.disabled():
        print(f" key to paint: median {took[len(took) // 2]:.0f} ms, longest {took[-1]:.0f} ms of {len(took)}")
    assert not tab.faults


# From the key to the frame after the next item is in the document.
KEY_TO_PAINT = """() => {
  window.took = [];
  document.addEventListener("keydown", (event) => {
    const item = document.getElementById("item");
    const before = item.dataset.item;
    const begin = performance.now();
    const look = () => requestAnimationFrame(() => {
      if (item.dataset.item === before) return item.hidden ? undefined : look();
      setTimeout(() => window.took.push(performance.now() - begin));
    });
    if ("12".includes(event.key)) look();
  }, { capture: true });
}"""


@pytest.mark.slow
@pytest.mark.parametrize(("key", "labels"), HELD_DOWN)
def test_a_key_held_down_counts_once(served, context, key, labels):
    task = served.task()
    task.ask(6)
    tab = Tab(context, task)
    tab.hold(key, REPEATS)
    tab.press("1")
    tab.until_sent()
    assert Counter(standing(task).values()) == Counter({"ham": 1, "spam": labels})
    assert len(tab.state()["past"]) == 2
    assert tab.page.locator("#mine").text_content() == str(labels + 1)
    assert not tab.faults


@pytest.mark.slow
def test_refresh_back_button_and_two_tabs(served, context):
    task = served.task()
    task.ask(12)
    one = Tab(context, task)
    one.press("1")
    one.ready()
    item = one.item
    one.page.reload()
    one.ready()
    assert one.item == item, "a refresh goes on with the same question"
    one.page.keyboard.press("u")
    one.ready()
    one.press("2")
    one.ready()
    one.page.goto(f"{served.address}/tasks")
    one.page.go_back()
    one.ready()
    assert one.item == item
    other = Tab(context, task)
    other.ready()
    assert other.item != one.item
    pressed = 1
    while pressed < 12:
        for tab in (one, other):
            if tab.item:
                tab.press("2")
                pressed += 1
    for tab in (one, other):
        tab.wait_for_end("All caught up")
        tab.until_sent()
    assert list(standing(task).values()) == ["spam"] * 12
    assert not one.faults + other.faults


@pytest.mark.slow
def test_offline_answers_are_kept_and_sent_in_order(served, context):
    go_offline(served, context, 0.5)


@pytest.mark.soak
def test_offline_for_a_minute(served, context):
    go_offline(served, context, 60.0)


def go_offline(served, context, seconds):
    task = served.task()
    task.ask(8)
    tab = Tab(context, task)
    tab.ready()
    assert len(tab.state()["queue"]) > 3
    context.set_offline(True)
    given = {}
    for key, label in (("1", "ham"), ("2", "spam")):
        tab.ready()
        given[tab.item] = label
        tab.press(key)
    tab.ready()
    item = tab.item
    tab.press("1")
    tab.ready()
    tab.page.keyboard.press("u")
    tab.ready()
    assert tab.item == item
    given[item] = "spam"
    tab.press("2")
    tab.page.wait_for_selector("#banner:not([hidden])")
    assert "5 answers are saved in this browser" in tab.page.locator("#banner").text_content()
    tab.page.wait_for_timeout(1000 * seconds)
    assert task.labels() == []
    assert tab.kept() == 5
    context.set_offline(False)
    tab.until_sent()
    assert standing(task) == given
    tab.page.wait_for_selector("#banner", state="hidden")
    while len(given) < 8:
        tab.ready()
        given[tab.item] = "ham"
        tab.press("1")
    tab.until_sent()
    assert standing(task) == given
    assert not tab.faults


@pytest.mark.slow
def test_the_service_is_killed_and_started_again(served, context):
    task = served.task()
    task.ask(12)
    tab = Tab(context, task)
    for _ in range(4):
        tab.press("1")
    tab.until_in_hand(3)
    with served.killed():
        for _ in range(2):
            tab.press("2")
        tab.page.wait_for_selector("#banner:not([hidden])")
    tab.until_sent()
    for _ in range(6):
        tab.press("2")
    tab.until_sent()
    assert Counter(standing(task).values()) == {"ham": 4, "spam": 8}
    assert sum(len(line["votes"]) for line in task.labels()) == 12
    assert not tab.faults


@pytest.mark.slow
def test_a_lease_that_ran_out_is_had_anew_or_left_to_others(served, context):
    task = served.task(labels={"lease_seconds": 0.6})
    task.ask(6)
    tab = Tab(context, task)
    tab.ready()
    mine = tab.item
    tab.page.wait_for_timeout(800)
    tab.page.keyboard.press("1")  # the lease is over, and nobody else has the item
    tab.until_sent()
    assert standing(task) == {mine: "ham"}
    tab.page.wait_for_timeout(800)
    tab.ready()
    taken = tab.item
    task.post("labels", {"labels": [{"item": taken, "label": "ham"}]})
    tab.page.keyboard.press("2")
    tab.page.wait_for_selector("#notices .notice.warn")
    for _ in range(4):
        tab.page.wait_for_function(
            "before => document.getElementById('item').dataset.item !== before", arg=str(taken)
        )
        tab.ready()
        taken = tab.item
        tab.page.keyboard.press("2")
    tab.wait_for_end("All caught up")
    tab.until_sent()
    assert Counter(standing(task).values()) == {"ham": 2, "spam": 4}
    assert not tab.faults


@pytest.mark.slow
def test_a_lease_that_comes_late_does_not_replace_the_item_that_is_shown(served, context):
    """An item had been skipped, and undone; while it was leased again, the answer before it was undone as well."""
    task = served.task()
    task.ask(4)
    tab = Tab(context, task)
    tab.ready()
    first = tab.item
    tab.press("1")
    tab.ready()
    skipped = tab.item
    tab.press("Space")
    tab.ready()
    tab.until_sent()
    held = []
    tab.page.route("**/leases", lambda request: held.append(request))
    with tab.page.expect_request("**/leases"):
        tab.page.keyboard.press("u")
    tab.page.wait_for_function("() => !document.getElementById('item').dataset.item")
    tab.page.keyboard.press("u")
    tab.ready()
    assert tab.item == first
    with tab.page.expect_response("**/leases"):
        for request in held:
            request.continue_()
    tab.page.unroute("**/leases")
    tab.page.evaluate("() => new Promise((done) => setTimeout(done))")  # after the response
    tab.press("2")
    tab.ready()
    assert tab.item == skipped
    tab.until_sent()
    assert standing(task) == {first: "spam"}
    assert not tab.faults


@pytest.mark.slow
def test_an_item_is_not_asked_about_again_that_was_answered_while_more_questions_were_on_their_way(
    served, context
):
    """Its lease had ended when they were asked for, so it was leased once more."""
    task = served.task()
    task.ask(2)
    requests, leased = [], []

    def pass_on(route):
        requests.append(route)
        if len(requests) == 1:  # the next one is held back
            response = route.fetch()
            leased.append(response.json())
            route.fulfill(response=response)

    context.route("**/leases", pass_on)
    tab = Tab(context, task)
    tab.ready()
    first = tab.item
    tab.press("1")
    tab.ready()
    assert tab.item != first
    tab.until_sent()
    assert len(requests) == 2
    again = next(one for one in leased[0]["questions"] if one["item"] == first)
    with tab.page.expect_response("**/leases"):
        requests[1].fulfill(json={"questions": [again], "waiting": 0})
    context.unroute("**/leases")
    tab.press("2")
    tab.wait_for_end("All caught up")
    assert not tab.faults


@pytest.mark.slow
@pytest.mark.parametrize("lost", [False, True])
def test_an_item_is_not_asked_about_again_whose_answer_was_sent_while_more_questions_were_on_their_way(
    served, context, lost
):
    """The answer waited in the browser when they were asked for. If the response is lost, they are again."""
    task = served.task()
    task.ask(2)
    requests, leased, held = [], [], []

    def pass_on(route):
        requests.append(route)
        if len(requests) == 1:  # the next ones are held back
            response = route.fetch()
            leased.append(response.json())
            route.fulfill(response=response)

    context.route("**/leases", pass_on)
    context.route("**/labels", lambda route: held.append(route))
    tab = Tab(context, task)
    tab.ready()
    first = tab.item
    tab.press("1")
    tab.page.wait_for_function(
        "() => Object.keys(localStorage).some((name) => name.startsWith('askance:outbox:'))"
    )
    tab.page.reload()
    tab.ready()
    assert tab.item != first
    until(tab.page, lambda: len(requests) == 3 and len(held) == 2)
    if lost:
        requests[2].abort("connectionreset")
    context.unroute("**/labels")
    held[1].continue_()
    tab.until_sent()
    if lost:
        tab.page.reload()
        until(tab.page, lambda: len(requests) > 3)
    again = next(one for one in leased[0]["questions"] if one["item"] == first)
    with tab.page.expect_response("**/leases"):
        requests[-1].fulfill(json={"questions": [again], "waiting": 0})
    context.unroute("**/leases")
    tab.press("2")
    tab.wait_for_end("All caught up")
    assert tab.page.locator("#mine").text_content() == "2"
    assert not tab.faults


@pytest.mark.slow
@pytest.mark.parametrize("key", ["1", "2", "Space"])
def test_an_answer_after_an_undo_that_is_refused_does_not_count(served, context, key):
    """The label was corrected meanwhile, so that it stands. The page knows only when the undo is refused."""
    task = served.task()
    task.ask(3)
    tab = Tab(context, task)
    tab.ready()
    item = tab.item
    tab.press("1")
    tab.until_sent()
    task.post("corrections", {"item": item, "label": "spam"})
    held = []
    tab.page.route("**/undo", lambda request: held.append(request))
    tab.ready()
    tab.page.keyboard.press("u")
    tab.ready()
    assert tab.item == item
    tab.press(key)
    tab.ready()
    for request in held:
        request.continue_()
    tab.page.wait_for_selector("#notices .notice.warn")
    tab.until_sent()
    assert standing(task) == {item: "ham"}
    assert tab.page.locator("#mine").text_content() == "1"
    assert not tab.faults


@pytest.mark.slow
def test_more_than_nine_classes_are_searched(served, browser):
    names = [f"land {number:03}" for number in range(130)]
    task = served.task(classes=names)
    task.ask(3)
    with browser.new_context(has_touch=True, viewport={"width": 390, "height": 844}) as context:
        tab = Tab(context, task)
        tab.ready()
        tab.page.keyboard.type("land 11")
        assert tab.page.locator("#choices [role=option]").count() == 10
        tab.page.keyboard.press("ArrowDown")
        tab.page.keyboard.press("Enter")
        tab.ready()
        tab.page.get_by_role("combobox").fill("123")
        tab.page.get_by_role("option", name="land 123").tap()
        tab.ready()
        tab.page.locator("#skip").tap()
        tab.wait_for_end("You're done here")
        tab.until_sent()
        assert sorted(standing(task).values()) == ["land 111", "land 123"]
        assert not tab.faults


@pytest.mark.slow
def test_mouse_touch_and_keys_of_ones_own(served, context):
    task = served.task(interface={"keys": {"ham": "h"}})
    task.ask(4)
    tab = Tab(context, task)
    tab.ready()
    tab.page.get_by_role("button", name="spam").click()
    tab.press("h")
    tab.ready()
    tab.page.keyboard.press("?")
    dialog = tab.page.get_by_role("dialog")
    dialog.get_by_label("Key for spam").fill("u")
    dialog.get_by_role("button", name="Save keys").click()
    assert "already used for undo" in dialog.get_by_role("alert").text_content()
    dialog.get_by_label("Key for spam").fill("x")
    dialog.get_by_role("button", name="Save keys").click()
    tab.page.reload()
    tab.press("x")
    tab.press("Shift+H")
    tab.until_sent()
    assert Counter(standing(task).values()) == {"ham": 2, "spam": 2}
    assert not tab.faults


@pytest.mark.slow
def test_the_guess_is_hidden_until_the_answer_and_shown_if_the_task_says_so(served, context):
    task = served.task()
    task.ask(3, lambda number: f"wörd 🙂 refund {number}\nsecond line <b>bold</b>")
    context.route("**/leases", with_a_reason)
    tab = Tab(context, task)
    tab.ready()
    guess = tab.state()["queue"][0]["prediction"]
    shown = tab.page.locator("#item")
    assert "<b>bold</b>" in shown.text_content()
    assert shown.locator("mark").count() == 0
    assert guess not in shown.text_content()
    assert "in doubt" in tab.page.locator("#reason").text_content(), "a reason that names the guess is not told"
    tab.press("1")
    assert f"The model predicted {guess}" in tab.page.locator("#previous").text_content()
    assert "refund → spam" in tab.page.locator("#previous").text_content()
    assert not tab.faults
    shows = served.task(interface={"prediction": "shown"})
    shows.ask(1, lambda number: f"wörd 🙂 refund {number}")
    tab = Tab(context, shows)
    tab.ready()
    assert tab.page.locator("#item mark").all_text_contents() == ["refund"]
    assert "Prediction:" in tab.page.locator("#guess").text_content()
    assert not tab.faults


def with_a_reason(route):
    """A lease with the reasons that a model would give."""
    answer = route.fetch()
    body = answer.json()
    for question in body["questions"]:
        start = question["text"].index("refund")
        pull = {"feature": "refund", "towards": "spam", "by": 0.4, "spans": [[start, start + 6]]}
        reason = f"It is almost as likely to be {question['prediction']} as not."
        question["why"] = {
            "reason": reason,
            "prediction": question["prediction"],
            "score": 0.1,
            "version": 1,
            "pulls": [pull],
        }
    route.fulfill(response=answer, json=body)


def test_it_goes_on_by_itself_and_the_first_view_is_light(served, context):
    task = served.task(budget={"total": 2})
    sizes = []
    context.on("response", lambda answer: sizes.append(int(answer.headers.get("content-length", 0))))
    tab = Tab(context, task)
    tab.wait_for_end("There are no items yet")
    tab.page.get_by_role("link", name="Upload a file").wait_for()
    assert sum(sizes) < 60_000
    task.ask(2)
    tab.press("1")
    tab.press("2")
    tab.wait_for_end("The budget is used up")
    tab.until_sent()
    assert len(standing(task)) == 2


def test_of_a_budget_that_was_lowered_nothing_is_left(served, context):
    task = served.task(budget={"per_day": 3})
    task.ask(3)
    with Client(served.address, task=task.name) as client:
        client.change(budget={"per_day": 1})
    tab = Tab(context, task)
    for key in "121":
        tab.press(key)
    tab.wait_for_end("Today's budget is used up")
    assert tab.page.locator("#budget").inner_text() == "0"
    assert tab.page.locator("#budget-words").inner_text() == "labels left today"
    tab.until_sent()


@pytest.mark.slow
def test_it_sends_what_an_earlier_visit_left(served, context):
    task = served.task()
    task.ask(2)
    tab = Tab(context, task)
    tab.ready()
    context.set_offline(True)
    tab.press("1")
    assert tab.kept() == 1
    tab.page.close()
    context.set_offline(False)
    later = Tab(context, task)
    later.until_sent()
    assert list(standing(task).values()) == ["ham"]
    later.press("2")
    later.until_sent()
    assert sorted(standing(task).values()) == ["ham", "spam"]


@pytest.mark.slow
def test_a_paused_task_says_so_and_goes_on(served, context):
    task = served.task()
    task.post("state", {"state": "paused"})
    tab = Tab(context, task)
    tab.wait_for_end("The task is paused")
    task.post("state", {"state": "running"})
    task.ask(1)
    tab.press("1")
    tab.until_sent()
    assert list(standing(task).values()) == ["ham"]
    assert not tab.faults


@pytest.mark.slow
def test_answers_outlive_a_session(tmp_path, context):
    served = Served(tmp_path, guarded=True)
    try:
        task = served.task()
        task.ask(3)
        tab = Tab(context, task)
        sign_in(tab.page, served)
        tab.press("1")
        tab.until_sent()
        context.clear_cookies()
        tab.press("2")
        tab.page.wait_for_selector("#banner:not([hidden])")
        assert "1 answer is saved in this browser" in tab.page.locator("#banner").text_content()
        for width in (390, 1440):
            tab.page.set_viewport_size({"width": width, "height": 844})
            assert not overlap(*(tab.page.locator(place).bounding_box() for place in ("#banner", "#answers")))
        tab.page.get_by_role("link", name="Sign in again").click()
        sign_in(tab.page, served)
        tab.until_sent()
        tab.press("2")
        tab.until_sent()
        assert sorted(standing(task).values()) == ["ham", "spam", "spam"]
        assert not tab.faults
    finally:
        served.running.kill()


def sign_in(page, served):
    """Paste the token; the desk is shown afterwards."""
    page.locator("[name=token]").fill(served.running.token)
    page.keyboard.press("Enter")
    page.wait_for_selector("#label-page")


def overlap(one, other):
    """Whether two boxes have a place in common."""
    wide = min(one["x"] + one["width"], other["x"] + other["width"]) - max(one["x"], other["x"])
    high = min(one["y"] + one["height"], other["y"] + other["height"]) - max(one["y"], other["y"])
    return wide > 0 and high > 0
