"""Browser sessions of people who signed in with a token. The store keeps a hash of each secret."""

import hashlib
import hmac
import secrets
import threading
import time
from collections.abc import Callable
from typing import NamedTuple

from askance.service.auth.rights import Person
from askance.service.auth.tokens import Tokens, digest
from askance.service.errors import not_found
from askance.service.store import SessionRecord, Store

IDLE = 12 * 3600.0  # seconds without a request after which a session ends
LIFE = 7 * 86_400.0  # seconds after which it ends in any case
NOTED = 60.0  # seconds between two updates of the last use in the store
MOST = 20  # sessions per person: one more ends the oldest
LONGEST_AGENT = 200


class Session(NamedTuple):
    """An open session of a person. Requests that change something must send `csrf`, which only our pages know."""

    person: Person
    number: int
    csrf: str
    to_note: bool  # whether the last use in the store is out of date


class Sessions:
    """The sessions of a service, cached in memory: only this process changes them."""

    def __init__(self, store: Store, tokens: Tokens, clock: Callable[[], float] = time.time) -> None:
        self._store = store
        self._tokens = tokens
        self._clock = clock
        self._changing = threading.RLock()
        self._open = {session.digest: session for session in store.sessions()}
        self._noted = {session.number: session.seen for session in self._open.values()}

    def begin(self, person: Person, agent: str, life: float = LIFE) -> tuple[str, SessionRecord]:
        """Start a session that ends with the token; return its secret, never shown again, and its record."""
        secret, now = secrets.token_urlsafe(32), self._clock()
        number = 1 + secrets.randbelow(2**53 - 1)  # random, so that a number on a screen is never reused
        agent = "".join(filter(str.isprintable, agent))[:LONGEST_AGENT]
        end = self._tokens.end(person.name)
        until = now + life if end is None else min(now + life, end)
        session = SessionRecord(digest(secret), number, person.name, now, now, until, agent)
        with self._changing:
            gone = self._over(person.name)
            self._store.add_session(session, [old.number for old in gone])
            self._forget(gone)
            self._open[session.digest] = session
            self._noted[number] = now
        return secret, session

    def find(self, secret: str) -> Session | None:
        """The session with this secret; None if it has ended or its token was revoked."""
        now = self._clock()
        with self._changing:
            session = self._open.get(digest(secret))
            if session is None or not _holds(session, now):
                return None
            person = self._tokens.named(session.name)
            if person is None:
                return None
            self._open[session.digest] = session._replace(seen=now)
            to_note = now - self._noted[session.number] >= NOTED
            if to_note:
                self._noted[session.number] = now
        return Session(person, session.number, csrf_of(secret), to_note)

    def holds(self, number: int) -> bool:
        """Whether a session is still open; this does not count as a use."""
        return any(one.number == number for one in self.open())

    def note(self, number: int) -> None:
        """Write the last use of a session to the store."""
        self._store.touch_session(number, self._clock())

    def end(self, number: int, name: str | None = None) -> SessionRecord:
        """End a session; if a person is named, only one of theirs."""
        with self._changing:
            found = [one for one in self.open(name) if one.number == number]
            if not found:
                raise not_found("unknown_session", f"there is no open session {number}")
            self._end(found)
        return found[0]

    def end_all(self, name: str, except_number: int | None = None) -> None:
        """End all sessions of a person, or all but one."""
        with self._changing:
            self._end([one for one in self._open.values() if one.name == name and one.number != except_number])

    def open(self, name: str | None = None) -> list[SessionRecord]:
        """The open sessions, of one person if named, the last one used first."""
        now = self._clock()
        with self._changing:
            held = [
                one
                for one in self._open.values()
                if _holds(one, now) and self._tokens.named(one.name) and name in (None, one.name)
            ]
        return sorted(held, key=lambda one: one.seen, reverse=True)

    def _over(self, name: str) -> list[SessionRecord]:
        """The sessions to drop for a new one of this person: all that have ended, and the oldest of too many."""
        held = self.open()
        own = [one for one in held if one.name == name]
        kept = {one.number for one in held} - {one.number for one in own[MOST - 1 :]}
        return [one for one in self._open.values() if one.number not in kept]

    def _end(self, ended: list[SessionRecord]) -> None:
        self._store.drop_sessions([one.number for one in ended])
        self._forget(ended)

    def _forget(self, gone: list[SessionRecord]) -> None:
        for session in gone:
            self._open.pop(session.digest, None)
            self._noted.pop(session.number, None)


def csrf_of(secret: str) -> str:
    """The CSRF token of a session: it cannot be derived without the secret."""
    return hmac.new(secret.encode(), b"csrf", hashlib.sha256).hexdigest()


def _holds(session: SessionRecord, now: float) -> bool:
    return now < session.until and now - session.seen < IDLE
