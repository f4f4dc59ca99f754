"""From a template to a page that a browser shows and that can do no more than it should."""

from typing import Any

import jinja2
from starlette.responses import HTMLResponse

from askance.service.api.route import Call
from askance.service.errors import RequestError
from askance.service.web.assets import ADDRESS

# Scripts, styles and connections of our own alone: what somebody smuggles into a page can do nothing there, and
# not even our own modules can make markup of a text: the one default policy, of charts, lets nothing but the empty
# text pass. Forms tell where they come from, which the guard checks.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'; "
    "require-trusted-types-for 'script'; trusted-types default"
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
    """A page; every value is shown as text."""
    content = _templates.get_template(template).render(
        assets=ADDRESS,
        person=call.person,
        csrf=call.session.csrf if call.session else "",
        **values,
    )
    return HTMLResponse(content, status, headers=HEADERS)


def refusal_page(call: Call, refusal: RequestError) -> HTMLResponse:
    """What a browser shows where a program gets a refusal as JSON."""
    shown = page(call, "refused.html", refusal.status, refusal=refusal)
    if refusal.retry_after is not None:
        shown.headers["retry-after"] = str(refusal.retry_after)
    return shown
