"""Render templates to pages with a strict content security policy."""

from collections.abc import Sequence
from typing import Any

import jinja2
from starlette.responses import HTMLResponse

from askance.service.api.request_info import info_of
from askance.service.api.route import Call
from askance.service.auth.rights import Person
from askance.service.auth.tokens import WARNED_BEFORE
from askance.service.errors import RequestError
from askance.service.times import day_of
from askance.service.web.assets import ADDRESS
from askance.service.web.languages import DEFAULT, NAMES, words_for

# Only scripts, styles and connections of our own: injected content can do nothing. Not even our own modules can
# turn text into markup: no trusted-types policy may be created. Forms send their origin, which the guard checks.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "cache-control": "no-store",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}

_templates = jinja2.Environment(
    loader=jinja2.PackageLoader("askance.service.web"),
    autoescape=True,
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def policy_with(hosts: Sequence[str]) -> str:
    """The policy of a page that also shows images of these hosts."""
    return POLICY.replace("img-src 'self'", " ".join(["img-src 'self'", *(f"https://{host}" for host in hosts)]))


def page(
    call: Call, template: str, status: int = 200, *, image_hosts: Sequence[str] = (), **values: Any
) -> HTMLResponse:
    """Render a page in the language of its reader; all values are escaped.

    It loads images of our own, and of these hosts.
    """
    info, words = info_of(call.request.scope), words_for(call.request)
    assets = info.prefix + ADDRESS
    content = _templates.get_template(template).render(
        root=info.prefix,
        assets=assets,
        _=words,
        languages=NAMES,
        catalogue="" if words.language == DEFAULT else f"{assets}/{words.language}.json",
        person=call.person,
        role=_role(call.person, values.get("task")),
        ends_soon=_ends_soon(call),
        csrf=call.session.csrf if call.session else "",
        **values,
    )
    # Not compressed: pages show names from their address beside the token of their forms, and from the lengths of
    # compressed pages one could guess the token (BREACH).
    headers = HEADERS | {"content-security-policy": policy_with(image_hosts)}
    return HTMLResponse(content, status, headers=headers)


def _role(person: Person | None, task: str | None) -> str:
    """The role in the task of the page, or in all tasks; empty if there is none."""
    if person is None:
        return ""
    return (person.role if task is None else person.role_in(task)) or ""


def _ends_soon(call: Call) -> str:
    """When the token of the caller ends, if that is soon."""
    end = call.service.tokens.end(call.person.name) if call.person else None
    return "" if end is None or end - call.service.clock() > WARNED_BEFORE else day_of(end)


def refusal_page(call: Call, refusal: RequestError) -> HTMLResponse:
    """An error as a page, where other clients get JSON."""
    request_id = info_of(call.request.scope).request_id
    shown = page(call, "refused.html", refusal.status, refusal=refusal, request_id=request_id)
    if refusal.retry_after is not None:
        shown.headers["retry-after"] = str(refusal.retry_after)
    return shown
