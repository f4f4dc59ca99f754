"""Routes of people: tokens, sessions and the caller."""

import asyncio
from typing import Any

import msgspec
from msgspec import UNSET
from starlette.requests import Request

from askance.service import messages
from askance.service.api.rate_limits import address_of
from askance.service.api.request_info import info_of
from askance.service.api.route import Call
from askance.service.auth.rights import decoded, encoded
from askance.service.auth.tokens import DAY
from askance.service.errors import invalid
from askance.service.store import SessionRecord
from askance.service.times import day_of


async def make_first_token(call: Call) -> messages.NewToken:
    """Exchange the code of the link that the first start prints for an admin token. It works once."""
    made = await asyncio.to_thread(call.service.tokens.redeem_first_code, call.body.code)
    await asyncio.to_thread(call.service.audit.record, made.name, "first_sign_in", detail=address_of(call.request))
    return made


async def list_tokens(call: Call) -> messages.Tokens:
    """List all tokens, without their secrets."""
    known = await asyncio.to_thread(call.service.tokens.known)
    seen = dict(call.service.tokens.seen)
    for session in call.service.sessions.open():
        seen[session.name] = max(session.seen, seen.get(session.name, 0.0))
    return messages.Tokens([msgspec.structs.replace(token, seen=seen.get(token.name)) for token in known])


async def create_token(call: Call) -> messages.NewToken:
    """Create a token for all tasks or for some. Its secret is in this response and never shown again."""
    body = call.body
    if (body.role is UNSET) == (body.tasks is UNSET):
        raise invalid("give either role, for all tasks, or tasks with a role in each")
    rights = _rights(call, body)
    role, tasks = rights["role"] or None, decoded(rights["tasks"])
    create = call.service.tokens.create
    return await asyncio.to_thread(create, body.name, role, tasks, _end(call, body).get("expires"))


async def change_token(call: Call) -> messages.KnownToken:
    """Change the rights or the end of a token, effective at once. Its secret stays."""
    body = call.body
    if body.role is not UNSET and body.tasks is not UNSET:
        raise invalid("give either role, for all tasks, or tasks with a role in each")
    fields = _rights(call, body) | _end(call, body)
    if not fields:
        raise invalid("nothing is given: give role, tasks, expires_in or expires")
    return await asyncio.to_thread(call.service.tokens.change, _name(call), **fields)


async def rotate_token(call: Call) -> messages.NewToken:
    """Replace the secret of a token. The old one stays valid for `overlap` hours, by default not at all.

    Without an overlap, its sessions and its unused sign-in links end too.
    """
    overlap = 3600 * call.body.overlap
    tokens = call.service.tokens
    made = await asyncio.to_thread(tokens.rotate, _name(call), overlap, **_end(call, call.body))
    if not overlap:
        current = call.session.number if call.session is not None else None
        await asyncio.to_thread(call.service.sessions.end_all, made.name, current)
        await asyncio.to_thread(call.service.links.drop, made.name)
    return made


async def create_link(call: Call) -> messages.SignInLink:
    """Create a link that signs the owner of a token in, once. It is in this response and never shown again."""
    code, link = await asyncio.to_thread(call.service.links.create, _name(call), 3600 * call.body.hours)
    return messages.SignInLink(link.name, f"{base_url(call.request)}/enter?code={code}", link.until)


async def revoke_token(call: Call) -> messages.KnownToken:
    """Revoke a token and end its sessions, at once."""
    revoked = await asyncio.to_thread(call.service.tokens.revoke, _name(call))
    await asyncio.to_thread(call.service.sessions.end_all, revoked.name)
    return revoked


async def show_me(call: Call) -> messages.Me:
    """Get the name and the rights of the caller, and the routes and pages that they may use."""
    assert call.person is not None
    name, role, tasks = call.person
    may = [route.name for route in call.request.app.state.routes if route.admits(call.person)]
    return messages.Me(name, role, may, None if tasks is None else dict(tasks), call.service.tokens.end(name))


async def list_sessions(call: Call) -> messages.OpenSessions:
    """List browser sessions: all of them for an admin, otherwise your own."""
    return messages.OpenSessions([_detail(call, one) for one in call.service.sessions.open(_own(call))])


async def end_session(call: Call) -> messages.OpenSession:
    """End a session at once: any session for an admin, otherwise your own."""
    number = call.number("number", "session")
    return _detail(call, await asyncio.to_thread(call.service.sessions.end, number, _own(call)))


def base_url(request: Request) -> str:
    """The address of this service as the caller has it."""
    return f"{request.scope['scheme']}://{request.headers.get('host', '')}{info_of(request.scope).prefix}"


def _name(call: Call) -> str:
    return call.request.path_params["name"]


def _rights(call: Call, body: messages.TokenRequest | messages.TokenChange) -> dict[str, Any]:
    """The rights in a body, as the store keeps them; empty if there are none."""
    if body.tasks is not UNSET:
        for task in body.tasks:
            call.service.writer(task)  # refuses an unknown one
        return {"role": "", "tasks": encoded(body.tasks)}
    return {} if body.role is UNSET else {"role": body.role, "tasks": None}


def _end(
    call: Call, body: messages.TokenRequest | messages.TokenChange | messages.RotationRequest
) -> dict[str, float | None]:
    """The end in a body; empty if there is none."""
    if body.expires_in is not UNSET and body.expires is not UNSET:
        raise invalid("give either expires_in or expires")
    now = call.service.clock()
    if body.expires_in is not UNSET:
        return {"expires": now + DAY * body.expires_in}
    if body.expires is UNSET:
        return {}
    if body.expires is not None and body.expires <= now:
        raise invalid(f"expires is {day_of(body.expires)}, which is not in the future")
    return {"expires": body.expires}


def _own(call: Call) -> str | None:
    """Whose sessions the caller may see; None for all."""
    return None if call.person and call.person.role == "admin" else call.who


def _detail(call: Call, session: SessionRecord) -> messages.OpenSession:
    current = call.session is not None and call.session.number == session.number
    return messages.OpenSession(*session[1:], current=current)
