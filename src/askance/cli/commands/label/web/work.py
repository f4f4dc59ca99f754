"""The work of `askance label FILE --web`: serve a page until the labeller has finished."""

import threading
import webbrowser

from rich.console import Console

from askance.cli.commands.label.web.page_session import PageSession
from askance.cli.commands.label.web.server import PageServer
from askance.pool.labelling.files import FileSession

POLL_SECONDS = 0.1


def label_in_page(opened: FileSession, limit: int | None, console: Console, *, browser: bool) -> None:
    """Ask in a page, until the labeller presses Finish there or Ctrl-C here."""
    session = PageSession(opened, limit)
    with PageServer(session) as server:
        console.print(f"Label in your browser:  {server.link(server.access.code)}", soft_wrap=True)
        console.print("The page is for this machine only. Finish there, or press Ctrl-C here.", soft_wrap=True)
        if browser:
            _open(server.link(server.access.code_for_once))
        try:
            server.serve_forever(POLL_SECONDS)
        finally:
            session.end()  # an answer that is being learned is learned first
        if server.failure is not None:
            raise server.failure


def _open(address: str) -> None:
    """Open the browser of this machine, if it has one with a window."""
    try:
        found = webbrowser.get()
    except webbrowser.Error:
        return
    if type(found) is not webbrowser.GenericBrowser:  # that would take over the terminal
        # Some browsers wait until they are closed.
        threading.Thread(target=found.open, args=(address,), daemon=True).start()
