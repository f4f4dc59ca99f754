"""Two labellers, a lead and an admin who work at once with real pages, over lines with faults.

They do what people do: where a page does not go on, they open it or sign in again. What a page took from them is
noted at the moment at which it did.
"""

import asyncio
import random
import re
from collections import Counter
from collections.abc import Awaitable
from itertools import count
from typing import Any, NamedTuple

from playwright.async_api import Browser, Error, Page

from browser import ServedTask
from faulty_line import Line, until

CLASSES = ("bug", "praise", "spam")
WORDS = ("crash error broken", "love great thanks", "casino prize winner")
PATIENCE = 15_000  # then a person tries something else
ENOUGH = 60  # questions that wait: the admin adds more if there are fewer
ROWS = 40  # of a file
# A key counts when its question has been painted.
PAINTED = "() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 5)))"
# Tell of each answer and decision that a page takes, with what it shows at that moment, and of each notice.
EAVESDROP = """(() => {
  const store = Storage.prototype.setItem;
  Storage.prototype.setItem = function (name, value) {
    store.call(this, name, value);
    if (!/^askance:(outbox|decisions):/.test(name)) return;
    const text = document.querySelector("#content .text")?.textContent ?? null;
    noted({ ...JSON.parse(value), shown: Number(document.getElementById("item").dataset.item ?? 0), text });
  };
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes)
      for (const one of addedNodes)
        if (one.classList?.contains("notice") && one.parentElement?.id === "notices") noticed(one.textContent);
  }).observe(document, { childList: true, subtree: true });
})();"""
UNSENT = "() => Object.keys(localStorage).filter((name) => /^askance:(outbox|decisions):/.test(name)).length"


def right(text: str) -> str:
    """The class of a text of the run."""
    return next(name for name, words in zip(CLASSES, WORDS, strict=True) if words.split()[0] in text)


class Person:
    """Somebody with a browser of their own."""

    pause = (0.05, 0.4)  # seconds between two things that they do

    def __init__(self, name: str, token: str, task: ServedTask, random_state: int) -> None:
        self.name, self.token, self.task = name, token, task
        self.chance = random.Random(random_state)
        self.line = Line(random.Random(random_state + 100))
        self.noted: list[dict[str, Any]] = []
        self.notices: list[str] = []
        self.errors: list[str] = []
        self.did: Counter[str] = Counter()
        self.in_vain: Counter[str] = Counter()  # what could not be done, and why
        self.page: Page

    async def enter(self, browser: Browser) -> None:
        """Open a browser window."""
        self.context = await browser.new_context(base_url=self.task.served.address)
        self.context.set_default_timeout(PATIENCE)
        self.context.on("weberror", lambda fault: self.errors.append(str(fault.error)))
        await self.context.expose_function("noted", lambda note: self.noted.append(note))
        await self.context.expose_function("noticed", lambda text: self.notices.append(text))
        await self.context.add_init_script(EAVESDROP)
        await self.line.watch(self.context)
        self.page = await self.context.new_page()

    async def work(self, over: asyncio.Event) -> None:
        """Do one thing after the other."""
        while not over.is_set():
            await self.try_once()
            await asyncio.sleep(self.chance.uniform(*self.pause))

    async def try_once(self) -> None:
        """Do one thing; a page that was left, or a service that is away, is no reason to give up."""
        try:
            await self.step()
        except Error as error:
            self.in_vain[str(error).partition("\n")[0][:80]] += 1

    async def step(self) -> None:
        raise NotImplementedError

    async def open(self, path: str) -> None:
        """Go to a page of the task; sign in where that is asked for."""
        await self.page.goto(f"/tasks/{self.task.name}/{path}")
        await self.sign_in()

    async def sign_in(self) -> None:
        """Give the token, if this is the page for it."""
        if await self.page.locator("[name=token]").count():
            self.did["signed in"] += 1
            await self.page.locator("[name=token]").fill(self.token)
            await self.page.keyboard.press("Enter")
            await self.page.wait_for_url("**/tasks/**")

    async def is_on(self, place: str) -> bool:
        return bool(await self.page.locator(place).count())

    async def is_signed_out(self) -> bool:
        """Whether the page says so."""
        return (
            await self.page.locator("#banner a").is_visible()
            or await self.page.get_by_text("You are signed out").first.is_visible()
        )

    async def has_sent(self) -> bool:
        """Whether no answer waits in the browser."""
        return not await self.page.evaluate(UNSENT)

    async def sign_out(self) -> None:
        """Lose the session."""
        self.line.faults["signed out"] += 1
        await self.context.clear_cookies()

    async def leave(self) -> None:
        """Wait, on a line without faults, until the service has everything."""
        raise NotImplementedError

    async def told(self, act: Awaitable[Any], words: str) -> str:
        """Do something, and wait for a notice of the page about it."""
        before = len(self.notices)
        await act
        try:
            await until(lambda: self._noticed(words, before), f"no notice like {words}", PATIENCE / 1000)
        except AssertionError as missing:
            raise Error(str(missing)) from None
        return " ".join(self.notices[before:])

    async def _noticed(self, words: str, before: int) -> bool:
        return any(re.search(words, notice) for notice in self.notices[before:])


class Labeller(Person):
    """Labels with keys, skips, undoes, and changes earlier answers."""

    async def step(self) -> None:
        if not await self.is_on("#label-page"):
            return await self.open("label")
        if await self.is_signed_out():
            return await self.open("label")
        draw = self.chance.random()
        if draw < 0.005:
            self.line.faults["signed out"] += 1
            return await self.page.get_by_role("button", name="Sign out").click()
        if draw < 0.035 and await self.is_on("#history button"):
            return await self.change()
        if draw < 0.07:
            self.did["undo"] += 1
            return await self.page.keyboard.press("u")
        if not await self.is_on("#item[data-item][aria-busy=false]"):
            return None
        await self.page.evaluate(PAINTED)
        text = await self.page.locator("#content .text").text_content()
        if draw < 0.12:
            return await self.page.keyboard.press("Space")
        name = right(text or "") if self.chance.random() < 0.85 else self.chance.choice(CLASSES)
        return await self.page.keyboard.press(str(1 + CLASSES.index(name)))

    async def change(self) -> None:
        """Choose one of the last answers, and give another one."""
        buttons = self.page.locator("#history button")
        await buttons.nth(self.chance.randrange(await buttons.count())).click(timeout=2000)
        await self.page.evaluate(PAINTED)
        self.did["change"] += 1
        await self.page.keyboard.press(self.chance.choice(["1", "2", "3", "Escape"]))

    async def leave(self) -> None:
        await self.open("label")
        await until(self.has_sent, f"{self.name} has answers that were not sent")


class Lead(Person):
    """Decides about disagreements, corrects, and labels similar items."""

    async def step(self) -> None:
        draw = self.chance.random()
        if await self.is_on("#review-page") and draw < 0.94 and not await self.is_signed_out():
            return await self.review()
        if draw > 0.97:
            return await self.similar()
        if draw > 0.94:
            return await self.correct()
        return await self.open("review")

    async def review(self) -> None:
        if await self.page.locator("#end").is_visible():
            await self.page.locator("#again").click()
            await self.page.locator("#item[aria-busy=false], #end:not([hidden])").first.wait_for()
            return await asyncio.sleep(0.5)
        if not await self.is_on("#item[data-item][aria-busy=false]"):
            return None
        draw = self.chance.random()
        if draw < 0.15:
            return await self.page.keyboard.press(self.chance.choice(["ArrowRight", "ArrowRight", "ArrowLeft"]))
        text = await self.page.locator("#content .text").text_content()
        label = None if draw < 0.3 else right(text or "") if draw < 0.9 else self.chance.choice(CLASSES)
        await self.page.keyboard.press("Enter" if label is None else str(1 + CLASSES.index(label)))
        return None

    async def some_item(self, state: str) -> int | None:
        """An item of that state."""
        path = f"/api/tasks/{self.task.name}/items?state={state}"
        found = await self.context.request.get(path, headers={"authorization": f"Bearer {self.token}"})
        items = (await found.json())["items"]
        return self.chance.choice(items)["item"] if items else None

    async def similar(self) -> None:
        """Give similar items one label, and sometimes undo it."""
        item = await self.some_item("open")
        if item is None:
            return
        await self.open(f"items/{item}/similar")
        await self.page.locator("#items .group-row").first.wait_for()
        await self.page.keyboard.press("a")
        self.did["group"] += 1
        label = self.page.keyboard.press(self.chance.choice("123"))
        await self.told(label, "labelled|had this label|No item was changed")
        if self.chance.random() < 0.4 and await self.page.locator("#last-group").is_visible():
            self.did["group undone"] += 1
            await self.told(self.page.keyboard.press("u"), "undone")

    async def correct(self) -> None:
        """Correct a label on the page of its item."""
        item = await self.some_item("labelled")
        if item is None:
            return
        await self.open(f"items/{item}")
        await self.page.locator("#correction:not([hidden])").wait_for()
        await self.page.get_by_label("Correct label").select_option(self.chance.choice(CLASSES))
        self.did["correction"] += 1
        correct = self.page.get_by_role("button", name="Correct the label").click()
        await self.told(correct, "is now|already the label|cannot be reached")

    async def leave(self) -> None:
        await self.open("review")
        await until(self.has_sent, f"{self.name} has decisions that were not sent")
        await self.page.locator("#item[data-item], #end:not([hidden])").first.wait_for()


class Upload(NamedTuple):
    """A file that was added, its ids or texts, and what the page said at the end."""

    has_ids: bool
    names: list[str]
    said: str


class Admin(Person):
    """Adds files when there are few questions, changes settings, and looks at figures."""

    pause = (0.2, 1.0)

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.numbers = count(1)
        self.uploads: list[Upload] = []
        self.file: tuple[bool, list[str], bytes] | None = None  # that is being added
        self.saved: list[str] = []  # guidelines that the page said were saved

    async def step(self) -> None:
        if self.file or await self.waiting() < ENOUGH:
            return await self.upload()
        draw = self.chance.random()
        if draw < 0.2:
            return await self.change_settings()
        if draw < 0.3:
            await self.open("items")
            return await self.page.locator("#items tr[data-item]").first.wait_for()
        self.did["dashboard"] += 1
        await self.open("")
        return await self.page.locator("#figures .figure").first.wait_for()

    async def waiting(self) -> int:
        path = f"/api/tasks/{self.task.name}/figures"
        found = await self.context.request.get(path, headers={"authorization": f"Bearer {self.token}"})
        return int((await found.json())["waiting"])

    def new_file(self) -> tuple[bool, list[str], bytes]:
        """Texts that are all different, every second time with ids."""
        has_ids = self.chance.random() < 0.5
        numbers = [next(self.numbers) for _ in range(ROWS)]
        texts = [f"{self.chance.choice(WORDS)} {number % 7} message {number}." for number in numbers]
        ids = [f"id-{number}" for number in numbers]
        lines = [f"{name},{text}" for name, text in zip(ids, texts, strict=True)] if has_ids else texts
        return has_ids, ids if has_ids else texts, "\n".join(["id,text" if has_ids else "text", *lines]).encode()

    async def upload(self) -> None:
        """Add a file: whatever the page asks for is done, until it says that it is done."""
        self.file = self.file or self.new_file()
        if not await self.is_on("#upload-page"):
            await self.open("upload")
        for _ in range(100):
            await self.sign_in()
            if await self.page.locator("#done").is_visible():
                has_ids, names, _ = self.file
                self.uploads.append(Upload(has_ids, names, await self.page.locator("#done-title").inner_text()))
                self.file = None
                self.did["upload"] += 1
                return await self.page.locator("#another").click()
            if await self.page.locator("#add:enabled").is_visible():
                await self.page.locator("#add").click()
            elif await self.page.locator("#choose-file:enabled").is_visible():
                content = {"name": f"file-{self.file[1][0]}.csv", "mimeType": "", "buffer": self.file[2]}
                await self.page.locator("#file").set_input_files(content)
            await asyncio.sleep(0.2)
        return await self.open("upload")

    async def change_settings(self) -> None:
        await self.open("settings")
        words = f"Guidelines number {next(self.numbers)}"
        if not await self.page.get_by_label("Labelling guidelines").is_visible():
            await self.page.get_by_text("More settings", exact=True).click()
        await self.page.get_by_label("Labelling guidelines").fill(words)
        save = self.page.get_by_role("button", name="Save changes").click()
        self.did["settings"] += 1
        if "Saved" in await self.told(save, "Saved|cannot be reached|busy"):
            self.saved.append(words)

    async def leave(self) -> None:
        for _ in range(10):
            if self.file:
                await self.upload()
        assert not self.file, "a file could not be added without faults"
