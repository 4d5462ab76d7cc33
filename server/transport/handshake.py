"""The handshake: whether a request for `/ws` becomes a WebSocket, and which codec it speaks.

Pure decisions over values, in this order: rate (429), origin (403), then, unless the request is a
plain upgrade, all that the sans-IO protocol checks (400, 405, 426, 505), subprotocol included. No
extension is ever negotiated. Never touches a socket; who is banned or too many is the session's,
after the upgrade. Called by the door.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import NamedTuple

from websockets.datastructures import Headers
from websockets.exceptions import NegotiationError
from websockets.http11 import Request
from websockets.server import ServerProtocol
from websockets.typing import Subprotocol

from server.transport.counts import Turned
from server.transport.head import Head, plain_response
from server.transport.inbox import quiet
from server.transport.plain_handshake import answer_plain
from server.wire.binary_v1 import BINARY_V1
from server.wire.codec import Codec
from server.wire.json_v1 import JSON_V1

PATH = "/ws"
_CODECS: dict[str | None, Codec] = {
    BINARY_V1.subprotocol: BINARY_V1,
    JSON_V1.subprotocol: JSON_V1,
    None: JSON_V1,
}
_SPOKEN = frozenset(name for name in _CODECS if name is not None)
_DEFAULT_PORTS = {"http": ":80", "https": ":443"}


@dataclass(frozen=True, slots=True)
class Gate:
    """Whom the door lets in, and what it asks to know that."""

    admit: Callable[[], int | None]
    """Take one handshake from the rate: None, or the seconds until the next one may come."""
    address_of: Callable[[str, str | None], str]
    """The client's address from the peer's and from `X-Forwarded-For`."""
    origins: frozenset[str] = frozenset()
    """Allowed origins besides our own host, in lower case."""
    origin_required: bool = False


class Accepted(NamedTuple):
    """The upgrade may go on; `response` is the 101."""

    response: bytes
    codec: Codec
    remote: str


class Rejected(NamedTuple):
    """The upgrade is refused in HTTP."""

    response: bytes
    why: Turned


def shake(head: Head, peer_address: str, gate: Gate) -> Accepted | Rejected:
    """Decide a request for `/ws`."""
    retry_after_s = gate.admit()
    if retry_after_s is not None:
        return Rejected(_too_many(retry_after_s), Turned.RATE)
    complaint = _origin_complaint(head, gate)
    if complaint is not None:
        return Rejected(plain_response(HTTPStatus.FORBIDDEN, complaint), Turned.ORIGIN)
    if head.has_body:
        return Rejected(
            plain_response(HTTPStatus.BAD_REQUEST, "a handshake has no body"), Turned.HANDSHAKE
        )
    remote = gate.address_of(peer_address, head.joined("x-forwarded-for"))
    plain = answer_plain(head, _SPOKEN)
    if plain is not None:
        return Accepted(plain.response, _CODECS[plain.subprotocol], remote)
    return _ask_library(head, remote)


def _ask_library(head: Head, remote: str) -> Accepted | Rejected:
    """Decide what is not plain: either it is right all the same, or it is told what is wrong."""
    protocol = ServerProtocol(select_subprotocol=_select, logger=quiet)
    response = protocol.accept(_request(head))
    protocol.send_response(response)
    raw = b"".join(protocol.data_to_send())
    if response.status_code != HTTPStatus.SWITCHING_PROTOCOLS:
        return Rejected(raw, Turned.HANDSHAKE)
    return Accepted(raw, _CODECS[protocol.subprotocol], remote)


def _request(head: Head) -> Request:
    return Request(head.target, Headers(head.headers), head.method, head.version)


def _too_many(retry_after_s: int) -> bytes:
    return plain_response(
        HTTPStatus.TOO_MANY_REQUESTS,
        f"Too many handshakes; come back in {retry_after_s} s.",
        [("retry-after", str(retry_after_s))],
    )


def _select(_protocol: ServerProtocol, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    for subprotocol in offered:
        if subprotocol in _CODECS:
            return subprotocol
    if not offered:
        return None
    supported = ", ".join(name for name in _CODECS if name is not None)
    raise NegotiationError(
        f"unsupported protocol version {', '.join(offered)}; this server speaks {supported}"
    )


def _origin_complaint(head: Head, gate: Gate) -> str | None:
    origins = head.values("origin")
    if not origins:
        return "An Origin header is required here." if gate.origin_required else None
    origin = origins[0].lower()
    if len(origins) == 1 and (origin in gate.origins or _is_own(origin, head)):
        return None
    return f"The origin {', '.join(origins)} is not allowed; the operator can list it in --origins."


def _is_own(origin: str, head: Head) -> bool:
    scheme, _, authority = origin.partition("://")
    default_port = _DEFAULT_PORTS.get(scheme)
    if default_port is None or not authority:
        return False
    host = (head.joined("host") or "").lower()
    return authority.removesuffix(default_port) == host.removesuffix(default_port)
