"""The fields of a command in an HTTP request: from its path, its query or its JSON body.

Owns which texts of a query stand for numbers and booleans, and the bounds of a body. Types are as
strict as over WebSocket: what is no such text stays one, and the command's own check refuses it.
"""

import asyncio
import re
from http import HTTPStatus
from typing import Any

import orjson
from aiohttp import hdrs, web

from server.commands.registry import Http, Request, fields_in
from server.http.problems import Problem, bad_field
from server.http.reading import only

JSON_TYPE = "application/json"
IDENTITY = "identity"
FIRST = 10.0
"""Seconds for a small body: nobody may hold a place among the requests by sending nothing."""
SLOWEST_BYTES_PER_SECOND = 512 * 1024
"""What a large one has to come at."""
_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,17})")
_SWITCHES = {"true": True, "false": False}


class Fields:
    """Reads the fields of one command."""

    def __init__(self, request: type[Request], http: Http[Any]) -> None:
        self._http = http
        self._types = _types_of(request)
        self._in_path = fields_in(http.path)

    async def read(self, request: web.Request) -> dict[str, Any]:
        """Read all fields, unchecked. Raises Problem (400, 408, 413 or 415)."""
        in_path = {name: request.match_info[name] for name in self._in_path}
        if self._http.method == "GET":
            return in_path | self._query(request)
        _refuse_query(request)
        body = await self._body(request)
        for name in self._in_path & body.keys():
            raise bad_field(name, "stands in the path; leave it out of the body")
        return in_path | body

    def _query(self, request: web.Request) -> dict[str, Any]:
        only(request, [name for name in self._types if name not in self._in_path])
        return {name: _value(text, self._types[name]) for name, text in request.query.items()}

    async def _body(self, request: web.Request) -> dict[str, Any]:
        _refuse_other_types(request)
        data = await read_bounded(request, self._http.max_body_bytes)
        try:
            value = orjson.loads(data)
        except orjson.JSONDecodeError as error:
            raise bad_field("body", f"not JSON: {error.msg} at character {error.pos}") from error
        if not isinstance(value, dict):
            raise bad_field("body", "must be a JSON object")
        return value


async def read_bounded(request: web.Request, max_bytes: int) -> bytes:
    """Read a body that may not be longer than this, nor too slow. Raises Problem (413 or 408)."""
    patience = FIRST + max_bytes / SLOWEST_BYTES_PER_SECOND
    try:
        async with asyncio.timeout(patience):
            return await _read(request, max_bytes)
    except TimeoutError as error:
        detail = f"the body did not come within {patience:.0f} s; send it again on a better line"
        raise Problem(HTTPStatus.REQUEST_TIMEOUT, detail) from error


async def _read(request: web.Request, max_bytes: int) -> bytes:
    parts: list[bytes] = []
    size_bytes = request.content_length or 0
    if size_bytes <= max_bytes:
        size_bytes = 0
        async for part in request.content.iter_any():
            parts.append(part)
            size_bytes += len(part)
            if size_bytes > max_bytes:
                break
    if size_bytes > max_bytes:
        detail = f"a body has at most {max_bytes} bytes here"
        raise Problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, detail)
    return b"".join(parts)


def _refuse_other_types(request: web.Request) -> None:
    if request.content_type != JSON_TYPE:
        detail = f"send a JSON object with Content-Type: {JSON_TYPE}"
        raise Problem(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, detail)
    coding = request.headers.get(hdrs.CONTENT_ENCODING, IDENTITY).strip().lower()
    if coding != IDENTITY:
        detail = "send the body uncompressed, without Content-Encoding"
        raise Problem(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, detail)


def _refuse_query(request: web.Request) -> None:
    for name in request.query:
        raise bad_field(name[:64], "is no parameter here; fields go into the JSON body")


def _types_of(request: type[Request]) -> dict[str, frozenset[str]]:
    """JSON types of each field, by its name on the wire."""
    properties = request.model_json_schema()["properties"] if request.model_fields else {}
    return {name: frozenset(_types_in(schema)) for name, schema in properties.items()}


def _types_in(schema: dict[str, Any]) -> set[str]:
    branches = schema.get("anyOf", [schema])
    return {branch["type"] for branch in branches if "type" in branch}


def _value(text: str, types: frozenset[str]) -> Any:
    if "integer" in types and _INTEGER.fullmatch(text):
        return int(text)
    if "boolean" in types and text in _SWITCHES:
        return _SWITCHES[text]
    return text
