"""Signing in with an identity provider: the way there, and the way back."""

import asyncio
import logging
from urllib.parse import quote, unquote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from askance.service.api import cookies
from askance.service.api.people import base_url
from askance.service.api.rate_limits import address_of
from askance.service.api.route import Call
from askance.service.auth.oidc import PATIENCE, Identity, OidcSignIn
from askance.service.auth.provider import ProviderError
from askance.service.auth.rights import Person
from askance.service.auth.sessions import IDLE
from askance.service.errors import RequestError, not_found
from askance.service.web.sign_in import HOME, SEE_OTHER, SIGN_IN, begin, form, local_path

log = logging.getLogger("askance.service")

BACK = f"{SIGN_IN}/oidc/back"
LIFE = IDLE  # seconds: a person who lost their rights at the provider keeps them here no longer than this


async def leave(call: Call) -> Response:
    """Redirect to the provider, with a cookie for the way back."""
    oidc = _oidc(call)
    wanted = local_path(call.request.query_params.get("next", ""))
    try:
        secret, address = await oidc.begin(_redirect(call.request))
    except ProviderError as error:
        return _failed(call, wanted, error, 503)
    response = RedirectResponse(address, SEE_OTHER)
    cookies.keep_for(call.request, response, cookies.SIGN_IN, f"{secret}.{quote(wanted, safe='')}", PATIENCE)
    return response


async def come_back(call: Call) -> Response:
    """Check the answer of the provider, and start a session for the person that it names."""
    oidc, address = _oidc(call), address_of(call.request)
    secret, _, path = cookies.value_of(call.request, cookies.SIGN_IN).partition(".")
    wanted, attempts = local_path(unquote(path)), call.request.app.state.attempts
    try:
        attempts.check(address)
        identity = await oidc.finish(secret, call.request.query_params, _redirect(call.request))
        person = await asyncio.to_thread(_admitted, call, oidc, identity)
    except (ProviderError, RequestError) as error:
        if not isinstance(error, RequestError):
            attempts.failed(address)
        log.warning("a sign-in with the identity provider failed", extra={"error": str(error)})
        await asyncio.to_thread(call.service.audit.record, None, "sign_in_failed", detail=f"oidc, {address}")
        response = _failed(call, wanted, error, getattr(error, "status", 403))
        cookies.forget(call.request, response, cookies.SIGN_IN)
        return response
    detail = f"{oidc.settings.host}, {address}"
    await asyncio.to_thread(call.service.audit.record, person.name, "sign_in", detail=detail)
    response = RedirectResponse(wanted or HOME, SEE_OTHER)
    cookies.keep(call.request, response, await begin(call, person, LIFE))
    cookies.forget(call.request, response, cookies.SIGN_IN)
    return response


def _admitted(call: Call, oidc: OidcSignIn, identity: Identity) -> Person:
    """The person with the rights of their claims; RequestError if there are none, or an admin has revoked them."""
    role, tasks = oidc.settings.rights(identity.claims)
    name = oidc.settings.name(identity.claims)
    if role is None and tasks is None:
        call.service.tokens.withdraw(identity.subject)
        raise RequestError(403, "no_rights", f"{name} has no rights in this service: ask an admin")
    return call.service.tokens.sign_in(identity.subject, name, role, tasks)


def _oidc(call: Call) -> OidcSignIn:
    found: OidcSignIn | None = call.request.app.state.oidc
    if found is None:
        raise not_found("unknown_path", "this service has no identity provider: sign in with a token")
    return found


def _failed(call: Call, wanted: str, error: ProviderError | RequestError, status: int) -> Response:
    message = str(error)
    return form(call, wanted, f"{message[0].upper()}{message[1:]}.", status)


def _redirect(request: Request) -> str:
    return f"{base_url(request)}{BACK}"
