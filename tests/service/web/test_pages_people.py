"""The door, the people and the audit as a browser has them."""

import json
from pathlib import Path

import pytest

from service_server import real_service


@pytest.fixture
def first(browser, tmp_path):
    """A page at the first link, and what it has complained of."""
    with real_service(tmp_path) as (url, code):
        context = browser.new_context(base_url=url)
        page = context.new_page()
        faults = []
        page.on("pageerror", lambda fault: faults.append(str(fault)))
        page.on("console", lambda line: faults.append(line.text) if "Policy" in line.text else None)
        page.goto(f"/first?code={code}")
        page.get_by_role("button", name="Create the token").click()
        yield page
        context.close()
        assert faults == []


def make_token(page, name, role):
    page.locator("#new-token").click()
    page.get_by_label("Name").fill(name)
    page.check(f"#role-{role}")
    page.locator("#token-form .main").click()


def test_in_out_and_in_again(first):
    token = first.locator("#secret").inner_text()
    first.get_by_role("link", name="I've saved it").click()
    first.wait_for_url("**/new-task")
    assert first.evaluate("() => document.cookie") == "", "out of reach of scripts"
    first.get_by_role("button", name="Sign out").click()
    first.goto("/audit?who=admin")
    first.wait_for_url("**/sign-in?next=*")
    first.get_by_label("Your token").fill("askance_wrong")
    first.get_by_role("button", name="Sign in").click()
    assert "Unknown token" in first.locator("#problem").inner_text()
    first.get_by_label("Your token").fill(token)
    first.get_by_role("button", name="Sign in").click()
    first.wait_for_url("**/audit?who=admin")
    first.locator("#entries td.when").first.wait_for()
    done = first.locator("#entries td.what").all_inner_texts()
    assert done == ["Sign in", "Sign out", "First sign in"]


@pytest.mark.slow
def test_a_phone_shows_the_whole_head(first):
    """The last link of the navigation was cut off."""
    first.set_viewport_size({"width": 390, "height": 844})
    for path in ("/people", "/audit", "/tasks"):
        first.goto(path)
        boxes = [one.bounding_box() for one in first.locator("header :is(a, button):visible").all()]
        assert all(box["x"] >= 0 and box["x"] + box["width"] <= 390 for box in boxes), (path, boxes)
        cut = "all => all.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent)"
        assert first.locator("header nav").evaluate_all(cut) == []


def test_tokens_are_made_and_revoked(first, browser):
    first.goto("/people")
    make_token(first, "ann", "labeller")
    token = first.locator("#made code").inner_text()
    other = browser.new_context(base_url=first.url)
    desk = other.new_page()
    desk.goto("/sign-in")
    desk.get_by_label("Your token").fill(token)
    desk.get_by_role("button", name="Sign in").click()
    desk.wait_for_url("**/tasks")
    assert desk.get_by_role("link", name="People").count() == 0
    assert desk.goto("/people").status == 403
    make_token(first, "ann", "read")
    first.locator("#name-wrong:not(:empty)").wait_for()
    assert "choose another name" in first.locator("#name-wrong").inner_text()
    first.locator("#token-cancel").click()
    first.get_by_role("button", name="Revoke the token of ann").click()
    first.get_by_role("button", name="Cancel").last.click()
    assert desk.goto("/tasks").url.endswith("/tasks"), "nothing happened yet"
    first.get_by_role("button", name="Revoke the token of ann").click()
    first.get_by_role("button", name="Revoke token", exact=True).click()
    first.locator("#revoked li").wait_for(state="attached")
    assert "/sign-in" in desk.goto("/tasks").url
    other.close()


@pytest.mark.slow
def test_rights_ends_links_and_secrets(first, browser):
    for name in ("spam", "mails"):
        post(
            first,
            "/api/tasks",
            {"name": name, "classes": ["a", "b"], "algorithm": "PA-II", "hashing": {"bits": 8}},
        )
    first.goto("/people")
    first.locator("#new-token").click()
    first.get_by_label("Name").fill("ann")
    first.check("#reach-some")
    first.locator("#token-submit").click()
    assert first.locator("#tasks-wrong").inner_text() == "Choose at least one task."
    first.check("#task-spam")
    first.get_by_label("Ends after").fill("3")
    first.locator("#token-submit").click()
    old = first.locator("#made code").inner_text()
    row = first.get_by_role("row", name="ann")
    assert row.locator("td").nth(0).inner_text() == "labeller in spam"
    assert row.locator("td").nth(2).inner_text() == "in 3 days"
    assert "Ends within a week, or has ended: ann." in first.locator("#ending").inner_text()
    first.get_by_role("button", name="Create a sign-in link for ann").click()
    first.get_by_text("A link for ann").wait_for()
    link = first.locator("#made code").inner_text()
    other = browser.new_context()
    desk = other.new_page()
    desk.goto(link)
    desk.get_by_role("button", name="Sign in").click()
    desk.wait_for_url("**/tasks")
    desk.locator("#tasks .card").wait_for()
    assert desk.locator("#tasks h2").all_inner_texts() == ["spam"]
    assert "Your token ends on" in desk.locator("#ends-soon").inner_text()
    assert desk.goto(f"{first.url.removesuffix('/people')}/tasks/mails").status == 404
    assert "was used on" in desk.goto(link).text()
    first.get_by_role("button", name="Change the rights of ann").click()
    assert first.locator("#reach-some").is_checked()
    assert first.locator("#task-spam").is_checked()
    first.check("#role-read")
    first.check("#reach-all")
    first.get_by_label("Ends after").fill("30")
    first.locator("#token-submit").click()
    first.locator("#ending").wait_for(state="hidden")
    assert row.locator("td").nth(0).inner_text() == "read"
    first.get_by_role("button", name="Create a new secret for ann").click()
    first.get_by_role("button", name="Create a new secret", exact=True).click()
    first.get_by_text("The token of ann").wait_for()
    assert first.locator("#made code").inner_text() != old
    assert "/sign-in" in desk.goto(f"{first.url.removesuffix('/people')}/tasks").url
    other.close()


def post(page, path, body):
    """Send a request from the page."""
    sent = page.evaluate(
        """([path, body]) => fetch(path, {
            method: "POST",
            headers: {"content-type": "application/json",
                      "x-askance-csrf": document.querySelector("meta[name=csrf]").content},
            body: JSON.stringify(body)}).then((answer) => answer.status)""",
        [path, body],
    )
    assert sent == 200


@pytest.mark.slow
def test_the_audit_is_exported_as_it_is_shown(first):
    first.goto("/people")
    make_token(first, "ann", "labeller")
    first.locator("#made code").wait_for()
    first.goto("/audit")
    first.locator("#entries td.when").first.wait_for()
    assert first.locator("#entries td.detail").first.inner_text() == "role: labeller"
    first.locator("#who").select_option("ann")
    first.get_by_text("No matching events.").wait_for()
    first.locator("#who").select_option("admin")
    first.locator("#entries td.when").first.wait_for()
    with first.expect_download() as got:
        first.locator("#export").click()
    lines = [json.loads(line)["action"] for line in Path(got.value.path()).read_text().splitlines()]
    assert lines == ["export_audit", "create_token", "first_sign_in"]
