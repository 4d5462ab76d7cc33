"""Bodies that are written and read by us, in place of the library's own way.

The library walks every value of every item: to write the JSON that we have already, which is a
third of a batch's cost, and to give back the JSON that it has read, which is 90 of the 100 µs that
an item of a query costs. Its public hooks before a call and before parsing take another body, and
what was read; signing, retries and errors stay its. Bodies beyond 1 MB go as a file, since the HTTP
client warns of sending that many bytes at once.
"""

import http
import io
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import orjson

from persistence.aws.clients import Client

MAX_PLAIN_BYTES = 1024 * 1024
READS = ("BatchGetItem", "Query", "Scan")
"""Calls whose answers hold many items."""

_BODY: ContextVar[bytes | None] = ContextVar("body", default=None)


def take_bodies(client: Client) -> None:
    """Let `client` send the body of `written` for the calls within it; may be said again."""
    client.meta.events.register("before-call.dynamodb", _replace, unique_id=__name__)


def read_plainly(client: Client) -> None:
    """Let `client` give what it reads as it came; may be said again."""
    for call in READS:
        name = f"before-parse.dynamodb.{call}"
        client.meta.events.register(name, _read, unique_id=f"{__name__}.{call}")


@contextmanager
def written(body: bytes) -> Iterator[None]:
    """Send this body with the calls of this task."""
    token = _BODY.set(body)
    try:
        yield
    finally:
        _BODY.reset(token)


def _replace(params: dict[str, Any], **_: Any) -> None:
    body = _BODY.get()
    if body is not None:
        params["body"] = body
    if len(params["body"]) > MAX_PLAIN_BYTES:
        params["body"] = io.BytesIO(params["body"])


def _read(
    response_dict: dict[str, Any], customized_response_dict: dict[str, Any], **_: Any
) -> None:
    """Parse an answer; what is none is left to the library, which words errors."""
    if response_dict["status_code"] != http.HTTPStatus.OK:
        return
    try:
        answer = orjson.loads(response_dict["body"])
    except orjson.JSONDecodeError:
        return
    if isinstance(answer, dict):
        customized_response_dict.update(answer)
        response_dict["body"] = b"{}"
