"""Links that sign in once, with the rights of a token. The store keeps a hash of each code."""

import secrets
import time
from collections.abc import Callable

from askance.service.auth.rights import Person
from askance.service.auth.tokens import DAY, Tokens, digest
from askance.service.errors import RequestError
from askance.service.store import LinkRecord, Store
from askance.service.times import day_of

REMEMBERED = 30 * DAY  # seconds after its end in which a link says why it does not work


class SignInLinks:
    """The links of a service."""

    def __init__(self, store: Store, tokens: Tokens, clock: Callable[[], float] = time.time) -> None:
        self._store = store
        self._tokens = tokens
        self._clock = clock

    def create(self, name: str, seconds: float) -> tuple[str, LinkRecord]:
        """Create a link for the owner of a token; return its code, which is never shown again, and its record."""
        self._tokens.check_secret(name)
        code, now = secrets.token_urlsafe(32), self._clock()
        link = LinkRecord(digest(code), name, now, now + seconds, None)
        self._store.add_link(link, forget_before=now - REMEMBERED)
        return code, link

    def owner(self, code: str) -> Person:
        """Whom a link would sign in; RequestError if it does not work."""
        link = self._store.link(digest(code))
        if link is None:
            raise _refused("this link is not known: ask an admin for a new one")
        if link.used is not None:
            raise _refused(f"this link was used on {day_of(link.used)}: ask an admin for a new one")
        if self._clock() >= link.until:
            raise _refused(f"this link ended on {day_of(link.until)}: ask an admin for a new one")
        person = self._tokens.named(link.name)
        if person is None:
            raise _refused("the token of this link was revoked or has ended: ask an admin for a new one")
        return person

    def use(self, code: str) -> Person:
        """Use a link; of several at once, one succeeds."""
        person = self.owner(code)
        if not self._store.use_link(digest(code), self._clock()):
            raise _refused("this link was used just now: ask an admin for a new one")
        return person

    def drop(self, name: str) -> None:
        """Delete the links of a token that were not used."""
        self._store.drop_links(name)


def _refused(message: str) -> RequestError:
    return RequestError(403, "invalid_link", message)
