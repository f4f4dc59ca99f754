"""The page of `askance label FILE --web` in a browser: keys, clicks, other tabs, and texts that are only texts."""

import csv
from contextlib import contextmanager

import pytest

from askance.pool.labelling.files import Places
from askance.pool.labelling.journal import recorded
from axe import barriers, script
from label_page import PATIENCE, label_page
from payloads import OURS, STRANGE

pytestmark = pytest.mark.compiled
COLUMN = "<script>pwned=1</script>"
CELL = "</td><img src=x onerror=pwned=2><svg onload=alert(3)>"
CLASS = "<b onclick=pwned=4>x"
SIZES = {"phone": {"width": 390, "height": 844}, "wide": {"width": 1280, "height": 900}}


@pytest.fixture
def rows(tmp_path):
    """A table in which everything would like to be markup."""
    path = tmp_path / "rows&amp;.csv"
    with path.open("w", newline="") as file:
        values = [[f"{CELL} {row}", f"{'a long line ' * 40}\n{row}"] for row in range(40)]
        csv.writer(file).writerows([[COLUMN, "story"], *values])
    return path


class Tab:
    """A tab, and what it did that it should not."""

    def __init__(self, context, address):
        self.faults = []
        self.page = context.new_page()
        self.page.set_default_timeout(1000 * PATIENCE)
        self.page.on("dialog", lambda dialog: (self.faults.append(dialog.message), dialog.dismiss()))
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("console", lambda line: self.faults.append(line.text) if "Policy" in line.text else None)
        self.home = address.partition("/?")[0]
        self.page.on("request", lambda one: one.url.startswith(self.home) or self.faults.append(one.url))
        self.page.goto(address)
        self.wait()

    def wait(self, other_than="none"):
        """Until another row is shown."""
        self.page.locator(f"#item[data-row]:not([data-row='{other_than}'])[aria-busy=false]").wait_for()

    @property
    def row(self):
        return self.page.locator("#item").get_attribute("data-row")

    def click_first_class(self):
        """After the row has been read: time passes in the page as it does here, so that is always enough."""
        self.page.wait_for_timeout(400)
        self.page.locator(".answer").first.click()

    def check(self):
        assert self.page.evaluate(STRANGE, [OURS]) == []
        assert self.faults == []

    def labels(self):
        """The last answers, from the newest."""
        return self.page.locator("#recent .label").all_text_contents()

    def use_secrets_for(self, visitor):
        """Make a client another tab of this browser."""
        cookie = self.page.context.cookies()[0]
        visitor.cookie = f"{cookie['name']}={cookie['value']}"
        visitor.token = self.page.evaluate("() => sessionStorage.getItem('askance:token')")


@contextmanager
def tab_about(browser, rows):
    """A tab with the table, and its command, which must start in the test: it prints where pytest looks then."""
    with label_page(rows, "--classes", f"{CLASS},ham", enters=False) as served, browser.new_context() as context:
        address = f"http://127.0.0.1:{served.visitor.port}{served.visitor.link}"
        tab = Tab(context, address)
        tab.served = served
        tab.use_secrets_for(served.visitor)
        yield tab


def stop_the_clock(tab):
    tab.page.clock.install(time=0)
    tab.page.clock.pause_at(1000)
    tab.page.reload()
    tab.wait()


def labels_of(path):
    return [answer.label for answer in recorded(Places.of(path).journal).answers]


def test_texts_are_texts_and_nobody_is_kept_out(browser, rows):
    with tab_about(browser, rows) as tab:
        script()
        page = tab.page
        assert page.url == f"{tab.home}/", "no secret stays in the address bar"
        assert page.title() == f"Label {rows.name} · askance"
        table = page.locator("#content .record")
        assert table.locator("th").first.text_content() == COLUMN
        assert table.locator("th").first.bounding_box()["width"] > 100, "names of columns are read in lines"
        assert table.locator("td").first.text_content() == f"{CELL} {tab.row}"
        assert page.locator(".answer span").first.text_content() == CLASS
        before = tab.row
        tab.click_first_class()
        tab.wait(before)
        assert tab.labels() == [CLASS]
        assert page.locator("#status").text_content().startswith(f"Row {before}: {CLASS}.")
        for colours in ("light", "dark"):
            page.emulate_media(color_scheme=colours, reduced_motion="reduce")
            for size in SIZES.values():
                page.set_viewport_size(size)
                assert barriers(page) == [], (colours, size)
                assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
        tab.check()
        page.keyboard.press("q")
        assert page.evaluate("() => document.activeElement.id") == "finish"
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="Finished").wait_for()
        assert barriers(page) == []
        tab.check()
        assert tab.served.result.exit_code == 0
        assert labels_of(rows) == [CLASS]


def test_keys_that_are_held_down_and_clicks_that_come_too_soon(browser, rows):
    with tab_about(browser, rows) as tab:
        stop_the_clock(tab)
        page = tab.page
        first = tab.row
        page.keyboard.press("2")  # nobody has read the row yet
        page.clock.fast_forward(300)
        page.keyboard.press("x")  # has no meaning
        page.keyboard.down("2")
        tab.wait(first)
        page.clock.fast_forward(5000)
        page.keyboard.down("2")  # it repeats
        page.keyboard.up("2")
        second = tab.row
        page.locator(".answer", has_text=CLASS).dblclick()
        tab.wait(second)
        assert tab.labels() == [CLASS, "ham"]
        third = tab.row
        page.clock.fast_forward(300)
        page.keyboard.press("s")
        tab.wait(third)
        page.clock.fast_forward(300)
        fourth = tab.row
        page.keyboard.press("+")
        page.keyboard.type("u + s")
        page.keyboard.press("Enter")
        tab.wait(fourth)
        assert tab.labels() == ["u + s", "skipped", CLASS, "ham"]
        assert labels_of(rows) == ["ham", CLASS, None, "u + s"]
        page.keyboard.press("u")
        page.locator(f"#item[data-row='{fourth}'][aria-busy=false]").wait_for()
        assert labels_of(rows) == ["ham", CLASS, None]
        assert page.locator(".answer").count() == 3
        tab.check()


def test_another_tab_and_a_command_that_ends(browser, rows):
    with tab_about(browser, rows) as tab:
        page = tab.page
        before = tab.row
        tab.served.visitor.answer("ham")
        tab.click_first_class()
        page.get_by_text("Another row is asked about now").wait_for()
        tab.wait(before)
        assert labels_of(rows) == ["ham"]
        assert tab.labels() == ["ham"]
        tab.served.visitor.post("/finish")
        assert tab.served.result.exit_code == 0
        tab.click_first_class()
        page.get_by_text("The command in the terminal cannot be reached.").wait_for()
        assert labels_of(rows) == ["ham"]
