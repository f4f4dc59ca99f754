"""An OpenID provider on this machine, with the faults that a test asks for."""

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, parse_qsl, unquote_plus, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import ECKey, OctKey, RSAKey

CLIENT, SECRET = "askance", "a secret: with + & signs"


class OidcProvider:
    """Everybody who asks is `user`. `wrong` replaces claims, and `header` replaces parts of the header."""

    def __init__(self) -> None:
        self.url = ""
        self.user: dict[str, Any] = {"sub": "7", "preferred_username": "ann", "groups": ["staff"]}
        self.wrong: dict[str, Any] = {}
        self.header: dict[str, Any] = {}
        self.good: Any = RSAKey.generate_key(2048, {"kid": "one", "use": "sig"})
        self.signing: Any = self.good
        self.published: list[Any] = [self.good]
        self.more: dict[str, Any] = {}  # in the description
        self.methods = ["client_secret_basic"]
        self.error: str | None = None
        self.fetched: list[str] = []
        self.codes: dict[str, dict[str, str]] = {}

    def description(self) -> dict[str, Any]:
        return {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize?tenant=1",
            "token_endpoint": f"{self.url}/token",
            "jwks_uri": f"{self.url}/keys",
            "token_endpoint_auth_methods_supported": self.methods,
            **self.more,
        }

    def keys(self) -> dict[str, Any]:
        other = OctKey.generate_key(256, {"kid": "shared"}).as_dict(private=True)
        strange = {"kty": "NEW", "kid": "strange"}
        return {"keys": [other, strange, *(key.as_dict(private=False) for key in self.published)]}

    def authorize(self, query: dict[str, str]) -> str:
        """The way back, as a browser gets it that is signed in here."""
        assert query["response_type"] == "code"
        assert query["client_id"] == CLIENT
        assert "openid" in query["scope"].split()
        assert query["code_challenge_method"] == "S256"
        assert query["redirect_uri"].endswith("/sign-in/oidc/back")
        assert min(len(query[name]) for name in ("state", "nonce", "code_challenge")) >= 43
        if self.error:
            return f"{query['redirect_uri']}?{urlencode({'error': self.error, 'state': query['state']})}"
        code = secrets.token_urlsafe(16)
        self.codes[code] = query
        return f"{query['redirect_uri']}?{urlencode({'code': code, 'state': query['state']})}"

    def token(self, form: dict[str, str], authorization: str) -> dict[str, Any] | None:
        """The answer to a code; None if it is refused."""
        if "client_secret_basic" in self.methods:
            pair = base64.b64decode(authorization.removeprefix("Basic ")).decode().split(":")
            client, secret = map(unquote_plus, pair)
        else:
            client, secret = form.get("client_id"), form.get("client_secret")
        query = self.codes.pop(form.get("code", ""), None)
        if (client, secret) != (CLIENT, SECRET) or query is None or form["grant_type"] != "authorization_code":
            return None
        challenge = base64.urlsafe_b64encode(hashlib.sha256(form["code_verifier"].encode()).digest())
        if (
            challenge.rstrip(b"=").decode() != query["code_challenge"]
            or form["redirect_uri"] != query["redirect_uri"]
        ):
            return None
        return {"access_token": "unused", "token_type": "Bearer", "id_token": self.id_token(query["nonce"])}

    def id_token(self, nonce: str) -> str:
        now = int(time.time())
        claims = {"iss": self.url, "aud": CLIENT, "iat": now, "exp": now + 300, "nonce": nonce, **self.user}
        claims = {name: value for name, value in (claims | self.wrong).items() if value is not None}
        algorithm = {"RSA": "RS256", "EC": "ES256", "oct": "HS256"}[self.signing.key_type]
        header = {"alg": algorithm, "kid": self.signing.kid} | self.header
        header = {name: value for name, value in header.items() if value is not None}
        if header["alg"] == "none":
            parts = (
                base64.urlsafe_b64encode(json.dumps(one).encode()).rstrip(b"=").decode()
                for one in (header, claims)
            )
            return f"{'.'.join(parts)}."
        return jwt.encode(header, claims, self.signing, algorithms=[header["alg"]])

    @contextmanager
    def serving(self) -> Iterator[str]:
        """Its address, which is its issuer too."""
        server = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (_Handler,), {"provider": self}))
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        self.url = f"http://127.0.0.1:{server.server_port}"
        try:
            yield self.url
        finally:
            server.shutdown()
            thread.join()
            server.server_close()


class _Handler(BaseHTTPRequestHandler):
    provider: OidcProvider

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        self.provider.fetched.append(parts.path)
        if parts.path == "/authorize":
            self.send_response(302)
            self.send_header("location", self.provider.authorize(dict(parse_qsl(parts.query))))
            self.end_headers()
            return
        found = {"/.well-known/openid-configuration": self.provider.description, "/keys": self.provider.keys}
        self._answer(200, found[parts.path]())

    def do_POST(self) -> None:
        self.provider.fetched.append(self.path)
        content = self.rfile.read(int(self.headers["content-length"])).decode()
        form = {name: values[0] for name, values in parse_qs(content).items()}
        answer = self.provider.token(form, self.headers.get("authorization", ""))
        self._answer(400 if answer is None else 200, answer or {"error": "invalid_grant"})

    def _answer(self, status: int, content: Any) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def other_key() -> Any:
    """A key of another kind, which the provider may publish or not."""
    return ECKey.generate_key("P-256", {"kid": "two", "use": "sig"})
