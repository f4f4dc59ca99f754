"""Files uploaded in the browser: from nothing to the first label, after interruptions, and refused ones."""

import io
import json
import urllib.request

import pyarrow
import pyarrow.parquet
import pytest

from askance.service.api import uploads
from askance.service.uploads import upload
from axe import barriers, script
from browser import Served

PATIENCE = 60_000
PHONE, WIDE = {"width": 390, "height": 844}, {"width": 1440, "height": 900}
LOOKS = (("light", WIDE), ("dark", PHONE))
MAILS = "text\n" + "".join(f"mail number {row} for you\n" for row in range(20))
COUNT_CLICKS = """
addEventListener("click", ({ isTrusted, detail }) => {
  const before = Number(sessionStorage.getItem("clicks"));
  if (isTrusted && detail) sessionStorage.setItem("clicks", before + 1);
}, true);
"""


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    served = Served(tmp_path_factory.mktemp("upload"), guarded=True)
    yield served
    served.running.kill()


@pytest.fixture
def page(browser, served):
    """A page of an admin; an error in a script fails the test."""
    faults = []
    with browser.new_context(base_url=served.address, reduced_motion="reduce") as context:
        context.set_default_timeout(PATIENCE)
        context.on("weberror", lambda fault: faults.append(str(fault.error)))
        sign_in(context, served.running.token)
        page = context.new_page()
        page.on("console", lambda line: faults.append(line.text) if "Policy" in line.text else None)
        yield page
    assert faults == []


def sign_in(context, token):
    context.request.post("/sign-in", form={"token": token, "next": "/tasks"}, max_redirects=0)


@pytest.fixture
def task(served):
    """A new task of its own, which asks about everything; its uploads do not stay."""
    yield served.task()
    begun = served.running._service._bound.service.uploads
    for one in list(begun._open.values()):
        begun.drop(one)


def open_upload(page, task):
    page.goto(f"{task.page}/upload")
    page.locator("#choose-file:enabled").wait_for()


def give(page, content, name="mails.csv"):
    buffer = content.encode() if isinstance(content, str) else content
    page.locator("#file").set_input_files({"name": name, "mimeType": "", "buffer": buffer})


def figures(task):
    address = f"{task.served.address}/api/tasks/{task.name}/figures"
    with urllib.request.urlopen(urllib.request.Request(address, headers=task.served.who), timeout=60) as answer:
        return json.load(answer)


# ---------------------------------------------------------------------- from nothing to the first label


def test_a_newcomer_labels_the_first_item_after_five_clicks(browser, tmp_path):
    served = Served(tmp_path)  # as `askance serve --open` does
    file = tmp_path / "mails.csv"
    file.write_text("id,text,label\n" + "".join(f"m{row},mail number {row} for you,\n" for row in range(12)))
    try:
        with browser.new_context(base_url=served.address) as context:
            context.set_default_timeout(PATIENCE)
            context.add_init_script(COUNT_CLICKS)
            page = context.new_page()
            page.goto("/")
            page.get_by_label("Name", exact=True).wait_for()
            assert [
                one.get_attribute("name")
                for one in page.locator("#task-form :is(input, textarea)").all()
                if one.is_visible()
            ] == [
                "name",
                "classes",
                "multilabel",
            ]
            page.keyboard.type("mails")
            page.keyboard.press("Tab")
            page.keyboard.type("ham, spam")
            page.get_by_role("button", name="Create the task").click()
            with page.expect_file_chooser() as chooser:
                page.get_by_role("button", name="Choose a file").click()
            chooser.value.set_files(file)
            page.get_by_text("12 rows, 0 already labelled.").wait_for()
            page.get_by_role("button", name="Add items").click()
            page.get_by_role("heading", name="12 items were added").wait_for()
            page.get_by_role("link", name="Start labelling").click()
            page.wait_for_selector("#item[data-item][aria-busy=false]")
            page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 5)))")
            page.locator(".answer").first.click()
            page.locator("#previous .chip").wait_for()
            page.wait_for_function(
                "async () => (await (await fetch('/api/tasks/mails/figures')).json()).labelled === 1"
            )
            assert page.evaluate("() => Number(sessionStorage.getItem('clicks'))") == 5
    finally:
        served.running.kill()


def test_a_dropped_file(page, task):
    open_upload(page, task)
    dropped = page.evaluate_handle(
        "(text) => { const all = new DataTransfer(); all.items.add(new File([text], 'mails.csv')); return all; }",
        MAILS,
    )
    page.dispatch_event("#choose", "drop", {"dataTransfer": dropped})
    page.get_by_role("heading", name="mails.csv").wait_for()
    page.get_by_text("20 rows, 0 already labelled.").wait_for()
    assert figures(task)["items"] == 0


@pytest.mark.slow
def test_kinds_are_changed_by_a_select_and_unknown_classes_are_added(page, served):
    task = served.task(classes=["a", "b", "c"])
    open_upload(page, task)
    give(page, "said,note,label\nsee you at nine,short,a\nwin a prize now,other,d\n")
    page.get_by_text("1 row has a label that is not a class of this task: “d” (1).").wait_for()
    page.get_by_role("button", name="Add this class").click()
    page.get_by_text("2 rows, 2 already labelled.").wait_for()
    page.get_by_label("Kind of label").select_option("ignored")
    page.get_by_text("2 rows, 0 already labelled.").wait_for()
    page.get_by_label("Kind of note").select_option("text")
    page.wait_for_function("() => document.querySelector('[data-column=said]').value === 'ignored'")
    page.get_by_label("Kind of note").select_option("ignored")
    page.locator("#preview-wrong").get_by_text("No column is the text of the items").wait_for()
    assert page.get_by_role("button", name="Add items").is_disabled()
    page.get_by_label("Kind of said").select_option("text")
    page.locator("#add:enabled").click()
    page.get_by_role("heading", name="2 items were added").wait_for()


@pytest.mark.slow
def test_parquet(page, task):
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table({"text": ["win now", "see you"]}), buffer)
    open_upload(page, task)
    give(page, buffer.getvalue(), "mails.parquet")
    page.get_by_text("2 rows, 0 already labelled.").wait_for()


# ---------------------------------------------------------------------- interruptions


def test_adding_goes_on_after_a_lost_connection_and_a_reload(page, task, monkeypatch):
    monkeypatch.setattr(upload, "ITEMS", 4)
    open_upload(page, task)
    give(page, MAILS)
    page.locator("#add:enabled").wait_for()
    sent = []

    def second_is_lost(route):
        sent.append(route)
        if len(sent) < 3:
            route.continue_()
        else:
            route.abort()

    page.route("**/rows", second_is_lost)
    page.locator("#add").click()
    page.get_by_text("The service cannot be reached. This continues when it is back.").wait_for()
    assert figures(task)["items"] == 8
    page.unroute("**/rows")
    page.reload()
    page.get_by_role("heading", name="20 items were added").wait_for()
    assert figures(task)["items"] == 20


def test_a_file_of_which_a_part_has_arrived_is_chosen_again(page, task, monkeypatch):
    monkeypatch.setattr(uploads, "PART_BYTES", 100)
    open_upload(page, task)
    sent = []

    def third_is_lost(route):
        sent.append(route)
        if len(sent) < 3:
            route.continue_()
        else:
            route.abort()

    page.route("**/parts?*", third_is_lost)
    give(page, MAILS)
    page.get_by_text("The service cannot be reached. This continues when it is back.").wait_for()
    page.unroute("**/parts?*")
    page.reload()
    page.get_by_role("heading", name="Choose mails.csv again to continue").wait_for()
    starts = []
    page.on("request", lambda request: starts.append(request.url) if "/parts" in request.url else None)
    give(page, MAILS)
    page.get_by_text("20 rows, 0 already labelled.").wait_for()
    assert starts[0].endswith("start=200"), "nothing is sent twice"


@pytest.mark.slow
def test_a_cancelled_upload_keeps_what_was_added(page, task, monkeypatch):
    monkeypatch.setattr(upload, "ITEMS", 4)
    open_upload(page, task)
    give(page, MAILS)
    page.locator("#add:enabled").wait_for()
    sent = []

    def only_the_first(route):
        sent.append(route)
        if len(sent) == 1:
            route.continue_()
        else:
            route.abort()

    page.route("**/rows", only_the_first)
    page.locator("#add").click()
    page.get_by_text("The service cannot be reached.").wait_for()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_text("Cancelled. 4 items were added and stay.").wait_for()
    page.reload()
    page.get_by_role("heading", name="Drop a file here, or choose one").wait_for()
    assert figures(task)["items"] == 4


# ---------------------------------------------------------------------- what is wrong with a file


WRONG = [
    ("mails.csv", b"", "mails.csv: is empty"),
    ("mails.csv", b"a,b\n1,2\n3\n", "line 3: has 1 cell but the header has 2"),
    ("mails.xlsx", b"PK\x03\x04 and more", "save it as CSV."),
    ("mails.parquet", b"", "mails.parquet: is empty"),
]


def test_a_refused_file_is_explained_at_its_field(page, task):
    open_upload(page, task)
    for name, content, words in WRONG:
        give(page, content, name)
        page.locator("#file-wrong").get_by_text(words).wait_for()
        assert page.locator("#choose-file").evaluate("button => button === document.activeElement")
    assert figures(task)["items"] == 0
    give(page, MAILS)
    page.get_by_text("20 rows").wait_for()
    assert page.locator("#file-wrong").inner_text() == ""


@pytest.mark.slow
def test_a_file_that_is_too_large(page, task, served, monkeypatch):
    monkeypatch.setattr(served.running._service._bound.service.uploads, "most_bytes", 100)
    open_upload(page, task)
    give(page, MAILS)
    page.locator("#file-wrong").get_by_text("can be uploaded: split it, or send it with askance push").wait_for()


# ---------------------------------------------------------------------- empty pages, and no barriers


@pytest.mark.parametrize("path", ["", "/items", "/label"])
def test_every_empty_page_offers_it(page, task, path):
    page.goto(task.page + path)
    command = f"askance push FILE --task {task.name} --url {task.served.address}"
    page.get_by_text(command, exact=True).wait_for()
    page.get_by_role("link", name="Upload a file").click()
    page.get_by_role("heading", name="Drop a file here, or choose one").wait_for()


@pytest.mark.slow
def test_who_may_not_add_items_is_told_who_may(browser, served, task):
    token = served.post("/api/tokens", {"name": f"labeller-{task.name}", "role": "labeller"})["token"]
    with browser.new_context(base_url=served.address) as context:
        context.set_default_timeout(PATIENCE)
        sign_in(context, token)
        page = context.new_page()
        for path in ("", "/items", "/label"):
            page.goto(task.page + path)
            page.get_by_text("An admin can add some.").wait_for()
            assert page.get_by_role("link", name="Add items").count() == 0
        assert page.goto(f"{task.page}/upload").status == 403


@pytest.mark.slow
def test_nothing_is_in_the_way_on_any_state(page, served, task, monkeypatch):
    script()
    found = {}

    def look(state):
        for colours, size in LOOKS:
            page.emulate_media(color_scheme=colours)
            page.set_viewport_size(size)
            if barred := barriers(page):
                found[state, colours] = barred
            assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"), (state, colours)

    for path in ("", "/items", "/label"):
        page.goto(task.page + path)
        page.get_by_role("link", name="Upload a file").wait_for()
        look(f"empty{path}")
    open_upload(page, task)
    page.locator("#terminal summary").click()
    look("choose")
    give(page, b"a,b\n1,2\n3\n")
    page.locator("#file-wrong:not(:empty)").wait_for()
    look("refused")
    give(page, "id,text,label\n1,one,ham\n1,two,scam\n")
    page.get_by_text("rows have the same id").wait_for()
    look("a wrong column")
    page.get_by_label("Kind of id").select_option("ignored")
    page.locator("#add:enabled").wait_for()
    look("preview")
    page.route("**/rows", lambda route: route.abort())
    page.locator("#add").click()
    page.get_by_text("The service cannot be reached.").wait_for()
    look("adding")
    page.unroute("**/rows")
    page.get_by_role("heading", name="2 items were added").wait_for()
    look("done")
    page.goto("/new-task")
    page.get_by_text("More settings").click()
    page.get_by_role("button", name="Create the task").click()
    page.get_by_role("alert").wait_for()
    look("form")
    assert found == {}


def test_an_upload_whose_first_response_was_lost_takes_no_second_place(page, task):
    """Each attempt began another upload, until there were too many."""
    lost = []

    def lose(route):
        if route.request.method != "POST" or lost:
            return route.continue_()
        lost.append(route.request.url)
        route.fetch()
        return route.abort("connectionreset")

    open_upload(page, task)
    page.route("**/uploads", lose)
    give(page, MAILS)
    page.get_by_text("The service cannot be reached").first.wait_for()
    give(page, MAILS)
    page.locator("#add:enabled").wait_for()
    assert len(task.get("uploads")["uploads"]) == 1


def test_labelled_rows_are_added_as_gold_items(page, task):
    open_upload(page, task)
    give(page, "text,label\n" + "".join(f"mail {row},{'spam' if row % 2 else ''}\n" for row in range(20)))
    page.get_by_label("Add labelled rows as gold items").check()
    page.get_by_role("button", name="Add items").click()
    page.get_by_role("heading", name="10 gold items were added").wait_for()
    found = figures(task)
    assert (found["gold"], found["items"], found["imported"]) == (10, 0, 0)
