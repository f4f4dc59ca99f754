"""Pages of tasks whose items may have several classes: toggles, the dashboard, items, and the form."""

import pytest

from axe import barriers, script
from browser import Served, until
from labelling_tab import Tab
from payloads import PAYLOADS
from several_labels import CLASSES, label_by_words, tickets

SEVERAL = {
    "classes": CLASSES,
    "algorithm": "auto",
    "multilabel": True,
    "questions": {"chosen": "lease", "audit": 0.5},
    "budget": {"burst": 1000},
    "interface": {"keys": {"billing": "1", "login": "2", "urgent": "3"}},
}


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    served = Served(tmp_path_factory.mktemp("pages"))
    yield served
    served.running.kill()


@pytest.fixture
def context(browser):
    context = browser.new_context()
    yield context
    context.close()


def made(served, texts=None, **more):
    """A task with items."""
    task = served.task(**(SEVERAL | more))
    texts = [text for text, _ in tickets(30)] if texts is None else texts
    task.post("items", {"items": [{"text": text} for text in texts]})
    return task


def pressed(tab):
    """The classes that are switched on."""
    return tab.page.locator("[data-class][aria-pressed=true]").evaluate_all(
        "all => all.map((one) => one.dataset.class)"
    )


def given(task):
    return {line["item"]: line["label"] for line in task.labels()}


def test_digits_switch_classes_and_enter_answers(served, context):
    task = made(served)
    tab = Tab(context, task)
    wanted = {}
    for labels in (["login", "urgent"], [], ["billing"]):
        tab.ready()
        wanted[tab.item] = labels
        for name in labels:
            tab.page.keyboard.press(str(1 + CLASSES.index(name)))
        assert pressed(tab) == labels
        tab.page.keyboard.press("Enter")
    tab.ready()
    tab.page.keyboard.press("2")
    tab.page.keyboard.press("2")  # off again
    assert pressed(tab) == []
    tab.until_sent()
    assert given(task) == wanted
    assert "you answered billing" in tab.page.locator("#previous").inner_text()
    assert "none of the classes" in tab.page.locator("#history").inner_text()
    assert not tab.faults


def test_clicks_do_the_same_and_an_answer_can_be_changed(served, context):
    task = made(served)
    tab = Tab(context, task)
    tab.ready()
    first = tab.item
    tab.page.click("[data-class=urgent]")
    tab.page.click("[data-class=billing]")
    assert tab.page.locator(".confirm").inner_text().startswith("Answer: billing, urgent")
    tab.page.click(".confirm")
    tab.ready()
    tab.page.click("#history button")
    tab.ready()
    assert (tab.item, pressed(tab)) == (first, ["billing", "urgent"])
    tab.page.keyboard.press("1")
    tab.page.keyboard.press("Enter")
    tab.ready()
    tab.until_sent()
    assert given(task) == {first: ["urgent"]}
    tab.page.keyboard.press("u")
    tab.ready()
    assert (tab.item, pressed(tab)) == (first, [])
    tab.until_sent()
    assert given(task) == {}
    assert not tab.faults


def test_a_key_that_is_held_down_counts_once(served, context):
    task = made(served)
    tab = Tab(context, task)
    tab.ready()
    item = tab.item
    tab.hold("1", 5)
    assert pressed(tab) == ["billing"]
    tab.hold("Enter", 5)
    tab.until_sent()
    assert given(task) == {item: ["billing"]}


def test_many_classes_are_searched(served, context):
    lands = [f"land {number}" for number in range(30)]
    task = made(served, classes=lands, interface={})
    tab = Tab(context, task)
    tab.ready()
    item = tab.item
    for word in ("land 27", "land 3"):
        tab.page.keyboard.press("/")
        tab.page.keyboard.type(word)
        tab.page.keyboard.press("Enter")
    assert tab.page.locator("[data-class][aria-checked=true]").count() == 2
    tab.page.keyboard.press("Enter")
    tab.until_sent()
    assert given(task) == {item: ["land 3", "land 27"]}
    assert not tab.faults


def test_names_of_classes_are_never_markup(served, context):
    names = [name for name in PAYLOADS if name.isprintable() and 0 < len(name) <= 100][:8]
    task = made(served, ["one", "two"], classes=names, interface={})
    tab = Tab(context, task)
    tab.page.on("dialog", lambda dialog: tab.faults.append(dialog.message))
    tab.ready()
    item = tab.item
    for place in range(len(names)):
        tab.page.locator("[data-class]").nth(place).click()
    tab.page.click(".confirm")
    tab.until_sent()
    assert given(task) == {item: names}
    for path in ("items", f"items/{item}", ""):
        tab.page.goto(f"{task.page}/{path}".rstrip("/"))
        tab.page.wait_for_load_state("networkidle")
    assert not tab.faults


def test_the_form_makes_such_a_task(served, context):
    page = context.new_page()
    page.goto(f"{served.address}/new-task")
    page.fill("#name", "news")
    page.fill("#classes", "sport, money")
    page.check("#multilabel")
    page.click("button.main")
    page.wait_for_url("**/tasks/news/upload")
    task = served.known("news")
    assert task.get("")["settings"]["multilabel"] is True
    page.goto(f"{task.page}/settings")
    page.wait_for_selector("#multilabel:checked:disabled")
    assert page.locator(".tabs a", has_text="Review").count() == 0


def test_items_are_corrected_and_shown(served, context):
    task = made(served)
    page = context.new_page()
    tab = Tab(context, task)
    tab.ready()
    item = tab.item
    tab.page.keyboard.press("Enter")
    tab.until_sent()
    page.goto(f"{task.page}/items/{item}")
    page.wait_for_selector("#votes b")
    assert "none of the classes" in page.locator("#known").inner_text()
    page.select_option("#label", ["billing", "urgent"])
    page.click("#correct button")
    until(page, lambda: given(task) == {item: ["billing", "urgent"]})
    page.goto(f"{task.page}/items?label=urgent")
    page.wait_for_selector(f"#items tr[data-item='{item}']")
    assert "billing, urgent" in page.locator("#items").inner_text()
    assert page.locator("#relabel").count() == 0


@pytest.fixture(scope="module")
def taught(served):
    """A task with many answers."""
    task = made(served, [text for text, _ in tickets(200)])
    for _ in range(30):
        leased = task.post("leases", {"count": 3})["questions"]
        labels = [{"item": one["item"], "label": label_by_words(one["text"])} for one in leased]
        task.post("labels", {"labels": labels})
    return task


def test_the_dashboard_has_micro_and_macro_f(taught, context):
    page = context.new_page()
    page.goto(taught.page)
    page.wait_for_selector("#figures .name")
    names = page.locator("#figures .name").all_inner_texts()
    for metric in ("Accuracy", "Micro-F", "Macro-F"):
        assert f"{metric}, all predictions so far" in names
    faults = []
    page.on("pageerror", lambda fault: faults.append(str(fault)))
    page.goto(f"{taught.page}/model")
    page.wait_for_selector("#versions th")
    page.fill("#content", "refund of the invoice please")
    page.click("#try button")
    page.wait_for_selector("#tried dd")
    assert "Prediction: billing" in page.locator("#tried").inner_text()
    assert not faults


@pytest.mark.parametrize("path", ["label", "", "items", "model", "settings"])
def test_no_barriers(taught, context, path):
    script()
    page = context.new_page()
    page.goto(f"{taught.page}/{path}".rstrip("/"))
    page.wait_for_load_state("load")
    if path == "label":
        page.wait_for_selector("#item[data-item][aria-busy=false]")
        page.keyboard.press("1")
    page.wait_for_timeout(300)
    assert barriers(page) == []
