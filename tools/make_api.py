"""Write the reference of the service's HTTP API: `make api-page`.

Everything comes from the table of routes, its schema and the register of metrics. `docs/reference/http-api.md` is
written from scratch. In `docs/guides/live-operations.md` only the blocks between marks are replaced.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from askance.service.api.openapi import schema
from askance.service.api.prometheus import COUNTS
from askance.service.api.route import BYTES, CSV, JSON, LINES, MARKDOWN, PAGE, PARQUET, ZIP, Route
from askance.service.api.table import ROUTES
from askance.service.messages import LONGEST_TEXT, MOST_AT_ONCE

DOCS = Path(__file__).parents[1] / "docs"
API_PAGE, OPERATIONS_PAGE = DOCS / "reference" / "http-api.md", DOCS / "guides" / "live-operations.md"
ROLES = ("admin", "ingest", "labeller", "read")
TITLES = {  # of the modules with routes, in the order of the page
    "items": "Item routes",
    "uploads": "Upload routes",
    "answers": "Answer routes",
    "reviews": "Review routes",
    "tasks": "Task routes",
    "insights": "Routes of figures",
    "exports": "Export routes",
    "webhooks": "Webhook routes",
    "model": "Model routes",
    "people": "Token and session routes",
    "audit": "Audit routes",
    "health": "Service routes",
}
MEDIA = {
    "text/plain": "plain text",
    "text/event-stream": "server-sent events",
    LINES: "JSON lines",
    CSV: "CSV",
    PARQUET: "Parquet",
    ZIP: "a zip archive",
    MARKDOWN: "Markdown",
}
UNITS = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false"}
LARGEST = 2**53  # the largest whole number in JSON: no bound worth printing

# The bodies of the examples; each is decoded as its route does.
BODIES: dict[str, Any] = {
    "make_first_token": {"code": "gvfw-bQe4ktUWzHNNMIW6qClLAXGg9-6"},
    "create_token": {"name": "desk-1", "tasks": {"spam": "labeller"}, "expires_in": 90},
    "change_token": {"role": "read"},
    "rotate_token": {"overlap": 24},
    "create_link": {"hours": 48},
    "create_task": {"name": "spam", "classes": ["ham", "spam"], "budget": {"rate": 0.2, "total": 500}},
    "decide_items": {"items": [{"id": "m1", "text": "win a prize now, click here"}]},
    "predict_items": {"items": [{"text": "cheap pills here"}]},
    "import_items": {"items": [{"id": "old-1", "text": "free prize inside", "label": "spam"}]},
    "create_upload": {"name": "mails.csv", "size": 1024},
    "lease_questions": {"count": 5},
    "give_labels": {"labels": [{"id": "m1", "label": "spam", "key": "desk-1-17"}]},
    "skip_question": {"item": 2},
    "undo_label": {"item": 1},
    "correct_label": {"id": "m3", "label": "spam"},
    "review_item": {"item": 7, "label": "spam"},
    "label_group": {"label": "spam", "items": [1, 2, 3], "key": "desk-1-group-4"},
    "undo_group": {"group": "desk-1-group-4", "key": "desk-1-undo-1"},
    "delete_items": {"items": [1, 2, 3], "key": "cleanup-1"},
    "compact_task": {"keep_days": 90},
    "add_webhook": {"url": "https://example.org/labels", "events": ["label.settled"]},
}
WITHOUT_BODY = ("show_item", "show_figures", "watch_task", "export_labels", "export_model", "metrics", "ready")

HEAD = f"""# HTTP API

Use this page to call the service from any language. It is generated from the service's own schema, which the
service serves at `/api/openapi.json`.

**Requests.** Bodies and responses are JSON, except where noted; send `Content-Type: application/json`. Unknown
fields are rejected, because they are usually misspelt. Where a token is needed, send `Authorization: Bearer
TOKEN`. An admin token may call every route. Times are seconds since 1970. A list holds at most {MOST_AT_ONCE:,}
items or labels, and a text at most {LONGEST_TEXT:,} characters.

**Responses.** A request is carried out completely, and its response is sent when it is on disk, or not at all. A
stream of JSON lines is the exception: each item is decided as it arrives, and the last line is an error if
something was wrong. Errors have one of the statuses below and a body with a code for programs and a message for
people: `{{"error": {{"code": "unknown_task", "message": "there is no task 'spma'"}}}}`.

In the examples, `$ASKANCE_URL` is the address of the service (default: `http://127.0.0.1:8383`) and
`$ASKANCE_TOKEN` is a token. Browsers use pages instead and sign in at `/sign-in`.
"""


def page() -> str:
    """The whole page."""
    openapi = json.loads(schema(ROUTES))
    routes: dict[str, list[Route]] = {module: [] for module in TITLES}
    for route in ROUTES:
        if route.media != PAGE:
            routes[route.handler.__module__.rpartition(".")[2]].append(route)
    parts = [HEAD, *_errors(openapi)]
    for module, title in TITLES.items():
        parts += [f"## {title}", ""]
        for route in routes[module]:
            parts += _route(route, openapi["paths"][route.path][route.method.lower()])
    parts += ["## Messages", "", "Responses always have all their fields.", ""]
    for name, message in sorted(openapi["components"]["schemas"].items()):
        parts += _message(name, message)
    return "\n".join(parts).rstrip() + "\n"


def roles() -> str:
    """The table of roles and routes."""
    rows = [f"| | {' | '.join(ROLES)} |", "|---|" + ":-:|" * len(ROLES)]
    for route in (route for route in ROUTES if route.roles is not None):
        marks = ["✓" if route.allows(role) else "" for role in ROLES]
        rows.append(f"| {route.summary}: `{route.method} {route.path}` | {' | '.join(marks)} |")
    return "\n".join(rows)


def metrics() -> str:
    """The table of Prometheus gauges per task."""
    rows = [f"| `askance_task_{field}` | {text} |" for field, text in COUNTS.items()]
    return "\n".join(["| gauge | meaning |", "|---|---|", *rows])


def filled(content: str) -> str:
    """A page with its marked blocks replaced."""
    for mark, made in (("roles", roles()), ("metrics", metrics())):
        block = re.compile(rf"(<!-- {mark} -->\n).*?(<!-- /{mark} -->)", re.DOTALL)
        content = block.sub(lambda found, made=made: f"{found[1]}{made}\n{found[2]}", content)
    return content


def _errors(openapi: dict[str, Any]) -> list[str]:
    words = {}
    for operation in _operations(openapi):
        words |= {status: answer["description"] for status, answer in operation["responses"].items()}
    del words["200"]
    rows = [f"| {status} | {word} |" for status, word in sorted(words.items())]
    return ["| status | meaning |", "|---|---|", *rows, ""]


def _operations(openapi: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for methods in openapi["paths"].values():
        yield from methods.values()


def _route(route: Route, operation: dict[str, Any]) -> list[str]:
    summary = " ".join((route.handler.__doc__ or "").split())
    needs = "none" if route.roles is None else _or("admin", *route.roles)
    errors = ", ".join(status for status in operation["responses"] if status != "200")
    facts = [f"- Token: {needs}"]
    if route.query is not None:
        facts.append(f"- Query: {_link(route.query.__name__)}")
    if route.body is not None:
        facts.append(f"- Body: {_link(route.body.__name__)}")
    if route.takes_lines:
        facts.append(f"- Body: JSON lines (`{LINES}`), one {_link('Item')} per line")
    if route.takes_bytes:
        facts.append(f"- Body: bytes (`{BYTES}`)")
    facts += [f"- Response: {_answer(route)}", f"- Errors: {errors}"]
    return [f"### `{route.method} {route.path}`", "", summary, "", *facts, "", *_example(route)]


def _answer(route: Route) -> str:
    if route.answer is not None:
        return _link(route.answer.__name__)
    media = dict.fromkeys(MEDIA.get(each, "a file") for each in (route.media, *route.other_media))
    return "JSON" if route.media == JSON else " or ".join(media)


def _example(route: Route) -> list[str]:
    if route.name not in (*BODIES, *WITHOUT_BODY) and not route.takes_lines:
        return []
    path = route.path.replace("{task}", "spam").replace("{item}", "3")
    words = [f"curl $ASKANCE_URL{path}"]
    if route.roles is not None:
        words.append('-H "Authorization: Bearer $ASKANCE_TOKEN"')
    if route.body is not None:
        body = msgspec.json.decode(msgspec.json.encode(BODIES[route.name]), type=route.body)  # as the service does
        words += ["-H 'Content-Type: application/json'", f"-d '{msgspec.json.encode(body).decode()}'"]
    if route.takes_lines:
        words += [f"-H 'Content-Type: {LINES}'", "--data-binary @mails.jsonl"]
    if route.media == "application/octet-stream":
        words.append("-o spam.model")
    return ["```console", "$ " + " \\\n    ".join(words), "```", ""]


def _message(name: str, message: dict[str, Any]) -> list[str]:
    summary = " ".join(message["description"].split())
    rows = [
        (f"`{field}`", _form(form), _remark(field, form, message)) for field, form in message["properties"].items()
    ]
    columns = 3 if any(remark for *_, remark in rows) else 2
    table = ["| field |" + " |" * (columns - 1), "|---|" + "---|" * (columns - 1)]
    table += [f"| {' | '.join(row[:columns])} |" for row in rows]
    return [f"### {name}", "", summary, "", *table, ""]


def _remark(name: str, form: dict[str, Any], message: dict[str, Any]) -> str:
    """A field's description, and its default in requests; responses always have all their fields."""
    comes_in = message.get("additionalProperties") is False
    needed = _default(form) if comes_in and name not in message["required"] else ""
    return "; ".join(part for part in (form.get("description", "").rstrip("."), needed) if part)


def _default(form: dict[str, Any]) -> str:
    value = form.get("default")
    return "optional" if value in (None, {}) else f"default: {json.dumps(value)}"


def _form(form: dict[str, Any]) -> str:
    """The type of a value, in words."""
    if "$ref" in form:
        return _link(form["$ref"].rpartition("/")[2])
    if "anyOf" in form:
        *first, last = [_form(part) for part in form["anyOf"]]
        return ", ".join(first) + (f", or {last}" if "," in first[-1] else f" or {last}")
    if "enum" in form:
        return _or(*(f"`{value}`" if value else "empty" for value in form["enum"]))
    kind = form["type"]
    if "prefixItems" in form:
        return f"list of {len(form['prefixItems'])}: {', '.join(_form(part) for part in form['prefixItems'])}"
    if kind == "array":
        return f"list of {_form(form['items'])}{_bounds(form, 'minItems', 'maxItems')}"
    if kind == "object":
        inner = form.get("additionalProperties")
        return f"{_form(inner)} by name" if inner else "values by name"
    length = _bounds(form, "minLength", "maxLength")
    bounds = f"{length} characters" if length else _bounds(form, "minimum", "maximum")
    above = f" above {form['exclusiveMinimum']:g}" if "exclusiveMinimum" in form else ""
    return UNITS.get(kind, kind) + above + bounds


def _bounds(form: dict[str, Any], low: str, high: str) -> str:
    least, most = form.get(low), form.get(high)
    most = None if most is not None and most >= LARGEST - 1 else most
    if least is not None and most is not None:
        return f", {least:,g} to {most:,g}"
    if most is not None:
        return f", at most {most:,g}"
    return "" if least is None else f", at least {least:,g}"


def _link(name: str) -> str:
    return f"[{name}](#{name.lower()})"


def _or(*words: str) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def main() -> None:
    """Write the reference, and the generated blocks of the other page."""
    API_PAGE.write_text(page(), encoding="utf-8")
    OPERATIONS_PAGE.write_text(filled(OPERATIONS_PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
