"""Tokens and roles. A token is 256 random bits; the store keeps a hash. There are no passwords."""

import hashlib
import secrets
import time
from typing import NamedTuple

from askance.service import messages
from askance.service.errors import RequestError, conflict, not_found
from askance.service.store import Store
from askance.service.store.entries import TokenRecord

PREFIX = "askance_"
FIRST = "digest of the first code"
FIRST_NAME = "admin"


class Person(NamedTuple):
    """A person or program with a token, and its role."""

    name: str
    role: messages.Role


class Tokens:
    """The tokens of a service, cached in memory: only this process changes them."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._valid = {token.digest: _person(token) for token in store.tokens() if token.revoked is None}
        self._people = {person.name: person for person in self._valid.values()}
        self.seen: dict[str, float] = {}  # last use of each token since the service started

    def person(self, token: str) -> Person | None:
        """The owner of a token; None if it is not valid."""
        person = self._valid.get(digest(token))
        if person is not None:
            self.seen[person.name] = time.time()
        return person

    def named(self, name: str) -> Person | None:
        """The owner of the token with this name; None if it was revoked."""
        return self._people.get(name)

    def create(self, name: str, role: messages.Role) -> messages.NewToken:
        """Create a token. Its secret is returned only here."""
        if any(token.name == name for token in self._store.tokens()):
            raise conflict("name_taken", f"there is or was a token {name!r}: choose another name")
        secret = PREFIX + secrets.token_urlsafe(32)
        token = TokenRecord(name, role, digest(secret), time.time(), None)
        self._store.add_token(token)
        self._valid[token.digest] = self._people[name] = Person(name, role)
        return messages.NewToken(name, role, secret)

    def revoke(self, name: str) -> messages.KnownToken:
        """Revoke a token; it stops working at once."""
        known = {token.name: token for token in self._store.tokens()}
        if name not in known:
            raise not_found("unknown_token", f"there is no token {name!r}")
        if known[name].role == "admin" and self._last_admin(known[name]):
            raise conflict("last_admin", f"{name!r} is the last admin token: create another one first")
        self._store.revoke_token(name, time.time())
        self._valid.pop(known[name].digest, None)
        self._people.pop(name, None)
        return next(token for token in self.known() if token.name == name)

    def known(self) -> list[messages.KnownToken]:
        """All tokens without their secrets."""
        return [
            messages.KnownToken(token.name, token.role, token.created, token.revoked) for token in self._tokens()
        ]

    def new_first_code(self) -> str:
        """A new code for the link that creates an admin token, once."""
        code = secrets.token_urlsafe(24)
        self._store.set_setting(FIRST, digest(code).hex())
        return code

    def redeem_first_code(self, code: str) -> messages.NewToken:
        """Exchange the code of the link for an admin token; the code works only once."""
        wanted = self._store.setting(FIRST)
        if wanted is None or not secrets.compare_digest(wanted, digest(code).hex()):
            raise RequestError(
                403,
                "invalid_code",
                "this link was used or replaced: start the service with --new-admin-link",
            )
        taken = {token.name for token in self._tokens()}
        name = next(name for name in _names() if name not in taken)
        made = self.create(name, "admin")
        self._store.set_setting(FIRST, None)
        return made

    @property
    def has_admin(self) -> bool:
        """Whether there is a valid admin token."""
        return any(person.role == "admin" for person in self._valid.values())

    def _tokens(self) -> list[TokenRecord]:
        return self._store.tokens()

    def _last_admin(self, token: TokenRecord) -> bool:
        others = (digest_ for digest_, person in self._valid.items() if person.role == "admin")
        return token.digest in self._valid and all(other == token.digest for other in others)


def digest(secret: str) -> bytes:
    """The hash of a secret. Secrets are long and random, so a plain hash is enough."""
    return hashlib.sha256(secret.encode()).digest()


def _person(token: TokenRecord) -> Person:
    return Person(token.name, token.role)  # type: ignore[arg-type]


def _names() -> "list[str]":
    return [FIRST_NAME, *(f"{FIRST_NAME}-{number}" for number in range(2, 1000))]
