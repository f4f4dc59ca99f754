"""The OpenAPI schema, generated from the route table and the messages."""

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from askance import __version__
from askance.service import messages
from askance.service.api.route import BYTES, JSON, LINES, PAGE, Route

REF = "#/components/schemas/{name}"
PARAMETERS = {
    "task": {"type": "string", "pattern": "^[a-z0-9][a-z0-9_-]{0,63}$"},
    "rollback": {"type": "integer", "minimum": 1, "maximum": 2**53 - 1},
    "item": {"type": "integer", "minimum": 1, "maximum": 2**53 - 1},
    "name": {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$"},
    "number": {"type": "integer", "minimum": 1, "maximum": 2**53 - 1},
}
WORDS = {
    400: "The body is not valid JSON",
    401: "The token is missing or not valid",
    403: "The role may not do this, or the code is not valid",
    404: "Not found",
    405: "The method is not allowed",
    408: "The body did not arrive in time",
    409: "Not possible in the current state",
    413: "The body is too large",
    415: "Content-Type is not application/json",
    421: "Unknown Host header",
    422: "Well-formed, but not valid",
    429: "Too many requests",
    503: "The store or the service is not available",
    507: "The disk is full",
}


def schema(routes: Sequence[Route], prefix: str = "") -> bytes:
    """Generate the schema as JSON. All its paths are below the prefix, if there is one."""
    shown = [route for route in routes if route.media != PAGE]
    types = [kind for route in shown for kind in (route.body, route.query, route.answer) if kind] + [
        messages.ErrorResponse
    ]
    _, components = msgspec.json.schema_components(types, ref_template=REF)
    paths: dict[str, dict[str, Any]] = {}
    for route in shown:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, components)
    return msgspec.json.encode(
        {
            "openapi": "3.1.0",
            "info": {"title": "askance", "version": __version__, "license": {"name": "BSD-3-Clause"}},
            **({"servers": [{"url": prefix}]} if prefix else {}),
            "paths": paths,
            "components": {
                "schemas": components,
                "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            },
        }
    )


def statuses(route: Route) -> list[int]:
    """The error statuses that a route can return."""
    always = [421, 429, 503]
    guarded = [401, 403] if route.roles is not None else []
    sent = [400, 408, 413, 415, 422] if route.body is not None or route.takes_lines or route.takes_bytes else []
    asked = [422] if route.query is not None else []
    kept = [507] if route.audited or route.method != "GET" else []
    # A name with a slash in it is another path.
    elsewhere = [404, 405] if "{" in route.path else []
    return sorted({*always, *guarded, *sent, *asked, *kept, *elsewhere, *route.errors})


def _operation(route: Route, components: dict[str, Any]) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": route.name,
        "summary": route.summary,
        "description": _description(route),
        "responses": {"200": _answer(route)} | {str(status): _error(status) for status in statuses(route)},
    }
    if parameters := _parameters(route, components):
        operation["parameters"] = parameters
    if route.body is not None:
        operation["requestBody"] = {"required": True, "content": {JSON: {"schema": _reference(route.body)}}}
    if route.takes_lines:
        operation["requestBody"] = {"required": True, "content": {LINES: {"schema": {"type": "string"}}}}
    if route.takes_bytes:
        operation["requestBody"] = {"required": True, "content": {BYTES: {"schema": {"type": "string"}}}}
    if route.roles is not None:
        operation["security"] = [{"token": []}]
    return operation


def _parameters(route: Route, components: dict[str, Any]) -> list[dict[str, Any]]:
    in_path = [
        {"name": name, "in": "path", "required": True, "schema": PARAMETERS[name]}
        for name in re.findall(r"{(\w+)}", route.path)
    ]
    if route.query is None:
        return in_path
    query = components[route.query.__name__]
    return in_path + [
        {"name": name, "in": "query", "required": name in query["required"], "schema": form}
        for name, form in query["properties"].items()
    ]


def _description(route: Route) -> str:
    text = " ".join((route.handler.__doc__ or "").split())
    if route.roles is None:
        return f"{text} No token is needed."
    roles = " or ".join(("admin", *route.roles))
    return f"{text} Needs a token with the role {roles}."


def _answer(route: Route) -> dict[str, Any]:
    content: dict[str, Any] = _reference(route.answer) if route.answer else {"type": "string"}
    if route.media == JSON and route.answer is None:
        content = {"type": "object"}
    media = (route.media, *route.other_media)
    return {"description": route.summary, "content": {each: {"schema": content} for each in media}}


def _error(status: int) -> dict[str, Any]:
    return {"description": WORDS[status], "content": {JSON: {"schema": _reference(messages.ErrorResponse)}}}


def _reference(kind: type) -> dict[str, str]:
    return {"$ref": REF.format(name=kind.__name__)}
