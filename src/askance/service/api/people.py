"""Routes of people: tokens, sessions and the caller."""

import asyncio

import msgspec

from askance.service import messages
from askance.service.api.rate_limits import address_of
from askance.service.api.route import Call
from askance.service.errors import not_found
from askance.service.store import SessionRecord


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
    """Create a token. Its secret is in this response and never shown again."""
    return await asyncio.to_thread(call.service.tokens.create, call.body.name, call.body.role)


async def revoke_token(call: Call) -> messages.KnownToken:
    """Revoke a token and end its sessions, at once."""
    revoked = await asyncio.to_thread(call.service.tokens.revoke, call.request.path_params["name"])
    await asyncio.to_thread(call.service.sessions.end_all, revoked.name)
    return revoked


async def show_me(call: Call) -> messages.Me:
    """Get the name and role of the caller, and the routes and pages that they may use."""
    assert call.person is not None
    name, role = call.person
    may = [route.name for route in call.request.app.state.routes if route.allows(role)]
    return messages.Me(name, role, may)


async def list_sessions(call: Call) -> messages.OpenSessions:
    """List browser sessions: all of them for an admin, otherwise your own."""
    return messages.OpenSessions([_detail(call, one) for one in call.service.sessions.open(_own(call))])


async def end_session(call: Call) -> messages.OpenSession:
    """End a session at once: any session for an admin, otherwise your own."""
    given = call.request.path_params["number"]
    if not (given.isascii() and given.isdigit()):
        raise not_found("unknown_session", f"there is no session {given[:40]!r}")
    return _detail(call, await asyncio.to_thread(call.service.sessions.end, int(given[:20]), _own(call)))


def _own(call: Call) -> str | None:
    """Whose sessions the caller may see; None for all."""
    return None if call.person and call.person.role == "admin" else call.who


def _detail(call: Call, session: SessionRecord) -> messages.OpenSession:
    current = call.session is not None and call.session.number == session.number
    return messages.OpenSession(*session[1:], current=current)
