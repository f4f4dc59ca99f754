"""The endpoints of an OpenID provider: discovery, keys and tokens. Few services need what is imported for it."""

import functools
import ssl
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote_plus, urlsplit

import msgspec

from askance.errors import AskanceError
from askance.service.auth.oidc_settings import LOOPBACK, check_url

if TYPE_CHECKING:
    from joserfc.jwk import KeySet

TIMEOUT = 10.0  # seconds for an answer of the provider
FRESH = 3600.0  # seconds for which its addresses and keys are kept
REFRESH = 30.0  # seconds between two looks for a key that is not known
LONGEST = 1_000_000  # bytes of an answer
# Signatures with a private key alone: a secret that both sides know would let the client sign too.
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519")
KINDS = ("RSA", "EC", "OKP")
_document = msgspec.json.Decoder(dict[str, Any])


class ProviderError(AskanceError):
    """A sign-in with a provider that failed, with a sentence for the person."""


class Provider:
    """The provider with this issuer. Its addresses and keys are fetched when needed, and kept for an hour."""

    def __init__(self, issuer: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._issuer = issuer
        self._clock = clock
        self._metadata: tuple[float, dict[str, Any]] | None = None
        self._keys: tuple[float, KeySet] | None = None

    async def metadata(self) -> dict[str, Any]:
        """The provider's description of itself."""
        now = self._clock()
        if self._metadata is None or now - self._metadata[0] >= FRESH:
            address = f"{self._issuer.rstrip('/')}/.well-known/openid-configuration"
            found = await _fetch("GET", address)
            if found.get("issuer") != self._issuer:
                raise ProviderError(f"the provider calls itself {found.get('issuer')!r}: tell an admin")
            for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
                _check(found.get(name), name)
            self._metadata = (now, found)
        return self._metadata[1]

    async def exchange(self, client: str, secret: str | None, request: Mapping[str, str]) -> str:
        """The id token for a code."""
        metadata = await self.metadata()
        methods = metadata.get("token_endpoint_auth_methods_supported", ["client_secret_basic"])
        body, auth = dict(request), None
        if secret is None:
            body["client_id"] = client
        elif "client_secret_basic" in methods:
            from httpx import BasicAuth

            auth = BasicAuth(quote_plus(client), quote_plus(secret))
        else:
            body |= {"client_id": client, "client_secret": secret}
        answer = await _fetch("POST", metadata["token_endpoint"], data=body, auth=auth)
        token = answer.get("id_token")
        if not isinstance(token, str):
            raise ProviderError("the provider sent no id token: tell an admin")
        return token

    async def verified(self, token: str) -> dict[str, Any]:
        """The claims of a token that the provider has signed. An unknown key may be new: they are fetched."""
        from joserfc.errors import InvalidKeyIdError, JoseError

        fetched, keys = await self._key_set()
        try:
            try:
                return _claims(token, keys)
            except InvalidKeyIdError:
                if self._clock() - fetched < REFRESH:
                    raise
                self._keys = None
                return _claims(token, (await self._key_set())[1])
        except (JoseError, ValueError):
            message = "the id token is not signed by the provider: try again"
            raise ProviderError(message) from None

    async def _key_set(self) -> "tuple[float, KeySet]":
        now = self._clock()
        if self._keys is None or now - self._keys[0] >= FRESH:
            found = await _fetch("GET", (await self.metadata())["jwks_uri"])
            self._keys = (now, _key_set(found.get("keys")))
        return self._keys


def _claims(token: str, keys: "KeySet") -> dict[str, Any]:
    from joserfc import jwt

    return dict(jwt.decode(token, keys, algorithms=list(ALGORITHMS)).claims)


def _key_set(keys: Any) -> "KeySet":
    """The keys for signatures. Those of kinds that are not known here are left out."""
    from joserfc.errors import JoseError
    from joserfc.jwk import JWKRegistry, KeySet

    found = []
    for key in keys if isinstance(keys, list) else []:
        if isinstance(key, dict) and key.get("kty") in KINDS and key.get("use", "sig") == "sig":
            try:
                found.append(JWKRegistry.import_key(key))
            except (JoseError, ValueError):
                continue
    return KeySet(found)


async def _fetch(method: str, url: str, **options: Any) -> dict[str, Any]:
    """A JSON document of the provider; redirects are not followed."""
    import httpx

    local = urlsplit(url).hostname in LOOPBACK
    verify = _certificates() if url.startswith("https:") else False
    try:
        async with httpx.AsyncClient(verify=verify, timeout=TIMEOUT, trust_env=not local) as client:
            answer = await client.request(method, url, headers={"accept": "application/json"}, **options)
    except httpx.HTTPError:
        raise ProviderError("the identity provider cannot be reached: try again later") from None
    if answer.status_code != httpx.codes.OK or len(answer.content) > LONGEST:
        raise ProviderError(f"the identity provider refused a request ({answer.status_code}): try again")
    try:
        return _document.decode(answer.content)
    except msgspec.DecodeError:
        raise ProviderError("the identity provider sent something that is not JSON: try again later") from None


def _check(url: Any, name: str) -> None:
    try:
        check_url(name, url if isinstance(url, str) else "")
    except ValueError:
        raise ProviderError(f"the identity provider names no valid {name}: tell an admin") from None


@functools.cache
def _certificates() -> ssl.SSLContext:
    import httpx

    return httpx.create_ssl_context()
