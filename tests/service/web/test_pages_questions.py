"""What pages say of questions and figures: which questions come, which model predicts, and how sure it is."""

import random
import re

import pytest

from askance.service.client import Client
from browser import Served

HAM, SPAM = "lunch at noon then", "win a free prize"
CHANCE = random.Random(7)
TEXTS = [
    " ".join([SPAM if number % 3 == 0 else HAM, *(f"word{CHANCE.randrange(200)}" for _ in range(4))])
    for number in range(240)
]


def right(text):
    return "spam" if SPAM in text else "ham"


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    served = Served(tmp_path_factory.mktemp("questions"))
    yield served
    served.running.kill()


@pytest.fixture
def page(served, browser):
    faults = []
    context = browser.new_context(base_url=served.address)
    context.set_default_timeout(60_000)
    context.on("weberror", lambda fault: faults.append(str(fault.error)))
    yield context.new_page()
    context.close()
    assert faults == []


@pytest.fixture
def task(served):
    """Creates a task to which all texts are pushed at once."""
    opened = []

    def create(name, **settings):
        opened.append(Client(served.address, served.running.token, name))
        opened[-1].create({"name": name, "classes": ["ham", "spam"], "hashing": {"bits": 10}, **settings})
        return opened[-1], opened[-1].decide(TEXTS)

    yield create
    for client in opened:
        client.close()


def answer(client, count):
    """Answer questions, five at a time, as the labelling page leases them."""
    for _ in range(count // 5):
        client.label_all([(question, right(question.text)) for question in client.questions(5)])


def card(page, name):
    """The value of a figure on the dashboard, and what is said below it."""
    place = page.locator(".figure").filter(has=page.get_by_text(name, exact=True))
    place.wait_for()
    return place.locator(".value").inner_text(), place.locator(".detail").inner_text()


def shown(page, after=None):
    """The text and the prediction of the question on the labelling page, which is another one than before."""
    page.wait_for_function(
        "(after) => { const { item } = document.getElementById('item').dataset; return item && item !== after }",
        arg=after,
    )
    number = page.locator("#item").get_attribute("data-item")
    return number, page.locator("#content").inner_text(), page.locator("#guess").inner_text()


def test_a_file_that_is_pushed_at_once_is_asked_about_by_doubt(task, page):
    """All items came before the first label. The page must not ask about them in the order of the file."""
    asking = {"chosen": "lease", "audit": 0.01}
    client, decisions = task("pushed", algorithm="PAA-II", questions=asking)
    assert not any(decision.ask for decision in decisions)
    answer(client, 30)
    answered = {row["text"] for row in client.labels()}
    waiting = [text for text in TEXTS if text not in answered]
    doubt = dict(zip(waiting, (abs(one.score) for one in client.predict(waiting)), strict=True))
    page.goto("/tasks/pushed/label")
    number, asked = None, []
    for _ in range(3):
        number, text, _ = shown(page, number)
        asked.append(text)
        page.locator("#skip").click()
    ranks = [sorted(waiting, key=doubt.__getitem__).index(text) for text in asked]
    assert max(ranks) < len(waiting) / 10, (
        "among the tenth of the items that the current model is least certain of"
    )
    assert not set(asked) <= set(waiting[:20]), "and not simply the oldest"


def test_the_prediction_beside_a_question_is_that_of_the_current_model(task, page):
    """On arrival, a model without labels predicted the same class of all items."""
    shows = {"prediction": "shown"}
    client, decisions = task("current", algorithm="PAA-II", questions={"chosen": "lease"}, interface=shows)
    arrival = {text: one.prediction for text, one in zip(TEXTS, decisions, strict=True)}
    answer(client, 30)
    page.goto("/tasks/current/label")
    number, seen = None, {}
    for _ in range(5):
        number, text, seen_guess = shown(page, number)
        seen[text] = seen_guess.removeprefix("Prediction: ")
        page.locator("#skip").click()
    assert list(seen.values()) == [one.prediction for one in client.predict(list(seen))]
    assert list(seen.values()) != [arrival[text] for text in seen]


def test_questions_without_an_answer_widen_the_interval_on_the_dashboard(task, page):
    """Forty answers that the model had predicted rightly say little about two hundred questions."""
    client, _ = task("unanswered", algorithm="PA-I", questions={"chosen": "arrival"})
    client.label_all([(question, question.prediction) for question in client.questions(40)])
    page.goto("/tasks/unanswered")
    _, detail = card(page, "Accuracy, all predictions so far")
    low, high = map(float, re.match(r"([\d.]+) to ([\d.]+)", detail).groups())
    assert low < 0.3
    assert high > 0.9
    assert "no answer" in detail


def test_the_dashboard_has_the_current_model_apart_from_earlier_predictions(task, page):
    """A model that has learned is good now, though its predictions on arrival were not."""
    asking = {"chosen": "lease", "audit": 0.5, "test": 1.0}
    client, _ = task("better", algorithm="PAA-II", questions=asking)
    answer(client, 100)
    figures = client.figures()
    now, so_far = figures.current["accuracy"].value, figures.estimates["accuracy"].value
    assert now is not None
    assert so_far is not None
    assert now > so_far
    page.goto("/tasks/better")
    assert float(card(page, "Accuracy, current model")[0]) == pytest.approx(now, abs=0.001)
    assert float(card(page, "Accuracy, all predictions so far")[0]) == pytest.approx(so_far, abs=0.001)


def test_agreement_on_the_dashboard_counts_items_without_a_majority(tmp_path, browser):
    """With two labels per item, those that disagree are never settled: they count all the same."""
    served = Served(tmp_path, guarded=True)
    admin = Client(served.address, served.running.token, "twice")
    try:
        admin.create({"name": "twice", "classes": ["ham", "spam"], "labels": {"per_item": 2}, "algorithm": "PA-I"})
        admin.decide(TEXTS[:40])
        people = [served.post("/api/tokens", {"name": who, "role": "labeller"}) for who in ("ann", "bob")]
        for wrong_each, person in zip((0, 4), people, strict=True):
            with Client(served.address, person["token"], "twice") as client:
                for number, question in enumerate(client.questions(40)):
                    is_wrong = wrong_each and number % wrong_each == 0
                    client.label(question, "ham" if (right(question.text) == "spam") == bool(is_wrong) else "spam")
        context = browser.new_context(base_url=served.address)
        context.set_default_timeout(60_000)
        page = context.new_page()
        page.goto("/tasks/twice")
        page.get_by_label("Your token").fill(served.running.token)
        page.keyboard.press("Enter")
        assert card(page, "Agreement") == ("75%", "between labels of the same item")
        assert card(page, "Labels") == ("80", "30 of 40 questions are answered")
        page.wait_for_function("() => document.getElementById('asked-words').textContent.includes('40 items')")
        assert "80 labels requested for 40 items" in page.locator("#asked-words").inner_text()
        row = page.locator("#labellers tr").filter(has_text="bob")
        assert row.locator("[data-label=Agreement]").inner_text() == "75%"
        context.close()
    finally:
        admin.close()
        served.running.kill()
