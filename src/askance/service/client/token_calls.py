"""The calls of the API about tokens."""

from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, time
from typing import Any, TypeVar
from urllib.parse import quote

import msgspec

from askance.service import messages as m
from askance.service.client.calls import ApiCall, post, read_as
from askance.service.client.encoding import encode
from askance.service.validation import sentence_of

End = date | datetime | float
"""A time: seconds since 1970, a datetime, or a date, which stands for its beginning in UTC."""
Tasks = Mapping[str, m.Role] | Iterable[str]
"""The role in each task, or the names of tasks in which the role is the same."""

B = TypeVar("B", bound=m.Body)


def first_token(code: str) -> ApiCall[m.NewToken]:
    """Create the first admin token."""
    return post("/api/first", m.FirstTokenRequest(code), read_as(m.NewToken), repeatable=False)


def tokens() -> ApiCall[list[m.KnownToken]]:
    """List tokens."""
    return ApiCall("GET", "/api/tokens", lambda content: read_as(m.Tokens)(content).tokens)


def create_token(
    name: str, role: m.Role | None, tasks: Tasks | None, expires_in: float | None, expires: End | None
) -> ApiCall[m.NewToken]:
    """Create a token."""
    request = _body(m.TokenRequest, {"name": name} | _rights(role, tasks) | _end(expires_in, expires))
    return post("/api/tokens", request, read_as(m.NewToken), repeatable=False)


def change_token(
    name: str,
    role: m.Role | None,
    tasks: Tasks | None,
    expires_in: float | None,
    expires: End | None,
    *,
    without_end: bool,
) -> ApiCall[m.KnownToken]:
    """Change the rights or the end of a token."""
    end = {"expires": None} if without_end else _end(expires_in, expires)
    request = _body(m.TokenChange, _rights(role, tasks) | end)
    return ApiCall("PATCH", _of(name), read_as(m.KnownToken), encode(request))


def rotate_token(name: str, overlap: float, expires_in: float | None, expires: End | None) -> ApiCall[m.NewToken]:
    """Replace the secret of a token."""
    request = _body(m.RotationRequest, {"overlap": overlap} | _end(expires_in, expires))
    return post(_of(name, "/rotate"), request, read_as(m.NewToken), repeatable=False)


def sign_in_link(name: str, hours: float) -> ApiCall[m.SignInLink]:
    """Create a link that signs in once."""
    return post(
        _of(name, "/links"), _body(m.LinkRequest, {"hours": hours}), read_as(m.SignInLink), repeatable=False
    )


def revoke_token(name: str) -> ApiCall[m.KnownToken]:
    """Revoke a token."""
    return ApiCall("DELETE", _of(name), read_as(m.KnownToken))


def _of(name: str, rest: str = "") -> str:
    return f"/api/tokens/{quote(name, safe='')}{rest}"


def _rights(role: m.Role | None, tasks: Tasks | None) -> dict[str, Any]:
    if tasks is None:
        return {} if role is None else {"role": role}
    if isinstance(tasks, str):
        raise ValueError(f"tasks={tasks!r} is not a list of tasks: give [{tasks!r}]")
    if isinstance(tasks, Mapping):
        if role is not None:
            raise ValueError("tasks has the roles already: leave role out, or give a list of tasks")
        return {"tasks": dict(tasks)}
    if role is None:
        raise ValueError("there is no role for these tasks: give role too, or a dict of tasks and roles")
    return {"tasks": dict.fromkeys(tasks, role)}


def _end(expires_in: float | None, expires: End | None) -> dict[str, Any]:
    if expires_in is not None and expires is not None:
        raise ValueError("there are two ends: give either expires_in or expires")
    if expires_in is not None:
        return {"expires_in": expires_in}
    if expires is None:
        return {}
    if isinstance(expires, datetime):
        return {"expires": expires.timestamp()}
    if isinstance(expires, date):
        return {"expires": datetime.combine(expires, time(), UTC).timestamp()}
    return {"expires": expires}


def _body(kind: type[B], fields: Mapping[str, Any]) -> B:
    """A request, checked before it is sent."""
    try:
        return msgspec.convert(dict(fields), kind)
    except msgspec.ValidationError as error:
        raise ValueError(sentence_of(error)) from None
