"""Render templates to pages with a strict content security policy."""

from typing import Any

import jinja2
from starlette.responses import HTMLResponse

from askance.service.api.route import Call
from askance.service.errors import RequestError
from askance.service.web.assets import ADDRESS

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


def page(call: Call, template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """Render a page; all values are escaped."""
    content = _templates.get_template(template).render(
        assets=ADDRESS,
        person=call.person,
        csrf=call.session.csrf if call.session else "",
        **values,
    )
    return HTMLResponse(content, status, headers=HEADERS)


def refusal_page(call: Call, refusal: RequestError) -> HTMLResponse:
    """An error as a page, where other clients get JSON."""
    shown = page(call, "refused.html", refusal.status, refusal=refusal)
    if refusal.retry_after is not None:
        shown.headers["retry-after"] = str(refusal.retry_after)
    return shown
