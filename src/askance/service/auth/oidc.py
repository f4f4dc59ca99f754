"""OpenID Connect: the authorization code flow with PKCE, and the check of the id token.

The browser keeps one secret in a cookie while it is away. State, nonce and the PKCE verifier are derived from it,
so nothing is stored here, and strangers cannot push out the sign-ins of others.
"""

import base64
import hashlib
import hmac
import logging
import secrets
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlencode

from askance._util.optional import require
from askance.service.auth.oidc_settings import OidcSettings
from askance.service.auth.provider import Provider, ProviderError
from askance.service.auth.tokens import digest

log = logging.getLogger("askance.service")

PATIENCE = 600.0  # seconds for a sign-in
LEEWAY = 60.0  # seconds by which the clocks of the provider and of this service may differ
LONGEST_SUBJECT = 255  # characters, by the standard


class Identity(NamedTuple):
    """Somebody whom the provider knows: the subject, which never changes, and the claims of this sign-in."""

    subject: str
    claims: Mapping[str, Any]


class OidcSignIn:
    """Signs people in with a provider."""

    def __init__(
        self, settings: OidcSettings, clock: Callable[[], float] = time.time, provider: Provider | None = None
    ) -> None:
        require("joserfc", "oidc", "an identity provider")
        self.settings = settings
        self._clock = clock
        self._provider = provider or Provider(settings.issuer)
        self._used: dict[bytes, float] = {}  # secrets of sign-ins that came back, so that none comes back twice

    async def begin(self, redirect: str) -> tuple[str, str]:
        """The secret for the cookie, and the address at the provider to go to."""
        secret = secrets.token_urlsafe(32)
        endpoint = (await self._provider.metadata())["authorization_endpoint"]
        challenge = hashlib.sha256(_derived(secret, "verifier").encode()).digest()
        query = {
            "response_type": "code",
            "client_id": self.settings.client_id,
            "redirect_uri": redirect,
            "scope": "openid profile email",
            "state": _derived(secret, "state"),
            "nonce": _derived(secret, "nonce"),
            "code_challenge": base64.urlsafe_b64encode(challenge).rstrip(b"=").decode(),
            "code_challenge_method": "S256",
        }
        return secret, f"{endpoint}{'&' if '?' in endpoint else '?'}{urlencode(query)}"

    async def finish(self, secret: str, answer: Mapping[str, str], redirect: str) -> Identity:
        """Whom the provider has sent back; ProviderError if anything is not as it should be."""
        self._check_answer(secret, answer)
        request = {
            "grant_type": "authorization_code",
            "code": answer["code"],
            "redirect_uri": redirect,
            "code_verifier": _derived(secret, "verifier"),
        }
        token = await self._provider.exchange(self.settings.client_id, self.settings.client_secret, request)
        claims = await self._provider.verified(token)
        self._check_claims(claims, _derived(secret, "nonce"))
        return Identity(f"{self.settings.issuer} {claims['sub']}", claims)

    def _check_answer(self, secret: str, answer: Mapping[str, str]) -> None:
        if not hmac.compare_digest(answer.get("state", "").encode(), _derived(secret, "state").encode()):
            raise ProviderError("this sign-in was not begun in this browser, or took too long: try again")
        if answer.get("iss", self.settings.issuer) != self.settings.issuer:
            raise ProviderError("the answer comes from another provider: try again")
        if "error" in answer:
            raise ProviderError(f"the provider refused the sign-in ({answer['error'][:60]}): try again")
        if not answer.get("code"):
            raise ProviderError("the answer of the provider has no code: try again")
        now = self._clock()
        self._used = {key: at for key, at in self._used.items() if now - at < PATIENCE}
        if digest(secret) in self._used:
            raise ProviderError("this sign-in was completed before: try again")
        self._used[digest(secret)] = now

    def _check_claims(self, claims: Mapping[str, Any], nonce: str) -> None:
        """Check what the signature does not say: by whom the token is, for whom, until when, and what for."""
        now, client = self._clock(), self.settings.client_id
        audience = claims.get("aud")
        audiences = audience if isinstance(audience, list) else [audience]
        subject = claims.get("sub")
        checks = {
            "is from another issuer": claims.get("iss") == self.settings.issuer,
            "is for another client": client in audiences,
            "is for another party": claims.get("azp", client if len(audiences) == 1 else None) == client,
            "has expired": _number(claims.get("exp"), 0.0) > now - LEEWAY,
            "is from the future": max(_number(claims.get(name), now) for name in ("iat", "nbf")) <= now + LEEWAY,
            "belongs to another sign-in": hmac.compare_digest(str(claims.get("nonce")).encode(), nonce.encode()),
            "names nobody": isinstance(subject, str) and 0 < len(subject) <= LONGEST_SUBJECT,
        }
        wrong = [words for words, holds in checks.items() if not holds]
        if wrong:
            raise ProviderError(f"the id token {wrong[0]}: try again")


def _derived(secret: str, purpose: str) -> str:
    return hmac.new(secret.encode(), purpose.encode(), hashlib.sha256).hexdigest()


def _number(value: Any, otherwise: float) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number else otherwise
