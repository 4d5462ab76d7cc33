"""The OpenAPI 3.1 document, made of the registry and of the table of plain routes.

Owns its form. Pure: the same registry gives the same document. Called once, when it is first asked
for, by the route below; the reference page is made of it too.
"""

import json
import re
from typing import Any

from server import __version__
from server.commands.registry import Command, Http, Registry, fields_in
from server.http.openapi.plain import ROUTES, Plain
from server.http.openapi.shapes import Schema, problem_schema, schemas_of, without_null
from server.http.rate_headers import LEFT, POLICY

OPENAPI = "3.1.0"
TOKEN = "token"  # noqa: S105  # the name of the scheme
ABOUT = (
    "HTTP beside the WebSocket at `/ws`, which is how to follow a board. Errors are problem "
    "details with the protocol's `code` and a remedy in `detail`. What is below `/api/` costs "
    "credits of your token, or of your address without one; the `RateLimit` headers tell what is "
    "left. In a path, write `#` as `%23`: the default canvas is `place%23main`."
)
_REFERENCE = re.compile(r"#/components/schemas/(\w+)")
_PROBLEM = {"$ref": "#/components/responses/Problem"}
_RATE = {name: {"$ref": f"#/components/headers/{name}"} for name in (POLICY, LEFT)}
_EXAMPLES = {"game": "place#main"}


def document(registry: Registry) -> dict[str, Any]:
    """Describe all that HTTP serves."""
    served = registry.over_http()
    schemas = schemas_of(
        model for one in served for model in (one.command.request, one.command.reply)
    )
    paths: dict[str, dict[str, Any]] = {}
    for command, http, _ in served:
        paths.setdefault(http.path, {})[http.method.lower()] = _operation(command, http, schemas)
    for plain in ROUTES:
        paths.setdefault(plain.path, {})["get"] = _plain(plain)
    return {
        "openapi": OPENAPI,
        "info": {"title": "Tesserae", "version": __version__, "description": ABOUT},
        "servers": [{"url": "../", "description": "This server."}],
        "tags": [{"name": name} for name in ("games", "players", "boards", "server")],
        "paths": paths,
        "components": _components(_needed(schemas, paths)),
    }


def _needed(schemas: dict[str, Schema], paths: dict[str, Any]) -> dict[str, Schema]:
    """Leave out what no path leads to: requests, whose fields stand with their operations."""
    found: set[str] = set()
    waiting: list[Any] = [paths]
    while waiting:
        names = set(_REFERENCE.findall(json.dumps(waiting.pop()))) & schemas.keys()
        waiting.extend(schemas[name] for name in names - found)
        found |= names
    return {name: schema for name, schema in schemas.items() if name in found}


def _operation(command: Command[Any], http: Http[Any], schemas: dict[str, Schema]) -> Schema:
    request = schemas[command.request.__name__]
    in_path = fields_in(http.path)
    operation: Schema = {
        "operationId": command.name,
        "summary": command.summary,
        "description": _about(command, request),
        "tags": ["games" if http.path.startswith("/api/games") else "players"],
        "security": [{TOKEN: []}] if http.needs_token or command.roles else [{}, {TOKEN: []}],
        "parameters": _parameters(request, in_path, with_query=http.method == "GET"),
        "responses": {
            str(http.status.value): {
                "description": http.status.phrase,
                "headers": _RATE,
                "content": _json({"$ref": f"#/components/schemas/{command.reply.__name__}"}),
            },
            "4XX": _PROBLEM,
            "5XX": _PROBLEM,
        },
    }
    if http.method != "GET":
        operation["requestBody"] = {"required": True, "content": _json(_body(request, in_path))}
    return operation


def _about(command: Command[Any], request: Schema) -> str:
    credits_taken = "1 credit" if command.cost == 1 else f"{command.cost} credits"
    roles = f" For the role {' or '.join(sorted(command.roles))}." if command.roles else ""
    return f"{request['description']}\n\nCosts {credits_taken}.{roles}"


def _parameters(request: Schema, in_path: frozenset[str], *, with_query: bool) -> list[Schema]:
    found = []
    for name, schema in request.get("properties", {}).items():
        if name in in_path or with_query:
            found.append(_parameter(name, schema, request, in_path))
    return found


def _parameter(name: str, schema: Schema, request: Schema, in_path: frozenset[str]) -> Schema:
    return {
        "name": name,
        "in": "path" if name in in_path else "query",
        "required": name in in_path or name in request.get("required", ()),
        "schema": without_null(schema),
        **({"description": schema["description"]} if "description" in schema else {}),
        **({"example": _EXAMPLES[name]} if name in _EXAMPLES else {}),
    }


def _body(request: Schema, in_path: frozenset[str]) -> Schema:
    fields = {name: s for name, s in request.get("properties", {}).items() if name not in in_path}
    needed = [name for name in request.get("required", ()) if name not in in_path]
    return {"type": "object", "properties": fields, **({"required": needed} if needed else {})}


def _plain(plain: Plain) -> Schema:
    text: Schema = {"type": "string"}
    headers: Schema = {
        name: {"schema": schema, "required": True} for name, schema in plain.headers.items()
    }
    if plain.etag:
        headers |= {"ETag": {"schema": text, "required": True}, **_RATE}
    responses = {
        "200": {
            "description": "OK",
            "headers": headers,
            "content": {plain.media_type: {"schema": plain.schema} if plain.schema else {}},
        },
        **({"304": {"description": "Not Modified", "headers": headers}} if plain.etag else {}),
        "4XX": _PROBLEM,
        "5XX": _PROBLEM,
    }
    return {
        "operationId": plain.name,
        "summary": plain.summary,
        "tags": [plain.tag],
        "security": [{}, {TOKEN: []}] if plain.path.startswith("/api/games") else [],
        "parameters": [
            *(_parameter(name, text, {}, fields_in(plain.path)) for name in fields_in(plain.path)),
            *(
                {"name": n, "in": "query", "required": False, **p}
                for n, p in plain.parameters.items()
            ),
        ],
        "responses": responses,
    }


def _components(schemas: dict[str, Schema]) -> Schema:
    headers: Schema = {"Retry-After": {"$ref": "#/components/headers/Retry-After"}, **_RATE}
    return {
        "schemas": {**schemas, "Problem": problem_schema()},
        "responses": {
            "Problem": {
                "description": "What went wrong, and what helps.",
                "headers": headers,
                "content": {
                    "application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}
                },
            }
        },
        "headers": {
            "Retry-After": _header("Seconds to wait, with 429 and 503.", {"type": "integer"}),
            POLICY: _header("Quota (q) and window in seconds (w) of each limit."),
            LEFT: _header("What is left of each limit (r), and in how many seconds it is whole."),
        },
        "securitySchemes": {
            TOKEN: {
                "type": "http",
                "scheme": "bearer",
                "description": "A token of this server's, or of the issuer that it trusts.",
            }
        },
    }


def _header(description: str, schema: Schema | None = None) -> Schema:
    return {"description": description, "schema": schema or {"type": "string"}}


def _json(schema: Schema) -> Schema:
    return {"application/json": {"schema": schema}}
