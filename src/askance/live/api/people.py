"""Routes of tokens, and of the first visit."""

import asyncio
import html
from urllib.parse import parse_qs

from starlette.responses import HTMLResponse

from askance.live import messages
from askance.live.api.route import Call
from askance.live.refusals import Refusal

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>askance</title>
<body><main><h1>askance</h1>{content}</main></body></html>"""
HEADERS = {
    "content-security-policy": "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
}


async def make_first_token(call: Call) -> messages.NewToken:
    """Turn the code of the link that the first start prints into an admin's token; it works once."""
    return await asyncio.to_thread(call.service.tokens.first_visit, call.body.code)


async def list_tokens(call: Call) -> messages.Tokens:
    """All tokens, without their secrets."""
    return messages.Tokens(await asyncio.to_thread(call.service.tokens.known))


async def create_token(call: Call) -> messages.NewToken:
    """Make a token; it is told in this answer and never again."""
    return await asyncio.to_thread(call.service.tokens.create, call.body.name, call.body.role)


async def revoke_token(call: Call) -> messages.KnownToken:
    """Make a token worthless, at once."""
    return await asyncio.to_thread(call.service.tokens.revoke, call.request.path_params["name"])


async def first_page(call: Call) -> HTMLResponse:
    """The page behind the link that the first start prints: opening it does nothing yet, its button does."""
    code = html.escape(call.request.query_params.get("code", ""), quote=True)
    return _page(
        "<p>This makes the first admin's token. It works once, and the token is shown once.</p>"
        f'<form method="post" action="/first"><input type="hidden" name="code" value="{code}">'
        "<button autofocus>Make the token</button></form>"
    )


async def first_page_sent(call: Call) -> HTMLResponse:
    """The token, after the button was pressed."""
    fields = parse_qs((await call.request.body())[:1000].decode(errors="replace"))
    try:
        made = await asyncio.to_thread(call.service.tokens.first_visit, fields.get("code", [""])[0])
    except Refusal as refusal:
        return _page(f"<p>{html.escape(refusal.message)}</p>", refusal.status)
    return _page(
        f"<p>The token of {html.escape(made.name)}, an admin. Keep it: it is not shown again.</p>"
        f"<pre>{html.escape(made.token)}</pre>"
        "<p>For the command line and for programs:</p>"
        f"<pre>export ASKANCE_TOKEN={html.escape(made.token)}</pre>"
    )


def _page(content: str, status: int = 200) -> HTMLResponse:
    return HTMLResponse(PAGE.format(content=content), status, headers=HEADERS)
