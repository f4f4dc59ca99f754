"""Routes of people: tokens, sessions, and who is asking."""

import asyncio

import msgspec

from askance.service import messages
from askance.service.api.rate_limits import address_of
from askance.service.api.route import Call
from askance.service.errors import unknown
from askance.service.store import SessionRecord


async def make_first_token(call: Call) -> messages.NewToken:
    """Turn the code of the link that the first start prints into an admin's token; it works once."""
    made = await asyncio.to_thread(call.service.tokens.redeem_first_code, call.body.code)
    await asyncio.to_thread(call.service.audit.record, made.name, "first_sign_in", detail=address_of(call.request))
    return made


async def list_tokens(call: Call) -> messages.Tokens:
    """All tokens, without their secrets."""
    known = await asyncio.to_thread(call.service.tokens.known)
    seen = dict(call.service.tokens.seen)
    for session in call.service.sessions.open():
        seen[session.name] = max(session.seen, seen.get(session.name, 0.0))
    return messages.Tokens([msgspec.structs.replace(token, seen=seen.get(token.name)) for token in known])


async def create_token(call: Call) -> messages.NewToken:
    """Make a token; it is told in this answer and never again."""
    return await asyncio.to_thread(call.service.tokens.create, call.body.name, call.body.role)


async def revoke_token(call: Call) -> messages.KnownToken:
    """Make a token worthless, at once, and end its sessions."""
    revoked = await asyncio.to_thread(call.service.tokens.revoke, call.request.path_params["name"])
    await asyncio.to_thread(call.service.sessions.end_all, revoked.name)
    return revoked


async def show_me(call: Call) -> messages.Me:
    """Who holds this token or session, and which routes and pages are open to them."""
    assert call.person is not None
    name, role = call.person
    may = [route.name for route in call.request.app.state.routes if route.allows(role)]
    return messages.Me(name, role, may)


async def list_sessions(call: Call) -> messages.OpenSessions:
    """Who is signed in with a browser: all sessions for an admin, for others their own."""
    return messages.OpenSessions([_told(call, one) for one in call.service.sessions.open(_own(call))])


async def end_session(call: Call) -> messages.OpenSession:
    """End a session, at once: an admin any, others their own."""
    given = call.request.path_params["number"]
    if not (given.isascii() and given.isdigit()):
        raise unknown("unknown_session", f"there is no session {given[:40]!r}")
    return _told(call, await asyncio.to_thread(call.service.sessions.end, int(given[:20]), _own(call)))


def _own(call: Call) -> str | None:
    """Whose sessions are meant: everybody's, if an admin asks."""
    return None if call.person and call.person.role == "admin" else call.who


def _told(call: Call, session: SessionRecord) -> messages.OpenSession:
    current = call.session is not None and call.session.number == session.number
    return messages.OpenSession(*session[1:], current=current)
