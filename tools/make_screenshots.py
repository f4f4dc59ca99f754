"""Take screenshots of every page with synthetic data, light and dark, narrow and wide: `make screenshots`.

They go to `build/screenshots`. With `--keep`, those that the documentation shows also go to `docs/pictures/pages`.
"""

import csv
import random
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from rich.progress import track

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[1] / "tests/support")]

from bench.load import Running  # noqa: E402

from askance.pool import open_session  # noqa: E402
from askance.service.client import Client, Item  # noqa: E402
from askance.service.demo.world import synthetic_messages  # noqa: E402
from browser import chromium  # noqa: E402

TUTORIAL = Path(__file__).parents[1] / "docs" / "pictures" / "pages"
TASK = """name = "support-desk"
classes = ["billing", "bug", "praise", "spam"]
[hashing]
bits = 18
[budget]
rate = 0.4
total = 600
[interface]
guidance = "Billing is about money. A bug is something that does not work. Praise asks for nothing."
"""
FIRST_UNANSWERED = 52  # of the batches, so that there is something to label
WIDTHS = {"phone": (390, 844), "wide": (1440, 900)}
PAGES = {
    "tasks": "/tasks",
    "new-task": "/new-task",
    "dashboard": "/tasks/support-desk",
    "label": "/tasks/support-desk/label",
    "items": "/tasks/support-desk/items?state=labelled",
    "item": "/tasks/support-desk/items/7",
    "review": "/tasks/support-desk/review",
    "similar": "/tasks/support-desk/items/7/similar",
    "model": "/tasks/support-desk/model",
    "settings": "/tasks/support-desk/settings",
    "people": "/people",
    "audit": "/audit",
}
KEPT = {
    "label-light-wide",
    "label-file-light-wide",
    "dashboard-light-wide",
    "model-light-wide",
    "items-light-wide",
    "label-dark-phone",
}


def main() -> None:
    """Take all screenshots."""
    target = Path("build/screenshots")
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    with world() as (address, token), labelled_file() as link, chromium() as browser:
        kinds = [(scheme, width) for scheme in ("light", "dark") for width in WIDTHS]
        for scheme, width in track(kinds, "Drawing"):
            size = dict(zip(("width", "height"), WIDTHS[width], strict=True))
            context = browser.new_context(color_scheme=scheme, viewport=size, locale="en-GB")
            picture(context, f"{address}/sign-in", target / f"sign-in-{scheme}-{width}.png", keep=False)
            sign_in(context, address, token)
            for name, path in PAGES.items():
                file = target / f"{name}-{scheme}-{width}.png"
                picture(context, address + path, file, keep="--keep" in sys.argv)
            file = target / f"label-file-{scheme}-{width}.png"
            picture(context, link, file, keep="--keep" in sys.argv)
            context.close()


@contextmanager
def world() -> Iterator[tuple[str, str]]:
    """A service with a task that has run for a while."""
    with tempfile.TemporaryDirectory() as directory:
        running = Running(str(Path(directory) / "store.db"), TASK, Path(directory), guarded=True)
        try:
            address = f"http://127.0.0.1:{running.port}"
            live_a_while(address, running.token)
            yield address, running.token
        finally:
            running.stop()


def live_a_while(address: str, token: str) -> None:
    """Send some hundreds of messages and answer most questions, sometimes wrongly."""
    chance, messages, kinds = random.Random(7), synthetic_messages(7), dict[str, str]()
    with Client(address, token, "support-desk") as admin:
        tokens = [admin.create_token(f"desk-{n}", "labeller").token for n in (1, 2)]
        desks = [Client(address, token, "support-desk") for token in tokens]
        admin.create_token("mail-gateway", "ingest")
        for batch in range(60):
            some = list(islice(messages, 20))
            items = [Item(text=text, id=f"mail-{batch}-{n}") for n, (text, _) in enumerate(some)]
            admin.decide(items)
            kinds.update(some)
            for desk in desks if batch < FIRST_UNANSWERED else []:
                for question in desk.questions(chance.randint(3, 5)):
                    desk.label(question, kinds[question.text] if chance.random() > 0.03 else "bug")
        admin.correct(next(iter(admin.labels()))["item"], "praise")
        for desk in desks:
            desk.close()


@contextmanager
def labelled_file() -> Iterator[str]:
    """The address of the page of `askance label FILE --web`, after some answers."""
    messages = list(islice(synthetic_messages(7), 300))
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "tickets.csv"
        with path.open("w", newline="") as file:
            rows = [[f"C{number:04}", text] for number, (text, _) in enumerate(messages)]
            csv.writer(file).writerows([["customer", "text"], *rows])
        with open_session(path, given={"classes": ["billing", "bug", "praise", "spam"]}) as opened:
            for _ in range(120):
                question = opened.session.question()
                assert question is not None
                opened.answer(messages[question.row][1])
        words = [sys.executable, "-m", "askance", "label", str(path), "--web", "--no-browser"]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as command:
            assert command.stdout is not None
            try:
                yield next(word for line in command.stdout for word in line.split() if word.startswith("http"))
            finally:
                command.send_signal(signal.SIGINT)


def sign_in(context: Any, address: str, token: str) -> None:
    """Sign in as an admin."""
    page = context.new_page()
    page.goto(f"{address}/sign-in")
    page.get_by_label("Your token").fill(token)
    page.keyboard.press("Enter")
    page.wait_for_url("**/tasks")
    page.close()


def picture(context: Any, address: str, path: Path, *, keep: bool) -> None:
    """A page after it has settled: the full page, and the first screen of those that are kept."""
    page = context.new_page()
    page.goto(address)
    page.wait_for_load_state("load")
    page.locator("[aria-busy=true]").first.wait_for(state="detached")
    for place in page.locator(".chart").all():
        place.locator("svg, .nothing").first.wait_for()
    page.wait_for_timeout(800)
    page.screenshot(path=path, full_page=True)
    if keep and path.stem in KEPT:
        TUTORIAL.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=TUTORIAL / path.name)
    page.close()


if __name__ == "__main__":
    main()
