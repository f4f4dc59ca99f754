"""Tokens and their rights. A token is 256 random bits; the store keeps a hash. There are no passwords."""

import hashlib
import logging
import secrets
import threading
import time
from collections.abc import Callable, Collection, Mapping
from typing import Any

from askance.service import messages
from askance.service.auth.rights import Person, decoded, encoded
from askance.service.errors import RequestError, conflict, not_found
from askance.service.store import Store
from askance.service.store.entries import TokenRecord

log = logging.getLogger("askance.service")

PREFIX = "askance_"
FIRST = "digest of the first code"
FIRST_NAME = "admin"
DAY = 86_400.0
WARNED_BEFORE = 7 * DAY  # seconds before the end of a token in which people are warned


class Tokens:
    """The tokens of a service, cached in memory: only this process changes them."""

    def __init__(self, store: Store, clock: Callable[[], float] = time.time) -> None:
        self._store = store
        self._clock = clock
        self._changing = threading.RLock()  # what is checked must still hold when it is written
        self._warned: dict[str, float] = {}
        self.seen: dict[str, float] = {}  # last use of each token since the service started
        self._index(store.tokens())

    def person(self, token: str) -> Person | None:
        """The owner of a token; None if it is not valid."""
        key, now = digest(token), self._clock()
        record = self._by_digest.get(key)
        if record is None or now >= _end_of(record, key):
            return None
        self.seen[record.name] = now
        self._warn(record, now)
        return self._people[record.name]

    def named(self, name: str) -> Person | None:
        """The owner of the token with this name; None if it was revoked or has ended."""
        record = self._records.get(name)
        return None if record is None or self._clock() >= _end(record) else self._people[name]

    def end(self, name: str) -> float | None:
        """When the token with this name ends; None if it does not."""
        record = self._records.get(name)
        return None if record is None else record.expires

    def ended(self, token: str) -> float | None:
        """When a secret that was valid once has ended; None if it is valid, was revoked, or never was."""
        key = digest(token)
        record = self._by_digest.get(key)
        if record is None or record.revoked is not None or self._clock() < (end := _end_of(record, key)):
            return None
        return end

    def create(
        self,
        name: str,
        role: messages.Role | None,
        tasks: Mapping[str, messages.Role] | None = None,
        expires: float | None = None,
    ) -> messages.NewToken:
        """Create a token for all tasks or for some. Its secret is returned only here."""
        secret = _new_secret()
        record = TokenRecord(name, role or "", digest(secret), self._clock(), None, encoded(tasks), expires)
        with self._changing:
            self._index(self._store.tokens())
            if name in self._records:
                raise conflict("name_taken", f"there is or was a token {name!r}: choose another name")
            self._store.add_token(record)
            self._keep(record)
        return _shown(record, secret)

    def change(self, name: str, **fields: Any) -> messages.KnownToken:
        """Change the role, the tasks or the end of a token, at once."""
        with self._changing:
            old = self._own_secret(name)
            self._replace(old, old._replace(**fields))
        return self._known(name)

    def rotate(self, name: str, overlap: float = 0.0, **fields: Any) -> messages.NewToken:
        """Replace the secret of a token; the old one stays valid for `overlap` seconds."""
        secret, now = _new_secret(), self._clock()
        with self._changing:
            old = self._own_secret(name)
            kept = overlap > 0 and now < _end(old)
            new = old._replace(
                digest=digest(secret),
                previous=old.digest if kept else None,
                previous_until=now + overlap if kept else None,
                **fields,
            )
            if now >= _end(new):
                raise conflict("token_ended", f"the token {name!r} has ended: give it a later end too")
            self._replace(old, new)
        return _shown(new, secret)

    def revoke(self, name: str) -> messages.KnownToken:
        """Revoke a token; it stops working at once."""
        with self._changing:
            old = self._record(name)
            self._replace(old, old if old.revoked is not None else old._replace(revoked=self._clock()))
        return self._known(name)

    def known(self) -> list[messages.KnownToken]:
        """All tokens without their secrets."""
        return [self._known_token(record) for record in self._store.tokens()]

    def sign_in(
        self,
        subject: str,
        wanted: str,
        role: messages.Role | None,
        tasks: Mapping[str, messages.Role] | None = None,
    ) -> Person:
        """The person that an identity provider knows as `subject`, with the rights of this sign-in.

        Somebody new gets the wanted name, with a number if it is taken. There is no secret: nobody can use this
        record as a token.
        """
        with self._changing:
            self._index(self._store.tokens())
            old = next((one for one in self._records.values() if one.subject == subject), None)
            if old is None:
                name = _free(wanted, self._records)
                digest_ = digest(_new_secret())
                record = TokenRecord(
                    name, role or "", digest_, self._clock(), None, encoded(tasks), subject=subject
                )
                self._store.add_token(record)
                self._keep(record)
                return self._people[name]
            if old.revoked is not None:
                raise RequestError(403, "revoked", f"the access of {old.name!r} was revoked: ask an admin")
            self._replace(old, old._replace(role=role or "", tasks=encoded(tasks)))
            return self._people[old.name]

    def withdraw(self, subject: str) -> None:
        """Take all rights from the person that a provider knows as `subject`, if they were here before."""
        with self._changing:
            self._index(self._store.tokens())
            for old in [one for one in self._records.values() if one.subject == subject]:
                self._replace(old, old._replace(role="", tasks=encoded({})))

    def new_first_code(self) -> str:
        """A new code for the link that creates an admin token, once."""
        code = secrets.token_urlsafe(24)
        self._store.set_setting(FIRST, digest(code).hex())
        return code

    def redeem_first_code(self, code: str) -> messages.NewToken:
        """Exchange the code of the link for an admin token; the code works only once."""
        secret, value = _new_secret(), digest(code).hex()
        with self._changing:
            self._index(self._store.tokens())
            record = TokenRecord(_free(FIRST_NAME, self._records), "admin", digest(secret), self._clock(), None)
            if not self._store.add_token(record, in_exchange=(FIRST, value)):
                raise RequestError(
                    403,
                    "invalid_code",
                    "this link was used or replaced: start the service with --new-admin-link",
                )
            self._keep(record)
        return _shown(record, secret)

    @property
    def has_admin(self) -> bool:
        """Whether there is a token of an admin that does not end."""
        return any(map(_stays_admin, self._records.values()))

    def check_secret(self, name: str) -> None:
        """Raise RequestError if there is no valid token with this name that has a secret."""
        if self._clock() >= _end(self._own_secret(name)):
            raise conflict("token_ended", f"the token {name!r} has ended: rotate it with a later end")

    def _record(self, name: str) -> TokenRecord:
        self._index(self._store.tokens())
        if name not in self._records:
            raise not_found("unknown_token", f"there is no token {name!r}")
        return self._records[name]

    def _own_secret(self, name: str) -> TokenRecord:
        """The token with this name, if it can be changed here."""
        record = self._record(name)
        if record.revoked is not None:
            raise conflict("token_revoked", f"the token {name!r} was revoked: create another one")
        if record.subject is not None:
            message = f"{name!r} signs in with the identity provider: change the rights there"
            raise conflict("no_secret", message)
        return record

    def _replace(self, old: TokenRecord, new: TokenRecord) -> None:
        """Write a changed token, unless no admin would stay."""
        if old == new:
            return
        others = (one for one in self._records.values() if one.name != old.name)
        if _stays_admin(old) and not _stays_admin(new) and not any(map(_stays_admin, others)):
            message = f"{old.name!r} is the last admin token that does not end: create another one first"
            raise conflict("last_admin", message)
        self._store.set_token(new)
        self._keep(new)

    def _keep(self, record: TokenRecord) -> None:
        self._index([*(one for one in self._records.values() if one.name != record.name), record])

    def _index(self, records: Collection[TokenRecord]) -> None:
        """Remember these tokens. Others read meanwhile, so each index is replaced as a whole."""
        self._people = {record.name: _person(record) for record in records}
        self._records = {record.name: record for record in records}
        by_digest = {record.previous: record for record in records if record.previous is not None}
        self._by_digest = by_digest | {record.digest: record for record in records}

    def _known(self, name: str) -> messages.KnownToken:
        return self._known_token(self._records[name])

    def _known_token(self, record: TokenRecord) -> messages.KnownToken:
        overlaps = record.previous_until is not None and self._clock() < record.previous_until
        return messages.KnownToken(
            record.name,
            _role(record),
            record.created,
            record.revoked,
            tasks=decoded(record.tasks),
            expires=record.expires,
            old_secret_until=record.previous_until if overlaps else None,
            provider=None if record.subject is None else record.subject.partition(" ")[0],
        )

    def _warn(self, record: TokenRecord, now: float) -> None:
        """Say in the log, once per day, that a token in use ends soon."""
        if record.expires is None or record.expires - now > WARNED_BEFORE:
            return
        if now - self._warned.get(record.name, -DAY) >= DAY:
            self._warned[record.name] = now
            days = (record.expires - now) / DAY
            log.warning("a token ends soon", extra={"token": record.name, "days": round(days, 1)})


def digest(secret: str) -> bytes:
    """The hash of a secret. Secrets are long and random, so a plain hash is enough."""
    return hashlib.sha256(secret.encode()).digest()


def _new_secret() -> str:
    return PREFIX + secrets.token_urlsafe(32)


def _shown(record: TokenRecord, secret: str) -> messages.NewToken:
    return messages.NewToken(record.name, _role(record), secret, decoded(record.tasks), record.expires)


def _person(record: TokenRecord) -> Person:
    return Person(record.name, _role(record), decoded(record.tasks))


def _role(record: TokenRecord) -> messages.Role | None:
    return record.role or None  # type: ignore[return-value]


def _end(record: TokenRecord) -> float:
    """When a token stops or stopped working."""
    given = [end for end in (record.revoked, record.expires) if end is not None]
    return min(given, default=float("inf"))


def _end_of(record: TokenRecord, key: bytes) -> float:
    """When a secret of a token stops or stopped working: the old one may end before the token."""
    end = _end(record)
    return end if key == record.digest else min(end, record.previous_until or 0.0)


def _stays_admin(record: TokenRecord) -> bool:
    """Whether it belongs to an admin of all tasks, without an end, and without another service."""
    lasts = record.revoked is None and record.expires is None and record.subject is None
    return record.role == "admin" and lasts


def _free(wanted: str, taken: Collection[str]) -> str:
    """The wanted name, with a number if it is taken."""
    if wanted not in taken:
        return wanted
    return next(name for n in range(2, len(taken) + 3) if (name := f"{wanted[:58]}-{n}") not in taken)
