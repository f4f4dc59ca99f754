"""The reference of the live service's API, and the lists that follow from it: python docs/make_api.py

Everything comes from the table of routes, its schema and the register of metrics. `docs/live-api.md` is written
whole; in `docs/live-operations.md` the blocks between marks are.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from askance.service.api.prometheus import COUNTS
from askance.service.api.openapi import schema
from askance.service.api.route import (JSON, LINES, PAGE, Route)
from askance.service.api.table import ROUTES
from askance.service.messages import (LONGEST_TEXT, MOST_AT_ONCE)

PAGES = Path(__file__).parent
ROLES = ("admin", "ingest", "labeller", "read")
PARTS = {
    "items": "About items",
    "answers": "About questions and their answers",
    "tasks": "About tasks",
    "exports": "About exports",
    "model": "About the model",
    "people": "About people: tokens and sessions",
    "deeds": "About the trail of deeds",
    "watching": "About the service",
}
MEDIA = {"text/plain": "plain text", "text/event-stream": "server-sent events", LINES: "JSON lines"}
UNITS = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false"}
LARGEST = 2**53  # the bound of whole numbers that is only JSON's own

# What is sent in the examples; each is decoded as its route does.
BODIES: dict[str, Any] = {
    "make_first_token": {"code": "gvfw-bQe4ktUWzHNNMIW6qClLAXGg9-6"},
    "create_token": {"name": "desk-1", "role": "labeller"},
    "create_task": {"name": "spam", "classes": ["ham", "spam"], "budget": {"rate": 0.2, "total": 500}},
    "decide_items": {"items": [{"id": "m1", "text": "win a prize now, click here"}]},
    "predict_items": {"items": [{"text": "cheap pills here"}]},
    "import_items": {"items": [{"id": "old-1", "text": "free prize inside", "label": "spam"}]},
    "lease_questions": {"count": 5},
    "give_labels": {"labels": [{"id": "m1", "label": "spam", "key": "desk-1-17"}]},
    "skip_question": {"item": 2},
    "undo_label": {"item": 1},
    "correct_label": {"id": "m3", "label": "spam"},
    "compact_task": {"keep_days": 90},
}
LOOKED_AT = ("show_item", "show_figures", "watch_task", "export_labels", "export_model", "metrics", "ready")

HEAD = f"""# The API of the live service

*Made by `python docs/make_api.py` from the service's own schema, which it serves at `/api/openapi.json`.*

Bodies and answers are JSON, unless said otherwise; send `Content-Type: application/json`. Unknown fields are
refused, because they are most often misspelt. Where a token is needed, send `Authorization: Bearer TOKEN`; an
admin's token opens every route. Times are seconds since 1970. A list holds at most {MOST_AT_ONCE:,} items or
labels, and a text {LONGEST_TEXT:,} characters.

A request either does all that it says, and then the answer comes when that is on disk, or nothing. A stream of
JSON lines is the exception: it is decided as it comes, and its last line is the refusal if something was wrong. A
refusal has one of the statuses below and a body with a word for programs and a sentence for people:
`{{"error": {{"code": "unknown_task", "message": "there is no task 'spma'"}}}}`.

In the examples `$ASKANCE_URL` is where the service listens, `http://127.0.0.1:8383` unless said, and
`$ASKANCE_TOKEN` a token. Browsers have pages, and sign in at `/sign-in`.
"""


def page() -> str:
    """The whole page."""
    told = json.loads(schema(ROUTES))
    shown = [route for route in ROUTES if route.media != PAGE]
    parts = [HEAD, *_refusals(told)]
    for module, title in PARTS.items():
        own = [route for route in shown if route.handler.__module__.endswith(f".{module}")]
        parts += [f"## {title}", ""]
        for route in own:
            parts += _route(route, told["paths"][route.path][route.method.lower()])
    parts += ["## What the messages hold", "", "Answers always have all their fields.", ""]
    for name, message in sorted(told["components"]["schemas"].items()):
        parts += _message(name, message)
    return "\n".join(parts).rstrip() + "\n"


def roles() -> str:
    """Who may do what, as a table."""
    rows = [f"| | {' | '.join(ROLES)} |", "|---|" + ":-:|" * len(ROLES)]
    for route in (route for route in ROUTES if route.roles is not None):
        marks = ["✓" if route.allows(role) else "" for role in ROLES]
        rows.append(f"| {route.summary}: `{route.method} {route.path}` | {' | '.join(marks)} |")
    return "\n".join(rows)


def metrics() -> str:
    """What Prometheus is told of a task, as a table."""
    rows = [f"| `askance_task_{field}` | {text} |" for field, text in COUNTS.items()]
    return "\n".join(["| gauge | what it tells |", "|---|---|", *rows])


def filled(content: str) -> str:
    """A page with its marked blocks made anew."""
    for mark, made in (("roles", roles()), ("metrics", metrics())):
        block = re.compile(rf"(<!-- {mark} -->\n).*?(<!-- /{mark} -->)", re.DOTALL)
        content = block.sub(lambda found, made=made: f"{found[1]}{made}\n{found[2]}", content)
    return content


def _refusals(told: dict[str, Any]) -> list[str]:
    words = {}
    for operation in _operations(told):
        words |= {status: answer["description"] for status, answer in operation["responses"].items()}
    del words["200"]
    rows = [f"| {status} | {word} |" for status, word in sorted(words.items())]
    return ["| status | meaning |", "|---|---|", *rows, ""]


def _operations(told: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for methods in told["paths"].values():
        yield from methods.values()


def _route(route: Route, operation: dict[str, Any]) -> list[str]:
    said = " ".join((route.handler.__doc__ or "").split())
    needs = "none" if route.roles is None else _or("admin", *route.roles)
    errors = ", ".join(status for status in operation["responses"] if status != "200")
    facts = [f"- Token: {needs}"]
    if route.query is not None:
        facts.append(f"- After the question mark: {_link(route.query.__name__)}")
    if route.body is not None:
        facts.append(f"- Body: {_link(route.body.__name__)}")
    if route.takes_lines:
        facts.append(f"- Body: JSON lines (`{LINES}`), an {_link('Item')} each")
    facts += [f"- Answer: {_answer(route)}", f"- Refusals: {errors}"]
    return [f"### `{route.method} {route.path}`", "", said, "", *facts, "", *_example(route)]


def _answer(route: Route) -> str:
    if route.answer is not None:
        return _link(route.answer.__name__)
    return "JSON" if route.media == JSON else MEDIA.get(route.media, "a file")


def _example(route: Route) -> list[str]:
    if route.name not in (*BODIES, *LOOKED_AT) and not route.takes_lines:
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
    said = " ".join(message["description"].split())
    rows = [
        (f"`{field}`", _form(form), _remark(field, form, message)) for field, form in message["properties"].items()
    ]
    columns = 3 if any(remark for *_, remark in rows) else 2
    table = ["| field |" + " |" * (columns - 1), "|---|" + "---|" * (columns - 1)]
    table += [f"| {' | '.join(row[:columns])} |" for row in rows]
    return [f"### {name}", "", said, "", *table, ""]


def _remark(name: str, form: dict[str, Any], message: dict[str, Any]) -> str:
    """What the field is; answers always have all of theirs."""
    comes_in = message.get("additionalProperties") is False
    needed = _default(form) if comes_in and name not in message["required"] else ""
    return "; ".join(part for part in (form.get("description", "").rstrip("."), needed) if part)


def _default(form: dict[str, Any]) -> str:
    value = form.get("default")
    return "may be left out" if value in (None, {}) else f"{json.dumps(value)} unless said"


def _form(form: dict[str, Any]) -> str:
    """What a value looks like, in words."""
    if "$ref" in form:
        return _link(form["$ref"].rpartition("/")[2])
    if "anyOf" in form:
        *first, last = [_form(part) for part in form["anyOf"]]
        return ", ".join(first) + (f", or {last}" if "," in first[-1] else f" or {last}")
    if "enum" in form:
        return _or(*(f"`{value}`" for value in form["enum"]))
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
    """Write the page, and the blocks of the other."""
    (PAGES / "live-api.md").write_text(page(), encoding="utf-8")
    operations = PAGES / "live-operations.md"
    operations.write_text(filled(operations.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
