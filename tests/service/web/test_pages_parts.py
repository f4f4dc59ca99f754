"""Pages of tasks whose items have several parts, and whose classes change."""

import pytest

from askance.service.client import Client
from askance.service.messages import Item
from askance.service.settings import Asking
from browser import Served


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    served = Served(tmp_path_factory.mktemp("parts"))
    yield served
    served.running.kill()


@pytest.fixture
def page(served, browser):
    faults = []
    context = browser.new_context(base_url=served.address)
    context.set_default_timeout(20_000)
    context.on("weberror", lambda fault: faults.append(str(fault.error)))
    yield context.new_page()
    context.close()
    assert faults == []


def test_of_a_vector_its_length_is_shown(served, page):
    parts = {"item": "mixed", "vector_length": 3, "algorithm": "PA-I", "hashing": {"bits": 8}}
    with Client(served.address, task="mixed") as client:
        client.create({"name": "mixed", "classes": ["ham", "spam"], **parts})
        item = Item(text="win cash", record={"links": 4}, vector=[0.25, 0.5, 0.125])
        decision = client.decide(item)
        client.label(decision, "spam")
        client.decide(Item(vector=[0.25, 0.5, 0.125]))
    page.goto("/tasks/mixed/items")
    page.get_by_text("win cash · links: 4 · a vector of 3 numbers").wait_for()
    page.goto(f"/tasks/mixed/items/{decision.item}")
    page.get_by_text("a vector of 3 numbers").first.wait_for()
    assert "win cash" in page.locator("#content").inner_text()
    assert "links" in page.locator("#content").inner_text()
    page.get_by_text("0.125").wait_for(state="detached")
    page.goto("/tasks/mixed/label")
    page.get_by_text("a vector of 3 numbers").first.wait_for()
    page.goto("/tasks/mixed/model")
    page.get_by_label("An item, as JSON").fill('{"text": "win", "vector": [1, 0, 0]}')
    page.get_by_role("button", name="Predict").click()
    page.locator("#tried").get_by_text("a vector of 3 numbers").first.wait_for()


def test_the_form_makes_tasks_with_vectors(served, page):
    page.goto("/tasks")
    page.get_by_role("link", name="Create a task").click()
    page.get_by_label("Name", exact=True).fill("both")
    page.get_by_label("Classes", exact=True).fill("a\nb")
    page.get_by_text("More settings", exact=True).click()
    page.get_by_label("Type of items").select_option("text and vector")
    page.get_by_label("Length of vectors").fill("5")
    page.get_by_role("button", name="Create the task").click()
    page.wait_for_url("**/tasks/both/upload")
    with Client(served.address, task="both") as client:
        settings = client.task_detail().settings
    assert (settings.parts, settings.vector_length) == (("text", "vector"), 5)


def test_the_form_says_when_questions_are_chosen(served, page):
    page.goto("/new-task")
    page.get_by_label("Name", exact=True).fill("audited")
    page.get_by_label("Classes", exact=True).fill("a\nb")
    page.get_by_text("More settings", exact=True).click()
    page.get_by_text("Advanced", exact=True).click()
    at_random, tests = page.get_by_label("Questions at random (%)"), page.get_by_label("that only test (%)")
    assert at_random.is_disabled()  # no effect unless questions are chosen when somebody labels
    page.get_by_label("Questions are chosen").select_option("when somebody labels")
    at_random.fill("35")
    tests.fill("0")
    page.get_by_role("button", name="Create the task").click()
    page.wait_for_url("**/tasks/audited/upload")
    with Client(served.address, task="audited") as client:
        assert client.task_detail().settings.questions == Asking("lease", 0.35, 0.0)
    page.goto("/tasks/audited/settings")  # where they are shown, but cannot be changed
    page.get_by_text("Advanced", exact=True).click()
    page.wait_for_function("() => document.getElementById('audit')?.value === '35'")
    for label, shown in (("Questions are chosen", "lease"), ("Questions at random (%)", "35")):
        assert page.get_by_label(label).input_value() == shown
        assert page.get_by_label(label).is_disabled()
    assert (tests.input_value(), tests.is_disabled()) == ("0", True)
    page.get_by_label("Daily limit").fill("7")
    page.get_by_role("button", name="Save changes").click()
    page.get_by_text("Saved.").wait_for()


@pytest.mark.parametrize(
    ("algorithm", "chosen", "expected"),
    [("auto", "", "lease"), ("auto", "arrival", "arrival"), ("PA-II", "", "arrival"), ("PA-II", "lease", "lease")],
)
def test_the_form_leaves_the_choice_of_questions_to_the_algorithm(served, page, algorithm, chosen, expected):
    name = f"{algorithm}-{chosen or 'default'}".lower()
    page.goto("/new-task")
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Classes", exact=True).fill("a\nb")
    page.get_by_text("More settings", exact=True).click()
    page.get_by_text("Advanced", exact=True).click()
    page.get_by_label("Algorithm", exact=True).select_option(algorithm)
    page.get_by_label("Questions are chosen").select_option(chosen)
    page.get_by_role("button", name="Create the task").click()
    page.wait_for_url(f"**/tasks/{name}/upload")
    with Client(served.address, task=name) as client:
        assert client.task_detail().settings.questions == Asking(expected)


def test_classes_are_added_and_renamed_on_the_settings_page(served, page):
    with Client(served.address, task="desk") as client:
        keys = {"interface": {"keys": {"bug": "b"}}}
        client.create({"name": "desk", "classes": ["bug", "praise"], "hashing": {"bits": 8}, **keys})
        page.goto("/tasks/desk/settings")
        page.wait_for_function("() => document.getElementById('keys')?.value === 'bug = b'")
        page.get_by_label("Rename classes").fill("bug = defect")
        page.get_by_label("New classes").fill("billing")
        page.get_by_role("button", name="Save changes").click()
        page.wait_for_function("() => document.getElementById('classes')?.value === 'defect\\npraise\\nbilling'")
        settings = client.task_detail().settings
    assert settings.classes == ["defect", "praise", "billing"]
    assert settings.interface.keys == {"defect": "b"}
