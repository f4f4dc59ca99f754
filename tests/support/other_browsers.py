"""Firefox and WebKit, as Debian has them, by the protocols of WebDriver that they speak themselves."""

import json
import os
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from needs import missing

PATIENCE = 60  # seconds
PREFERENCES = {
    "marionette.port": 0,
    "browser.dom.window.dump.enabled": True,  # errors of scripts are written to the output
    "devtools.console.stdout.content": True,
    "datareporting.policy.dataSubmissionEnabled": False,
    "app.update.disabledForTesting": True,
}
MINI_BROWSER = next(iter(sorted(Path("/usr/lib").glob("*/webkit2gtk-4.1/MiniBrowser"))), None)
# GTK needs a display. Without a graphics card, WebKit draws by itself.
WEBKIT = {"LIBGL_ALWAYS_SOFTWARE": "1", "WEBKIT_DISABLE_COMPOSITING_MODE": "1", "GTK_A11Y": "none"}
WEBKIT |= {"WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1"}  # the tests may run as root
# Firefox prints errors of pages, and errors of its own with other addresses.
PRINTED = "JavaScript error: http:"
# WebKit prints none while it is driven: errors are kept in the page, from the first command on.
LISTEN = """
if (window.listens) return;
window.listens = true;
const keep = (words) => sessionStorage.setItem("errors", `${sessionStorage.getItem("errors") ?? ""}${words}\\n`);
addEventListener("error", (event) => keep(event.message));
addEventListener("unhandledrejection", (event) => keep(`rejected: ${event.reason}`));
addEventListener("securitypolicyviolation", (event) => keep(`policy: ${event.violatedDirective}`));
"""


class Driven:
    """A browser with one page."""

    def __init__(self, do: Callable[[str, Any], Any], output: Path | None = None) -> None:
        self._do = do
        self._output = output

    def go(self, address: str) -> None:
        self._do("Navigate", {"url": address})
        self.run(LISTEN)

    def run(self, script: str, *given: Any) -> Any:
        """The value of a script in the page."""
        return self._do("ExecuteScript", {"script": script, "args": given})

    def press(self, *keys: str) -> None:
        """Press keys one after the other, where the focus is."""
        actions = [{"type": verb, "value": key} for key in keys for verb in ("keyDown", "keyUp")]
        self._do("PerformActions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def until(self, script: str, *given: Any) -> Any:
        """Wait until a script has a value that is true."""
        end = time.monotonic() + PATIENCE
        while not (found := self._tried(script, *given)):
            assert time.monotonic() < end, (
                f"never true: {script} {given}\n{self.run('return document.body.innerText')}"
            )
            time.sleep(0.05)
        return found

    def _tried(self, script: str, *given: Any) -> Any:
        try:
            self.run(LISTEN)
            return self.run(script, *given)
        except RefusedError:  # the page is just being left
            return None

    def fill(self, selector: str, text: str) -> None:
        """Type a text into a field."""
        self.until("const one = document.querySelector(arguments[0]); one?.focus(); return one !== null", selector)
        self.press(*text)

    def click(self, selector: str) -> None:
        self.until("const one = document.querySelector(arguments[0]); one?.click(); return one !== null", selector)

    def until_an_error(self) -> None:
        """Wait for an error that somebody made."""
        end = time.monotonic() + PATIENCE
        while not self.errors:
            assert time.monotonic() < end, "no error was seen"
            time.sleep(0.05)

    @property
    def errors(self) -> list[str]:
        """The errors of all pages so far."""
        printed = self._output.read_text(errors="replace").splitlines() if self._output else []
        kept = self.run("return sessionStorage.getItem('errors') ?? ''").splitlines()
        return [*kept, *(line for line in printed if PRINTED in line)]


class RefusedError(Exception):
    """The browser refused a command."""


@contextmanager
def firefox(directory: Path) -> Iterator[Driven]:
    """Firefox without a window, by its Marionette."""
    program = shutil.which("firefox-esr") or shutil.which("firefox")
    if program is None:
        missing("the test with Firefox", "firefox-esr")
    profile = directory / "profile"
    profile.mkdir()
    lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in PREFERENCES.items()]
    (profile / "user.js").write_text("\n".join(lines))
    command = [program, "--headless", "--marionette", "--no-remote", "--profile", str(profile), "about:blank"]
    with _process(command, directory, HOME=str(directory)) as output:
        with _starting("Firefox"):
            found = profile / "MarionetteActivePort"
            _wait(lambda: found.exists() and found.read_text().strip(), output)
            line = socket.create_connection(("127.0.0.1", int(found.read_text())), PATIENCE)
            marionette = _Marionette(line)
            marionette.do("NewSession", {"capabilities": {}})
        with line:
            yield Driven(marionette.do, output)


class _Marionette:
    """Commands as JSON, with their length before them."""

    def __init__(self, line: socket.socket) -> None:
        self._line = line.makefile("rwb")
        self._number = 0
        self._read()  # a greeting

    def do(self, command: str, given: Any) -> Any:
        self._number += 1
        content = json.dumps([0, self._number, f"WebDriver:{command}", given]).encode()
        self._line.write(b"%d:%s" % (len(content), content))
        self._line.flush()
        _, _, error, value = self._read()
        if error is not None:
            raise RefusedError(error["message"])
        return value.get("value") if isinstance(value, dict) else value

    def _read(self) -> Any:
        length = b""
        while (one := self._line.read(1)) != b":":
            assert one, "Firefox has ended"
            length += one
        return json.loads(self._line.read(int(length)))


@contextmanager
def webkit(directory: Path) -> Iterator[Driven]:
    """The small browser that comes with WebKitGTK, by WebKitWebDriver, on a display of its own."""
    driver, display = shutil.which("WebKitWebDriver"), shutil.which("Xvfb")
    if driver is None or MINI_BROWSER is None:
        missing("the test with WebKit", "webkit2gtk-driver")
    if display is None:
        missing("the test with WebKit", "xvfb")
    reading, writing = os.pipe()
    screen = [display, "-displayfd", str(writing), "-screen", "0", "1440x900x24", "-nolisten", "tcp"]
    with _process(screen, directory, pass_fds=(writing,)):
        os.close(writing)
        with os.fdopen(reading) as told:
            number = told.readline().strip()
        port = _free_port()
        more = {"DISPLAY": f":{number}", "HOME": str(directory), "GDK_BACKEND": "x11", **WEBKIT}
        with _process([driver, f"--port={port}"], directory, **more) as output:
            with _starting("WebKit"):
                http = _Http(port, output)
            yield Driven(http.do)


PATHS = {"Navigate": "url", "ExecuteScript": "execute/sync", "PerformActions": "actions"}


class _Http:
    """Commands as requests to a driver."""

    def __init__(self, port: int, output: Path) -> None:
        self._address = f"http://127.0.0.1:{port}"
        _wait(self._answers, output)
        options = {"binary": str(MINI_BROWSER), "args": ["--automation"]}
        wanted = {"capabilities": {"alwaysMatch": {"webkitgtk:browserOptions": options}}}
        self._address += f"/session/{self._post('session', wanted)['sessionId']}"

    def do(self, command: str, given: Any) -> Any:
        return self._post(PATHS[command], given)

    def _answers(self) -> bool:
        try:
            return bool(urllib.request.urlopen(f"{self._address}/status", timeout=PATIENCE).status)
        except OSError:
            return False

    def _post(self, path: str, given: Any) -> Any:
        request = urllib.request.Request(
            f"{self._address}/{path}", json.dumps(given).encode(), {"content-type": "application/json"}
        )
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RefusedError(error.read().decode()) from None


@contextmanager
def _starting(name: str) -> Iterator[None]:
    """A browser that does not start on this machine says nothing about the pages."""
    try:
        yield
    except (AssertionError, OSError, RefusedError) as fault:
        pytest.skip(f"{name} does not start here: {fault}")


@contextmanager
def _process(command: list[str], directory: Path, pass_fds: tuple[int, ...] = (), **more: str) -> Iterator[Path]:
    """The output of a process, which is ended afterwards together with its children."""
    output = directory / f"{Path(command[0]).name}.log"
    with open(output, "wb") as file:
        process = subprocess.Popen(
            command,
            stdout=file,
            stderr=file,
            stdin=subprocess.DEVNULL,
            env=os.environ | more,
            pass_fds=pass_fds,
            start_new_session=True,
        )
        try:
            yield output
        finally:
            os.killpg(process.pid, 15)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 9)
                process.wait()


def _wait(condition: Callable[[], Any], output: Path) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, output.read_text(errors="replace")
        time.sleep(0.1)


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
