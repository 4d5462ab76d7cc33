"""The handshake of nearly everybody, answered without the library: a fifth of what a join costs.

Owns the answer to requests about which there is no question: nothing repeated, nothing malformed, a
subprotocol that we speak or none. Everything else gets None and is the library's, which names what
is wrong. Pure; called by handshake.py.
"""

import re
from base64 import b64encode
from collections.abc import Container
from hashlib import sha1
from typing import NamedTuple

from server.transport.head import Head

_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_KEY = re.compile(r"[A-Za-z0-9+/]{21}[AQgw]==")
"""Sixteen bytes in base64, their last unused bits zero."""
_NAME = r"[-!#$%&'*+.^_`|~0-9A-Za-z]+"
_TOKENS = re.compile(rf"{_NAME}(?:[ \t]*,[ \t]*{_NAME})*")


class Upgrade(NamedTuple):
    """The 101, and the subprotocol that it names."""

    response: bytes
    subprotocol: str | None


def answer_plain(head: Head, spoken: Container[str]) -> Upgrade | None:
    """Accept a plain upgrade with the first subprotocol offered that is `spoken`."""
    fields = dict(head.headers)
    if len(fields) < len(head.headers) or not _asks_to_upgrade(head, fields):
        return None
    offered = fields.get("sec-websocket-protocol")
    if offered is None:
        return Upgrade(_accept(fields["sec-websocket-key"], None), None)
    subprotocol = next((name for name in _tokens(offered) if name in spoken), None)
    if subprotocol is None:
        return None
    return Upgrade(_accept(fields["sec-websocket-key"], subprotocol), subprotocol)


def _asks_to_upgrade(head: Head, fields: dict[str, str]) -> bool:
    return (
        head.method == "GET"
        and head.version == "HTTP/1.1"
        and fields.get("upgrade", "").lower() == "websocket"
        and "upgrade" in _tokens(fields.get("connection", "").lower())
        and fields.get("sec-websocket-version") == "13"
        and _KEY.fullmatch(fields.get("sec-websocket-key", "")) is not None
    )


def _tokens(value: str) -> list[str]:
    """Names in a list header; none when it is not plainly one."""
    if _TOKENS.fullmatch(value) is None:
        return []
    return [token.strip(" \t") for token in value.split(",")]


def _accept(key: str, subprotocol: str | None) -> bytes:
    # SHA-1 is the protocol's (RFC 6455, 4.2.2); it proves that the key was read, and no more.
    proof = b64encode(sha1(key.encode() + _GUID, usedforsecurity=False).digest()).decode()
    named = "" if subprotocol is None else f"Sec-WebSocket-Protocol: {subprotocol}\r\n"
    return (
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Accept: {proof}\r\n{named}\r\n"
    ).encode()
