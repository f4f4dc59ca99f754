"""The cookie of a session: out of reach of scripts and of other sites, and under TLS never sent without it."""

from starlette.requests import Request
from starlette.responses import Response

from askance.service.auth.sessions import LIFE

PLAIN, SECURE = "askance_session", "__Host-askance_session"


def secret_of(request: Request) -> str:
    """What the browser has kept; empty if nothing."""
    return request.cookies.get(_name(request), "")


def keep(request: Request, response: Response, secret: str) -> None:
    """Have the browser keep the secret of a session."""
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
    """Have the browser forget it."""
    response.delete_cookie(_name(request), path="/", secure=_has_tls(request), httponly=True, samesite="lax")


def _name(request: Request) -> str:
    """Browsers take the longer name only with TLS and for this host alone, so that nobody else can set it."""
    return SECURE if _has_tls(request) else PLAIN


def _has_tls(request: Request) -> bool:
    """Whether the browser speaks TLS; a proxy that the server trusts has told it."""
    return request.scope["scheme"] == "https"
