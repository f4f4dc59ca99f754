"""The dashboard: figures to act on, for those who may see them, and what it says when the service has stopped."""

import json
import time
import urllib.error
import urllib.request
from typing import Any

import pytest

from axe import barriers
from browser import Served

TEXTS = ("win a prize now", "lunch at noon")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A service with one task, whose questions are all drawn at random; two people label."""
    served = Served(tmp_path_factory.mktemp("dashboard"), guarded=True)
    served.tokens = {"admin": served.running.token}
    for name in ("ann", "bob"):
        served.tokens[name] = served.post("/api/tokens", {"name": name, "role": "labeller"})["token"]
    asking = {"chosen": "lease", "audit": 1.0, "test": 1.0}
    task = served.task(name="acted-on", labels={"per_item": 2}, questions=asking, goal={"accuracy": 0.9})
    for _ in range(2):
        task.post("items", {"items": [{"text": TEXTS[number % 2]} for number in range(350)]})
    for who in ("ann", "bob"):
        questions = sent(served, who, "leases", {"count": 40})["questions"]
        given = [{"item": one["item"], "label": ("spam", "ham")[TEXTS.index(one["text"])]} for one in questions]
        sent(served, who, "labels", {"labels": given})
    yield served
    served.running.kill()


def sent(served: Any, who: str, path: str, body: Any) -> Any:
    headers = {"content-type": "application/json", "authorization": f"Bearer {served.tokens[who]}"}
    address = f"{served.address}/api/tasks/acted-on/{path}"
    with urllib.request.urlopen(urllib.request.Request(address, json.dumps(body).encode(), headers)) as answer:
        return json.load(answer)


@pytest.fixture
def dashboard(browser: Any, served: Any) -> Any:
    contexts = []

    def opened(who: str) -> Any:
        context = browser.new_context(base_url=served.address)
        contexts.append(context)
        context.set_default_timeout(60_000)
        page = context.new_page()
        page.on("pageerror", lambda fault: pytest.fail(str(fault)))
        page.goto("/sign-in")
        page.get_by_label("Your token").fill(served.tokens[who])
        page.keyboard.press("Enter")
        page.wait_for_url("**/tasks")
        page.goto("/tasks/acted-on")
        return page

    yield opened
    for context in contexts:
        context.close()


def test_a_lead_sees_what_is_confused_and_who_agrees_with_whom(dashboard: Any) -> None:
    page = dashboard("admin")
    matrix = page.get_by_role("region", name="Confusion matrix")
    matrix.wait_for()
    assert "from 40 answers to questions at random" in page.locator("#confusion-words").inner_text()
    cells = [int(text) for text in matrix.locator("td").all_inner_texts()]
    assert (len(cells), sum(cells)) == (4, 40)
    page.locator("#predicted .bar-row").first.wait_for()
    pair = page.locator("#pairs tbody tr")
    pair.wait_for()
    assert pair.inner_text().split()[:3] == ["ann", "and", "bob"]
    assert pair.locator("[data-label='Equal labels']").inner_text() == "100%"
    assert page.locator("#labellers tr").count() == 2
    for colours in ("light", "dark"):
        page.emulate_media(color_scheme=colours, reduced_motion="reduce")
        assert barriers(page) == []


def test_blind_answers_and_labels_of_gold_items_are_named(dashboard: Any) -> None:
    page = dashboard("admin")
    page.locator("#pairs tbody tr").wait_for()

    def blind(route: Any) -> None:
        found = route.fetch().json()
        more = {"tells_little": True, "gold": 20, "gold_right": 11}
        route.fulfill(json=found | {"labellers": [one | more for one in found["labellers"]]})

    page.route("**/labellers", blind)
    page.reload()
    page.locator("#labellers .chip").first.wait_for()
    assert page.get_by_text("people err independently of each other").is_visible()
    words = page.locator("#labellers [data-label='Reliability']").first.inner_text()
    assert "tells little" in words
    assert "gold: 11 of 20" in words
    assert "object" not in words


def test_advice_is_shown_if_there_is_one_and_the_goal_is_a_line(dashboard: Any) -> None:
    page = dashboard("admin")
    page.locator("#pairs tbody tr").wait_for()
    assert page.locator("#advice").is_hidden()  # another learner than the automatic one
    assert page.locator("#quality .legend").inner_text().split() == ["Accuracy", "Goal"]
    told = {"advice": "About 120 to 300 more labels for 90 % accuracy.", "basis": "A forecast as of 80 labels."}
    page.route("**/forecast", lambda route: route.fulfill(json=told))
    page.reload()
    page.get_by_text(told["advice"]).wait_for()
    page.locator("#pairs tbody tr").wait_for()
    assert page.locator("#advice").inner_text() == " ".join(told.values())
    page.get_by_label("Metric").select_option("f")
    page.locator("#quality .legend").wait_for(state="detached")


CERTIFICATE = {
    "state": "certified", "error": 0.02, "confidence": 0.95, "threshold": 2.6, "probability": 0.931, "share": 0.71,
    "members": 2310, "labels": 231, "mistakes": 1, "unanswered": 3, "missing": 0, "since": 1.7e9,
}  # fmt: skip


def test_the_card_of_a_certificate_says_what_holds_or_what_is_missing(served: Any, dashboard: Any) -> None:
    page = dashboard("admin")
    page.locator("#pairs tbody tr").wait_for()
    assert page.locator("#certificate").is_hidden()  # nothing is to be certified
    shown = json.loads(page.evaluate("async () => (await fetch('/api/tasks/acted-on/figures')).text()"))
    page.route("**/events", lambda route: None)  # no figures but those below
    page.route("**/figures", lambda route: route.fulfill(json=shown))
    for change, words in [
        ({}, "Predictions with a probability of at least 93.1%: at most 2% are wrong (95% confidence)."),
        ({"probability": None}, "Predictions with a score of at least 2.6: at most 2% are wrong"),
        ({"state": "late", "unanswered": 60}, "60 checks have no answer."),
        ({"state": "checking", "missing": 120}, "About 120 more answered checks are needed"),
        ({"state": "searching"}, "No predictions are confident enough yet"),
        ({"state": "learning", "missing": 1}, "About 1 more question at random must be answered"),
    ]:
        shown["certificate"] = CERTIFICATE | change
        page.reload()
        card = page.get_by_role("region", name="Automatic decisions")
        card.get_by_text(words).wait_for()
        page.locator("#pairs tbody tr").wait_for()
        if not change:
            assert "People checked 231 of 2,310 such predictions. Wrong: 1." in card.inner_text()
            for colours in ("light", "dark"):
                page.emulate_media(color_scheme=colours, reduced_motion="reduce")
                assert barriers(page) == []


def test_the_page_says_when_predictions_have_become_worse(served: Any, dashboard: Any) -> None:
    page = dashboard("admin")
    page.locator("#pairs tbody tr").wait_for()
    assert page.locator("#drift").is_hidden()
    shown = json.loads(page.evaluate("async () => (await fetch('/api/tasks/acted-on/figures')).text()"))
    shown["drift"] = {"at": time.time(), "since": time.time() - 3 * 24 * 3600}
    page.route("**/events", lambda route: None)  # no figures but those above
    page.route("**/figures", lambda route: route.fulfill(json=shown))
    page.reload()
    page.get_by_text("Predictions became worse, probably 3 days ago.").wait_for()


def test_items_with_a_label_are_called_labelled_and_their_labels_are_counted_apart(dashboard: Any) -> None:
    """Two people gave 80 labels to 40 items, and both pages said how many "labels" there were."""
    page = dashboard("admin")
    labels = page.locator(".figure", has_text="Labels").first
    labels.get_by_text("80", exact=True).wait_for()
    assert "40 of 40 questions are answered" in labels.inner_text()
    page.goto("/tasks")
    page.locator("dt").first.wait_for()
    assert page.locator("dl.counts").inner_text().split()[:4] == ["Items", "700", "Labelled", "40"]


def test_what_rounds_to_zero_has_no_sign(dashboard: Any) -> None:
    page = dashboard("admin")
    page.locator("#pairs tbody tr").wait_for()
    little = {"value": 0.2, "low": -0.00098, "high": 0.41, "note": ""}

    def change(route: Any) -> None:
        found = route.fetch().json()
        pairs = [one | {"kappa": little | {"low": -0.31}} for one in found["pairs"]]
        route.fulfill(json=found | {"alpha": little, "pairs": pairs})

    page.route("**/labellers", change)
    page.reload()
    page.get_by_text("Krippendorff's alpha: 0.2 (0 to 0.41)").wait_for()
    assert page.locator('#pairs [data-label="Cohen\'s kappa"]').inner_text() == "0.2 (-0.31 to 0.41)"


@pytest.mark.parametrize(
    ("spend", "words"),
    [
        ({"total": 2, "asked": 5}, "0 left in total"),
        ({"per_day": 2, "left_today": -3}, "0 left today"),
        ({"rate": 0.1, "left": -3.2}, "0 left now"),
    ],
)
def test_of_a_budget_that_was_lowered_nothing_is_left(dashboard: Any, spend: dict[str, float], words: str) -> None:
    page = dashboard("admin")
    page.locator("#pairs tbody tr").wait_for()
    shown = json.loads(page.evaluate("async () => (await fetch('/api/tasks/acted-on/figures')).text()"))
    shown["spend"] |= {"total": None, "left_today": None} | spend
    page.route("**/events", lambda route: None)  # no figures but those above
    page.route("**/figures", lambda route: route.fulfill(json=shown))
    page.reload()
    page.locator(".figure", has_text="Sent for labelling").get_by_text(words, exact=True).wait_for()


def test_a_labeller_sees_no_other_labellers(served: Any, dashboard: Any) -> None:
    page = dashboard("ann")
    page.locator("#labellers td").first.wait_for()
    page.get_by_role("region", name="Confusion matrix").wait_for()
    assert page.locator("#labellers th").all_inner_texts() == ["ann"]
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(
            urllib.request.Request(
                f"{served.address}/api/tasks/acted-on/labellers",
                headers={"authorization": f"Bearer {served.tokens['ann']}"},
            )
        )


def test_figures_of_a_service_that_has_stopped_are_not_shown_as_current(served: Any, dashboard: Any) -> None:
    page = dashboard("admin")
    page.locator("#pairs tbody tr").wait_for()
    assert page.locator("#connection").is_hidden()
    served.running.kill()
    page.get_by_text("Connection lost. These are the figures of").wait_for()
