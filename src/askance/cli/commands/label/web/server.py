"""The server of a labelling page: on this machine, for one person, until the labelling ends.

It guards what it serves against other pages in the same browser and against other users of the machine: it listens
on the loopback address, answers only to its own names (a name that points here for a moment is not one), and wants
secrets in every request.
"""

import json
import re
import sys
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qs, urlsplit

from askance.cli.commands.label.web.access import Access
from askance.cli.commands.label.web.assets import asset
from askance.cli.commands.label.web.page_session import PageSession

ADDRESS = "127.0.0.1"
NAMES = (ADDRESS, "localhost")
HOST = re.compile(rf"(?:{'|'.join(map(re.escape, NAMES))})(?::[0-9]{{1,5}})?")  # a tunnel may have another port
POSTED = ("/answer", "/undo", "/finish")
MOST_BYTES = 64 * 1024
MOST_DIGITS = 12  # of a length
MOST_UNREAD = 1024 * 1024  # of a request that is too large: what is not read would cut off the answer
SECONDS_OF_SILENCE = 60
TOKEN = "X-Askance-Token"

# The same as for the pages of the service. There is nothing that a form could be sent to.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'none'; frame-ancestors 'none'; base-uri 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
NO_LINK = "Open the link that the terminal shows. If the command has been started again, its link is a new one."


class RefusedError(Exception):
    """A request that is not served, with a status of HTTP and the reason."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class PageServer(ThreadingHTTPServer):
    """Serves one session. `failure` is an error that ended it."""

    allow_reuse_address = False

    def __init__(self, session: PageSession) -> None:
        super().__init__((ADDRESS, 0), PageHandler)
        self.session = session
        self.access = Access(self.server_port)
        self.failure: BaseException | None = None

    def server_bind(self) -> None:
        """Bind without looking up the name of this machine, which can take long."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = ADDRESS, self.socket.getsockname()[1]

    def link(self, code: str) -> str:
        """An address with which somebody may open the page."""
        return f"http://{ADDRESS}:{self.server_port}/?code={code}"

    def fail(self, error: BaseException | None) -> None:
        """Stop serving because of an error, as the terminal does."""
        self.failure = error
        self.shutdown()

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002 - what the base class passes
        """Ignore browsers that go away."""
        error = sys.exception()
        if not isinstance(error, ConnectionError | TimeoutError):
            self.fail(error)


class PageHandler(BaseHTTPRequestHandler):
    """One request."""

    server: PageServer
    timeout = SECONDS_OF_SILENCE

    def do_GET(self) -> None:
        """Send the page, what it loads, or the state."""
        self._serve(self._get)

    def do_POST(self) -> None:
        """Take an answer, undo one, or finish."""
        self._serve(self._post)

    def _serve(self, work: Callable[[str, str], None]) -> None:
        try:
            try:
                parts = urlsplit(self.path)
            except ValueError:
                raise RefusedError(HTTPStatus.BAD_REQUEST, "This is not an address.") from None
            self._check_host()
            work(parts.path, parts.query)
        except RefusedError as refused:
            self._send_json(refused.status, {"message": str(refused)})

    def _get(self, path: str, query: str) -> None:
        if path == "/" and query:
            self._exchange(parse_qs(query).get("code", [""])[0])
            return
        self._check_cookie()
        if path == "/state":
            self._check_token()
            self._call("state", {})
        elif (found := asset("page.html" if path == "/" else path.removeprefix("/assets/"))) is not None:
            self._send(HTTPStatus.OK, found.content, found.media)
        else:
            raise RefusedError(HTTPStatus.NOT_FOUND, "There is no such page.")

    def _post(self, path: str, _: str) -> None:
        self._check_cookie()
        self._check_token()
        self._check_origin()
        given = self._body()
        if path not in POSTED:
            raise RefusedError(HTTPStatus.NOT_FOUND, "There is no such page.")
        self._call(path.removeprefix("/"), given)
        if path == "/finish":
            self.server.shutdown()  # after the reply

    def _call(self, name: str, given: Mapping[str, Any]) -> None:
        """Let the session do it. What it replies has been written to the journal."""
        try:
            status, content = self.server.session.handle(name, given)
        except Exception as error:
            message = f"This did not work: {error}. The command has ended; what it saved before is on disk."
            self._send_json(HTTPStatus.INTERNAL_SERVER_ERROR, {"message": message})
            self.server.fail(error)
            return
        self._send_json(status, content)

    def _exchange(self, code: str) -> None:
        """Give the cookie and the token for the code of a link, which so disappears from the address bar.

        The token is behind the #, which browsers keep to themselves.
        """
        access = self.server.access
        if access.admits_code(code):
            self._redirect(f"/#{access.token}", access.cookie)
        elif access.admits_cookie(self.headers.get("Cookie")):
            self._redirect("/")  # a link that works once, opened a second time
        else:
            raise RefusedError(HTTPStatus.FORBIDDEN, NO_LINK)

    # ------------------------------------------------------------------ what a request must have

    def _check_host(self) -> None:
        hosts = self.headers.get_all("Host", [])
        if len(hosts) != 1 or HOST.fullmatch(hosts[0]) is None:
            raise RefusedError(HTTPStatus.FORBIDDEN, f"This page has no other names than {' and '.join(NAMES)}.")

    def _check_cookie(self) -> None:
        if not self.server.access.admits_cookie(self.headers.get("Cookie")):
            raise RefusedError(HTTPStatus.FORBIDDEN, NO_LINK)

    def _check_token(self) -> None:
        if not self.server.access.admits_token(self.headers.get(TOKEN)):
            raise RefusedError(HTTPStatus.FORBIDDEN, NO_LINK)

    def _check_origin(self) -> None:
        """A browser says which page a request comes from."""
        if self.headers.get("Origin", f"http://{self.headers['Host']}") != f"http://{self.headers['Host']}":
            raise RefusedError(HTTPStatus.FORBIDDEN, "Requests from other pages are refused.")

    def _body(self) -> dict[str, Any]:
        """The JSON object of the request."""
        if self.headers.get_content_type() != "application/json":
            raise RefusedError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "Send JSON, with its content type.")
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit() and len(length) <= MOST_DIGITS):
            raise RefusedError(HTTPStatus.LENGTH_REQUIRED, "Say how long the request is.")
        if int(length) > MOST_BYTES:
            self.rfile.read(min(int(length), MOST_UNREAD))
            raise RefusedError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "A request may have 64 KB at most.")
        try:
            given = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            given = None
        if not isinstance(given, dict):
            raise RefusedError(HTTPStatus.BAD_REQUEST, "The request is not a JSON object.")
        return given

    # ------------------------------------------------------------------ replies

    def _send_json(self, status: int, content: Mapping[str, Any]) -> None:
        self._send(status, json.dumps(content).encode(), "application/json")

    def _send(
        self, status: int, content: bytes, media: str, more: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self.send_response(status)
        for name, value in {**HEADERS, "Content-Type": media, "Content-Length": len(content), **more}.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(content)

    def _redirect(self, place: str, cookie: str | None = None) -> None:
        more = {"Location": place} | ({} if cookie is None else {"Set-Cookie": cookie})
        self._send(HTTPStatus.SEE_OTHER, b"", "text/plain", more)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:  # noqa: ARG002
        """Send an error of the protocol like any other, without the words of the request."""
        self._send_json(code, {"message": HTTPStatus(code).phrase})

    def version_string(self) -> str:
        """The name of the server, without versions."""
        return "askance"

    def log_message(self, *_: Any) -> None:
        """Print nothing: the terminal is for the result."""
