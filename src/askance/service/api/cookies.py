"""The cookies: not readable by scripts, not sent by other sites, and with TLS never sent without it."""

from starlette.requests import Request
from starlette.responses import Response

from askance.service.api.request_info import info_of
from askance.service.auth.sessions import LIFE

SESSION, SIGN_IN = "askance_session", "askance_sign_in"


def secret_of(request: Request) -> str:
    """The secret in the cookie of a session; empty if there is none."""
    return value_of(request, SESSION)


def value_of(request: Request, name: str) -> str:
    """The value of a cookie; empty if there is none."""
    return request.cookies.get(_full(request, name), "")


def keep(request: Request, response: Response, secret: str) -> None:
    """Set the cookie of a session."""
    keep_for(request, response, SESSION, secret, LIFE)


def keep_for(request: Request, response: Response, name: str, value: str, seconds: float) -> None:
    """Set a cookie."""
    response.set_cookie(
        _full(request, name),
        value,
        max_age=int(seconds),
        path=_path(request),
        secure=_has_tls(request),
        httponly=True,
        samesite="lax",
    )


def forget(request: Request, response: Response, name: str = SESSION) -> None:
    """Delete a cookie."""
    full, secure = _full(request, name), _has_tls(request)
    response.delete_cookie(full, path=_path(request), secure=secure, httponly=True, samesite="lax")


def _full(request: Request, name: str) -> str:
    """Browsers accept the longer names only with TLS, and that of a whole host only from it and without a path."""
    if not _has_tls(request):
        return name
    return f"__Secure-{name}" if info_of(request.scope).prefix else f"__Host-{name}"


def _path(request: Request) -> str:
    """The path below which browsers send it: others on the same host do not get it."""
    return info_of(request.scope).prefix or "/"


def _has_tls(request: Request) -> bool:
    """Whether the browser uses TLS, as reported by a trusted proxy."""
    return request.scope["scheme"] == "https"
