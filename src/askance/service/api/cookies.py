"""The session cookie: not readable by scripts, not sent by other sites, and with TLS never sent without it."""

from starlette.requests import Request
from starlette.responses import Response

from askance.service.auth.sessions import LIFE

PLAIN, SECURE = "askance_session", "__Host-askance_session"


def secret_of(request: Request) -> str:
    """The secret in the cookie; empty if there is none."""
    return request.cookies.get(_name(request), "")


def keep(request: Request, response: Response, secret: str) -> None:
    """Set the cookie of a session."""
    response.set_cookie(
        _name(request),
        secret,
        max_age=int(LIFE),
        path="/",
        secure=_has_tls(request),
        httponly=True,
        samesite="lax",
    )


def forget(request: Request, response: Response) -> None:
    """Delete the cookie."""
    response.delete_cookie(_name(request), path="/", secure=_has_tls(request), httponly=True, samesite="lax")


def _name(request: Request) -> str:
    """Browsers accept the longer name only with TLS and from this host, so nobody else can set it."""
    return SECURE if _has_tls(request) else PLAIN


def _has_tls(request: Request) -> bool:
    """Whether the browser uses TLS, as reported by a trusted proxy."""
    return request.scope["scheme"] == "https"
