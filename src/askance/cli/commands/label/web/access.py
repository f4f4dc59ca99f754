"""The secrets of a page: who has a link from the terminal may use it."""

import hmac
import secrets
import threading
from http.cookies import CookieError, SimpleCookie


class Access:
    """What a request must carry.

    A link has a code, which is exchanged for a cookie and a token. Every request needs the cookie. Those that show
    rows or change something also need the token, which the page keeps for itself: browsers send a cookie to all
    ports of a machine, so the cookie alone must show nothing of the file.

    The printed link may be used again, for example in another browser. The link with which the browser is opened
    works once, because other users of the machine can see the command line of a browser.
    """

    def __init__(self, port: int) -> None:
        self.token = secrets.token_urlsafe(32)
        self.code = secrets.token_urlsafe(32)
        self.code_for_once = secrets.token_urlsafe(32)
        self._cookie_name = f"askance-label-{port}"
        self._cookie = secrets.token_urlsafe(32)
        self._lock = threading.Lock()
        self._is_used = False

    @property
    def cookie(self) -> str:
        """The cookie as a header sets it. It ends with the browser; what it opens ends with the command."""
        return f"{self._cookie_name}={self._cookie}; Path=/; HttpOnly; SameSite=Lax"

    def admits_code(self, code: str) -> bool:
        """Whether a link with this code is valid. That of the second link is not valid again."""
        if _is_same(code, self.code):
            return True
        if not _is_same(code, self.code_for_once):
            return False
        with self._lock:
            was_used, self._is_used = self._is_used, True
        return not was_used

    def admits_cookie(self, header: str | None) -> bool:
        """Whether the header `Cookie` has the right one."""
        try:
            found = SimpleCookie(header or "").get(self._cookie_name)
        except CookieError:
            return False
        return found is not None and _is_same(found.value, self._cookie)

    def admits_token(self, token: str | None) -> bool:
        """Whether this is the token of the page."""
        return _is_same(token or "", self.token)


def _is_same(given: str, secret: str) -> bool:
    """Compare in constant time."""
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), secret.encode())
