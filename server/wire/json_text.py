"""JSON text both ways: commands from the client, events and replies to it.

Owns the three envelopes (`do`, `re`, `event`) and that text is written without whitespace; never
what stands in them. Encoders return complete WebSocket frames. Called by the session, the commands
and the hub.
"""

from collections.abc import Mapping
from typing import Any

import orjson

from server.wire.codes import ErrorCode
from server.wire.errors import Malformed
from server.wire.frames import text_frame

JsonObject = dict[str, Any]


def decode_object(data: bytes) -> JsonObject:
    """Decode a text message of a client; raises Malformed when it is not a JSON object."""
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise Malformed(f"not JSON: {error.msg} at character {error.pos}") from error
    if not isinstance(value, dict):
        raise Malformed("a message must be a JSON object")
    return value


def event_frame(event: str, /, **fields: Any) -> bytes:
    """Encode `{"event": …}` with its fields in the order given."""
    return text_frame(orjson.dumps({"event": event, **fields}))


def reply_ok(request_id: int, fields: Mapping[str, Any]) -> bytes:
    """Encode the reply to a command that was done."""
    return text_frame(orjson.dumps({"re": request_id, "ok": True, **fields}))


def reply_error(request_id: int | None, code: ErrorCode | str, message: str, **extra: Any) -> bytes:
    """Encode the reply to a command that was not; `code` is an ErrorCode or a refusal's name."""
    error = {"code": code, "message": message, **extra}
    return text_frame(orjson.dumps({"re": request_id, "ok": False, "error": error}))
