"""The first visit, signing in with a token, and signing out."""

import asyncio
import re
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from askance.service.api import cookies
from askance.service.api.rate_limits import address_of
from askance.service.api.route import Call
from askance.service.auth.rights import Person
from askance.service.auth.sessions import LIFE
from askance.service.errors import RequestError
from askance.service.times import day_of
from askance.service.web.languages import words_for
from askance.service.web.rendering import page

HOME, SIGN_IN, NEW_TASK = "/tasks", "/sign-in", "/new-task"
SEE_OTHER = 303
# Browsers read // and /\ as another host, and ignore line ends and tabs.
LOCAL = re.compile(r"/(?![/\\])[^\\\x00-\x20\x7f]*")


async def home(call: Call) -> Response:
    """Redirect to the tasks, or to the form for the first one."""
    is_first = not call.service.writers and not call.service.broken
    return _see(NEW_TASK if is_first and call.person and call.person.role == "admin" else HOME)


async def sign_in_page(call: Call) -> Response:
    """The form for the token."""
    wanted = local_path(call.request.query_params.get("next", ""))
    return _see(wanted) if call.person else form(call, wanted)


async def sign_in(call: Call) -> Response:
    """Start a session for the owner of the token."""
    wanted, address = local_path(call.body.next), address_of(call.request)
    attempts, token = call.request.app.state.attempts, call.body.token.strip()
    try:
        attempts.check(address)
        person = call.service.tokens.person(token)
        if person is None:
            attempts.failed(address)
    except RequestError as refusal:
        problem = f"{refusal.message[0].upper()}{refusal.message[1:]}."
        response = form(call, wanted, problem, refusal.status)
        response.headers["retry-after"] = str(refusal.retry_after)
        return response
    if person is None:
        await asyncio.to_thread(call.service.audit.record, None, "sign_in_failed", detail=address)
        return form(call, wanted, _about(call, token), 403)
    await asyncio.to_thread(call.service.audit.record, person.name, "sign_in", detail=address)
    response = _see(wanted)
    cookies.keep(call.request, response, await begin(call, person))
    return response


async def sign_out(call: Call) -> Response:
    """End this session."""
    response = _see(SIGN_IN)
    if call.session is not None:
        await asyncio.to_thread(call.service.sessions.end, call.session.number)
        await asyncio.to_thread(call.service.audit.record, call.who, "sign_out")
        cookies.forget(call.request, response)
    return response


async def first_page(call: Call) -> Response:
    """The page of the link that the first start prints; only its button creates the token."""
    return page(call, "first.html", code=call.request.query_params.get("code", ""), made=None)


async def first_visit(call: Call) -> Response:
    """Create and show the token, and sign in."""
    made = await asyncio.to_thread(call.service.tokens.redeem_first_code, call.body.code)
    await asyncio.to_thread(call.service.audit.record, made.name, "first_sign_in", detail=address_of(call.request))
    person = Person(made.name, made.role)
    secret = await begin(call, person)
    signed_in = call._replace(person=person, session=call.service.sessions.find(secret))
    response = page(signed_in, "first.html", code="", made=made)
    cookies.keep(call.request, response, secret)
    return response


async def link_page(call: Call) -> Response:
    """The page of a link that signs in; only its button uses it: some programs open links by themselves."""
    code = call.request.query_params.get("code", "")
    person = await asyncio.to_thread(call.service.links.owner, code)
    return page(call, "enter.html", code=code, name=person.name)


async def enter(call: Call) -> Response:
    """Use the link: start a session for the owner of its token."""
    person = await asyncio.to_thread(call.service.links.use, call.body.code)
    detail = f"link, {address_of(call.request)}"
    await asyncio.to_thread(call.service.audit.record, person.name, "sign_in", detail=detail)
    response = _see(HOME)
    cookies.keep(call.request, response, await begin(call, person))
    return response


def to_sign_in(request: Request) -> Response:
    """Redirect to the sign-in page, and from there back to the requested page."""
    if request.method not in ("GET", "HEAD"):
        return _see(SIGN_IN)
    query = f"?{request.url.query}" if request.url.query else ""
    return _see(f"{SIGN_IN}?{urlencode({'next': local_path(quote(request.url.path, safe='/%') + query)})}")


def local_path(wanted: str) -> str:
    """A path of this service; the home page if it could be anything else."""
    return wanted if LOCAL.fullmatch(wanted) else HOME


async def begin(call: Call, person: Person, life: float = LIFE) -> str:
    """The secret of a new session, which replaces the earlier one of this browser."""
    sessions, agent = call.service.sessions, call.request.headers.get("user-agent", "")
    secret, _ = await asyncio.to_thread(sessions.begin, person, agent, life)
    if call.session is not None:
        await asyncio.to_thread(sessions.end, call.session.number)
    return secret


def form(call: Call, wanted: str, problem: str = "", status: int = 200) -> Response:
    """The form for the token, with the way to the identity provider if there is one."""
    oidc = call.request.app.state.oidc
    host = "" if oidc is None else oidc.settings.host
    return page(call, "sign-in.html", status, next=wanted, problem=problem, provider=host)


def _about(call: Call, token: str) -> str:
    _ = words_for(call.request)
    if not token:
        return _("Paste a token first.")
    if ended := call.service.tokens.ended(token):
        return _("This token ended on {day}. Ask an admin for another one.", day=day_of(ended))
    return _("Unknown token: it was revoked or not copied completely. Ask an admin for another one.")


def _see(path: str) -> RedirectResponse:
    return RedirectResponse(path, SEE_OTHER)
