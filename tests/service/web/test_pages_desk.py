"""The labelling desk: what is beside the item, keys that cannot go wrong, and ways back to earlier answers."""

from collections import Counter

import pytest

from browser import Served
from labelling_tab import Tab, standing

# fmt: off
NEWS = [
    "alt.atheism", "comp.graphics", "comp.os.ms-windows.misc", "comp.sys.ibm.pc.hardware",
    "comp.sys.mac.hardware", "comp.windows.x", "misc.forsale", "rec.autos", "rec.motorcycles",
    "rec.sport.baseball", "rec.sport.hockey", "sci.crypt", "sci.electronics", "sci.med", "sci.space",
    "soc.religion.christian", "talk.politics.guns", "talk.politics.mideast", "talk.politics.misc",
    "talk.religion.misc",
]
# fmt: on
GUIDELINE = "# Spam\n- **asks** for money\n- wants a *click*\n\nSee [the handbook](https://example.org/a?b=c&d).\n"
WIDE = {"width": 1440, "height": 900}


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    served = Served(tmp_path_factory.mktemp("desk"))
    yield served
    served.running.kill()


@pytest.fixture
def context(browser):
    context = browser.new_context(viewport=WIDE)
    context.set_default_timeout(60_000)
    yield context
    context.close()


@pytest.fixture
def phone(browser):
    context = browser.new_context(has_touch=True, is_mobile=True, viewport={"width": 390, "height": 844})
    context.set_default_timeout(60_000)
    yield context
    context.close()


def opened(context, task):
    tab = Tab(context, task)
    tab.ready()
    return tab


# ---------------------------------------------------------------------- keys


def test_letters_search_and_digits_answer_if_there_are_many_classes(served, context):
    task = served.task(classes=NEWS)
    task.ask(4)
    tab = opened(context, task)
    page = tab.page
    assert page.locator("[role=option][aria-selected=true]").count() == 0, "nothing is proposed"
    first = tab.item
    page.keyboard.type("comp")
    assert page.get_by_role("combobox").input_value() == "comp"
    assert page.locator("[role=option]").count() == 5
    assert tab.item == first
    page.get_by_role("combobox").fill("mac hw")
    assert page.locator("[role=option]").all_text_contents() == ["comp.sys.mac.hardware5"]
    page.keyboard.press("Enter")
    page.wait_for_function("before => Number(document.getElementById('item').dataset.item) !== before", arg=first)
    tab.press("9")
    tab.until_sent()
    assert sorted(standing(task).values()) == ["comp.sys.mac.hardware", "rec.motorcycles"]
    recent = page.get_by_role("group", name="Recent").get_by_role("option")
    assert recent.all_text_contents() == ["rec.motorcycles9", "comp.sys.mac.hardware5"]
    page.reload()
    tab.ready()
    assert recent.count() == 2
    assert page.locator("[role=option]").count() == 20
    assert not tab.faults


def test_first_letters_and_digits_answer(served, context):
    task = served.task()
    task.ask(4)
    tab = opened(context, task)
    assert tab.page.locator(".answer kbd").all_text_contents() == ["h", "s"]
    for key in ("h", "S", "1", "2"):
        tab.press(key)
    tab.until_sent()
    assert list(standing(task).values()) == ["ham", "spam", "ham", "spam"]


@pytest.mark.slow
def test_keys_can_be_switched_off(served, context):
    task = served.task()
    task.ask(2)
    tab = opened(context, task)
    tab.press("?")
    tab.page.get_by_label("Answer with single keys").uncheck()
    tab.page.keyboard.press("Escape")
    assert not tab.page.locator("kbd").first.is_visible()
    tab.page.reload()
    tab.ready()
    first = tab.item
    for key in ("h", "1", "Space", "u", "?", "/"):
        tab.press(key)
    assert tab.item == first
    assert not tab.page.locator("dialog[open]").count()
    tab.page.get_by_role("button", name="ham").click()
    tab.until_sent()
    tab.page.locator("#help").click()
    tab.page.get_by_label("Answer with single keys").check()
    tab.page.keyboard.press("Escape")
    tab.press("s")
    tab.until_sent()
    assert sorted(standing(task).values()) == ["ham", "spam"]
    assert not tab.faults


# What makes a browser compute the layout at once. A key must not wait for that.
MEASURES = """() => {
  window.measured = [];
  let pressing = false;
  addEventListener("keydown", () => (pressing = true), { capture: true });
  addEventListener("keydown", () => (pressing = false));
  const note = (name) => pressing && window.measured.push(name);
  const called = [[Element, "getBoundingClientRect"], [Element, "scrollIntoView"], [HTMLElement, "focus"]];
  for (const [owner, name] of called) {
    const usual = owner.prototype[name];
    owner.prototype[name] = function (...given) { note(name); return usual.apply(this, given); };
  }
  const read = [[Element, "clientHeight"], [Element, "scrollHeight"], [HTMLElement, "offsetHeight"]];
  for (const [owner, name] of read) {
    const usual = Object.getOwnPropertyDescriptor(owner.prototype, name);
    Object.defineProperty(owner.prototype, name, { ...usual, get() { note(name); return usual.get.call(this); } });
  }
}"""
SHIFTS = """() => {
  window.shifted = 0;
  new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => (window.shifted += value)))
    .observe({ type: "layout-shift", buffered: true });
}"""


@pytest.mark.slow
def test_a_key_measures_nothing_and_nothing_jumps(served, context):
    task = served.task(classes=NEWS, interface={"guidance": GUIDELINE})
    task.ask(
        12, lambda number: f"{'a long text that goes on ' * 300} {number}" if number % 2 else f"short {number}"
    )
    tab = opened(context, task)
    tab.page.evaluate(MEASURES)
    tab.page.evaluate(SHIFTS)
    places = set()
    for key in "1234 5678":
        tab.press("Space" if key == " " else key)
        tab.ready()
        places.add(tab.page.locator("#history").bounding_box()["y"])
    assert len(places) == 1, "the list stays where it is, whatever is said about the previous answer"
    assert tab.page.evaluate("() => window.measured") == []
    assert tab.page.evaluate("() => window.shifted") < 0.05
    assert not tab.faults


# ---------------------------------------------------------------------- what is where


def test_twenty_classes_and_all_the_rest_are_on_the_first_screen(served, context):
    task = served.task(classes=NEWS, interface={"guidance": GUIDELINE})
    task.ask(16, lambda number: f"{'many words ' * 900} {number}")
    tab = opened(context, task)
    for _ in range(11):
        tab.press("3")
    tab.ready()
    page = tab.page
    assert page.locator("#history li").count() == 10
    for place in ("#item", "#skip", "#help", ".unfold", "#guideline", "[role=option]", "#history button"):
        for one in page.locator(place).all():
            box = one.bounding_box()
            assert box["y"] >= 0, place
            assert box["y"] + box["height"] <= 900, place
    item, choices = page.locator("#item").bounding_box(), page.locator("#choices").bounding_box()
    assert item["x"] + item["width"] < choices["x"]
    page.set_viewport_size({"width": 1099, "height": 900})
    item, choices = page.locator("#item").bounding_box(), page.locator("#choices").bounding_box()
    assert item["y"] + item["height"] < choices["y"]


def test_a_phone_shows_the_task_no_keys_and_no_proposal(served, phone):
    task = served.task(name="sms-spam")
    task.ask(3)
    tab = opened(phone, task)
    assert tab.page.locator(".task-name").is_visible()
    assert not tab.page.locator("kbd").first.is_visible()
    tab.page.get_by_role("button", name="ham").tap()
    tab.ready()
    look = "all => all.map((one) => getComputedStyle(one).borderColor + getComputedStyle(one).backgroundColor)"
    touched, other = tab.page.locator(".answer").evaluate_all(look)
    assert touched == other, "the answer before is not lit"


@pytest.mark.slow
def test_a_phone_shows_no_keys_of_many_classes(served, phone):
    task = served.task(classes=NEWS)
    task.ask(2)
    tab = opened(phone, task)
    assert not tab.page.locator("[role=option] kbd").first.is_visible()
    tab.page.get_by_role("option", name="sci.med").tap()
    tab.until_sent()
    assert list(standing(task).values()) == ["sci.med"]


@pytest.mark.slow
def test_offline_without_questions_does_not_promise_any(served, context):
    task = served.task()
    task.ask(1)
    tab = opened(context, task)
    context.set_offline(True)
    tab.press("h")
    tab.wait_for_end("The service cannot be reached")
    tab.page.wait_for_selector("#banner:not([hidden])")
    assert "1 answer is saved" in tab.page.locator("#banner").text_content()
    assert "continue with the questions" not in tab.page.locator("#banner").text_content()
    context.set_offline(False)
    tab.until_sent()


# ---------------------------------------------------------------------- guidelines


@pytest.mark.slow
def test_guidelines_are_beside_the_item_as_markdown(served, context):
    task = served.task(interface={"guidance": GUIDELINE})
    task.ask(1)
    tab = opened(context, task)
    shown = tab.page.locator("#guideline")
    assert shown.locator("h3").text_content() == "Spam"
    assert shown.locator("li").all_text_contents() == ["asks for money", "wants a click"]
    assert shown.locator("strong").text_content() == "asks"
    assert shown.locator("em").text_content() == "click"
    link = shown.get_by_role("link", name="the handbook")
    assert link.get_attribute("href") == "https://example.org/a?b=c&d"
    assert link.get_attribute("rel") == "noopener noreferrer"


MARKDOWN = {
    "plain & <b>text</b>": "<p>plain &amp; &lt;b&gt;text&lt;/b&gt;</p>",
    "one\ntwo\n\nthree": "<p>one\ntwo</p><p>three</p>",
    "## Title ##": "<h4>Title</h4>",
    "#no title": "<p>#no title</p>",
    "1. a\n2) b\n   more": "<ol><li>a</li><li>b\nmore</li></ol>",
    "* a\n+ b\ntext": "<ul><li>a</li><li>b</li></ul><p>text</p>",
    "`**code**` and __init__": "<p><code>**code**</code> and __init__</p>",
    "2 * 3 * 4, snake_case_name, _this_": "<p>2 * 3 * 4, snake_case_name, <em>this</em></p>",
    "**[x](mailto:a@b.c)**": (
        '<p><strong><a href="mailto:a@b.c" rel="noopener noreferrer" target="_blank">x</a></strong></p>'
    ),
    "[x](javascript:alert(1))": "<p>[x](javascript:alert(1))</p>",
    "[y](data:text/html,z) [z](/tasks)": "<p>[y](data:text/html,z) [z](/tasks)</p>",
    "[x](JaVaScRiPt:alert)": "<p>[x](JaVaScRiPt:alert)</p>",
    "```\n<script>\n# no title\n```\nafter": "<pre><code>&lt;script&gt;\n# no title</code></pre><p>after</p>",
    "```\nnever closed": "<pre><code>never closed</code></pre>",
    "": "",
}


def test_markdown_becomes_elements_and_everything_else_stays_text(served, context):
    task = served.task(interface={"guidance": GUIDELINE})
    tab = Tab(context, task)
    read = """async (texts) => {
      const source = document.querySelector("link[href$='markdown.js']").href;
      const { markdown } = await import(source);
      return texts.map((text) => {
        const place = document.createElement("div");
        place.append(...markdown(text));
        return place.innerHTML;
      });
    }"""
    assert tab.page.evaluate(read, list(MARKDOWN)) == list(MARKDOWN.values())
    hard = ["**x " * 5000, "[" * 20_000, "_x " * 6000, "`" * 19_999, "*" * 20_000, "[x](" * 5000, "- \n" * 6000]
    assert len(tab.page.evaluate(read, hard)) == len(hard)


# ---------------------------------------------------------------------- ways back


@pytest.mark.slow
def test_undo_goes_back_as_far_as_there_are_answers(served, context):
    task = served.task()
    task.ask(30)
    tab = opened(context, task)
    given = []
    for _ in range(28):
        tab.ready()
        given.append(tab.item)
        tab.press("h")
    for item in reversed(given):
        tab.press("u")
        tab.ready()
        assert tab.item == item
    tab.until_sent()
    assert standing(task) == {}
    assert tab.page.locator("#undo").is_disabled()
    assert tab.page.locator("#mine").text_content() == "0"


def test_an_undo_that_is_refused_counts_for_nothing(served, context):
    """The label stood, and the page counted one less."""
    task = served.task()
    task.ask(3)
    tab = opened(context, task)
    item = tab.item
    tab.press("1")
    tab.ready()
    tab.until_sent()
    task.post("corrections", {"item": item, "label": "spam"})
    tab.page.keyboard.press("u")
    tab.page.locator("#notices .notice.warn").wait_for()
    tab.page.wait_for_function(
        "before => Number(document.getElementById('item').dataset.item) !== before", arg=item
    )
    assert tab.page.locator("#mine").text_content() == "1"
    assert standing(task) == {item: "ham"}
    assert not tab.faults


def test_an_earlier_answer_is_changed_or_kept(served, context):
    task = served.task()
    task.ask(8)
    tab = opened(context, task)
    given = []
    for _ in range(3):
        tab.ready()
        given.append(tab.item)
        tab.press("h")
    tab.ready()
    waiting = tab.item
    history = tab.page.locator("#history button")
    assert history.count() == 3
    for leave in ("Escape", "h", "u"):  # go back without a change, also by the same answer again
        history.nth(2).click()
        tab.ready()
        assert tab.item == given[0]
        assert "You answered ham." in tab.page.locator("#changing").text_content()
        tab.press(leave)
        tab.ready()
        assert tab.item == waiting
        assert not tab.page.locator("#changing").is_visible()
    history.nth(2).click()
    tab.press("s")
    tab.ready()
    assert tab.item == waiting
    assert tab.page.locator("#mine").text_content() == "3"
    tab.until_sent()
    assert standing(task) == {given[0]: "spam", given[1]: "ham", given[2]: "ham"}
    assert [len(line["votes"]) for line in task.labels() if line["item"] == given[1]] == [1]
    assert not tab.faults


@pytest.mark.slow
def test_a_skipped_item_has_a_reason_and_can_be_answered_after_all(served, context):
    task = served.task()
    task.ask(4)
    tab = opened(context, task)
    skipped = [tab.item]
    tab.page.get_by_role("button", name="Skip because").click()
    tab.page.get_by_role("button", name="No class fits").click()
    tab.ready()
    skipped.append(tab.item)
    tab.press("Shift+Space")
    tab.page.get_by_label("Another reason").fill("in another language")
    tab.page.keyboard.press("Enter")
    tab.press("h")
    tab.until_sent()
    found = task.get("items?state=skipped")["items"]
    assert {one["item"]: one["skips"][0]["reason"] for one in found} == dict(
        zip(skipped, ["No class fits", "in another language"], strict=True)
    )
    tab.page.get_by_role("button", name="What you skipped").click()
    tab.page.get_by_role("dialog").get_by_text("in another language").click()
    tab.ready()
    assert tab.item == skipped[1]
    tab.press("s")
    tab.ready()
    tab.page.locator("#history button", has_text="skipped").click()
    tab.ready()
    assert tab.item == skipped[0]
    tab.press("s")
    tab.until_sent()
    assert Counter(standing(task).values()) == {"ham": 1, "spam": 2}
    tab.page.get_by_role("button", name="What you skipped").click()
    tab.page.get_by_text("Nothing you skipped is waiting for an answer.").wait_for()
    tab.page.goto(f"{task.page}/items/{skipped[1]}")
    tab.page.locator("#votes", has_text="skipped it: in another language").wait_for()
    assert not tab.faults


@pytest.mark.slow
def test_a_flag_keeps_the_place_and_can_be_undone(served, context):
    task = served.task()
    task.ask(3)
    tab = opened(context, task)
    first = tab.item
    tab.press(".")
    tab.page.get_by_label("Your note (optional)").fill("Is this an advertisement?")
    tab.page.keyboard.press("Enter")
    tab.page.get_by_text("You flagged this item: Is this an advertisement?").wait_for()
    assert tab.item == first
    tab.page.locator("#flag").click()
    tab.page.get_by_role("button", name="The guideline does not say").click()
    tab.page.get_by_role("button", name="Undo the flag").click()
    tab.until_sent()
    (found,) = task.get("items?state=flagged")["items"]
    assert [(flag["note"], flag["undone"]) for flag in found["flags"]] == [
        ("Is this an advertisement?", False),
        ("The guideline does not say", True),
    ]
    tab.page.reload()
    tab.ready()
    assert tab.item == first
    assert tab.page.locator("#flagged").is_visible()
    tab.press("h")
    tab.ready()
    assert tab.item != first
    assert not tab.page.locator("#flagged").is_visible(), "it is the flag of the item before"
    tab.press("u")
    tab.page.locator(f"#item[data-item='{first}'][aria-busy=false]").wait_for()
    assert tab.page.locator("#flagged").is_visible()
    tab.press("s")
    tab.until_sent()
    assert standing(task) == {first: "spam"}
    tab.page.goto(f"{task.page}/items/{first}")
    tab.page.locator("#votes", has_text="flagged it: Is this an advertisement?").wait_for()
    tab.page.goto(f"{task.page}/items?state=flagged")
    tab.page.locator("#items th").wait_for()
    assert tab.page.locator("#items th").count() == 1
    assert not tab.faults


# ---------------------------------------------------------------------- content


@pytest.mark.slow
def test_long_texts_unfold(served, context):
    task = served.task()
    task.ask(2, lambda number: "word " * 2000 if number == 0 else "short")
    tab = opened(context, task)
    more = tab.page.get_by_role("button", name="Show all 10,000 characters")
    more.wait_for()
    cut = tab.page.locator(".fold").bounding_box()["height"]
    more.click()
    assert tab.page.locator(".fold").bounding_box()["height"] > 2 * cut
    tab.page.get_by_role("button", name="Show less").click()
    assert tab.page.locator(".fold").bounding_box()["height"] == cut
    tab.press("h")
    tab.ready()
    assert not tab.page.locator(".unfold").is_visible()


@pytest.mark.slow
def test_columns_are_rounded_and_marked_by_their_strength(served, context):
    task = served.task(item="record", interface={"prediction": "shown"})
    record = {"area": 0.1234567, "year": 2016, "city": "Bath", "none": None, "share": 1e-9 / 3}
    task.post("items", {"items": [{"record": record}]})

    def with_pulls(route):
        answer = route.fetch()
        body = answer.json()
        for question in body["questions"]:
            pulls = [
                ("area", "ham", 1.0),
                ("city=Bath", "spam", 0.5),
                ("year", "ham", 0.2),
                ("share", "ham", 0.01),
            ]
            found = [{"feature": name, "towards": to, "by": by, "spans": []} for name, to, by in pulls]
            why = {"reason": "doubt", "prediction": "ham", "score": 0.1, "version": 1, "pulls": found}
            question["why"] = why
        route.fulfill(response=answer, json=body)

    context.route("**/leases", with_pulls)
    tab = opened(context, task)
    shown = tab.page.locator("#content")
    assert shown.locator("dd").all_text_contents() == ["0.1235", "2016", "Bath", "empty", "3.333e-10"]
    assert shown.locator("dd span").first.get_attribute("title") == "0.1234567"
    marks = shown.locator("mark").evaluate_all("all => all.map((one) => [one.textContent, one.className])")
    assert marks == [
        ["area", "tone-0 strength-3"],
        ["year", "tone-0 strength-1"],
        ["city", "tone-1 strength-2"],
    ]
