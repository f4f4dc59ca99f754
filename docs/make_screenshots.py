"""Pictures of every page, light and dark, on a phone and on a wide screen, of a made-up world that stands still.

They go to `build/screenshots`; with `--keep`, those of the tutorial go to `docs/pictures/pages` too.
"""

import random
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from rich.progress import track

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[1] / "tests")]

from bench.load import Connection, Running  # noqa: E402

from askance.live.demo import made_up_messages  # noqa: E402
from browser import chromium  # noqa: E402

TUTORIAL = Path(__file__).parent / "pictures" / "pages"
TASK = """name = "support-desk"
classes = ["billing", "bug", "praise", "spam"]
[hashing]
bits = 18
[budget]
rate = 0.2
total = 400
[desk]
guidance = "Billing is about money. A bug is something that does not work. Praise asks for nothing."
"""
API = "/api/tasks/support-desk"
WIDTHS = {"phone": (390, 844), "wide": (1440, 900)}
PAGES = {
    "tasks": "/tasks",
    "new-task": "/new-task",
    "dashboard": "/tasks/support-desk",
    "label": "/tasks/support-desk/label",
    "items": "/tasks/support-desk/items?state=labelled",
    "item": "/tasks/support-desk/items/7",
    "model": "/tasks/support-desk/model",
    "settings": "/tasks/support-desk/settings",
    "people": "/people",
    "audit": "/audit",
    "sign-in": "/sign-in",
}
KEPT = {"label-light-wide", "dashboard-light-wide", "model-light-wide", "items-light-wide", "label-dark-phone"}


def main() -> None:
    """Draw them all."""
    target = Path("build/screenshots")
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    with world() as address, chromium() as browser:
        kinds = [(scheme, width) for scheme in ("light", "dark") for width in WIDTHS]
        for scheme, width in track(kinds, "Drawing"):
            size = dict(zip(("width", "height"), WIDTHS[width], strict=True))
            context = browser.new_context(color_scheme=scheme, viewport=size, locale="en-GB")
            for name, path in PAGES.items():
                file = target / f"{name}-{scheme}-{width}.png"
                picture(context, address + path, file, keep="--keep" in sys.argv)
            context.close()


@contextmanager
def world() -> Iterator[str]:
    """A service with a task that has been at work for a while."""
    with tempfile.TemporaryDirectory() as directory:
        running = Running(str(Path(directory) / "store.db"), TASK, Path(directory))
        try:
            live_a_while(running.port)
            yield f"http://127.0.0.1:{running.port}"
        finally:
            running.stop()


def live_a_while(port: int) -> None:
    """Some hundreds of messages, most of their questions answered, by a labeller who errs now and then."""
    chance, messages = random.Random(7), made_up_messages(7)
    with Connection(port) as connection:
        for batch in range(60):
            some = list(islice(messages, 20))
            items = [{"text": text, "id": f"mail-{batch}-{n}"} for n, (text, _) in enumerate(some)]
            decided = connection.post(f"{API}/items", {"items": items})["decisions"]
            labels: list[dict[str, Any]] = [
                {"item": one["item"], "label": kind if chance.random() > 0.03 else "bug"}
                for one, (_, kind) in zip(decided, some, strict=True)
                if one["asked"] and batch < 58
            ]
            if labels:
                connection.post(f"{API}/labels", {"labels": labels})


def picture(context: Any, address: str, path: Path, *, keep: bool) -> None:
    """A page, when it has come to rest: all of it, and of the kept ones what is on the screen first."""
    page = context.new_page()
    page.goto(address)
    page.wait_for_load_state("load")
    if page.locator(".chart").count():
        page.locator(".chart canvas").nth(page.locator(".chart").count() - 1).wait_for()
    page.wait_for_timeout(800)
    page.screenshot(path=path, full_page=True)
    if keep and path.stem in KEPT:
        TUTORIAL.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=TUTORIAL / path.name)
    page.close()


if __name__ == "__main__":
    main()
