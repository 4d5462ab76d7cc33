"""The door: one port for WebSocket and HTTP.

Collects the head of a new connection's request, within a size and a time, and hands the connection
on: `/ws` to a WebSocket, everything else to the HTTP handler. That one gets one request and no
upgrade, so that each request of a client passes here. Never reads a body, never answers for HTTP
except to what is no request or should have come by TLS. Made by the listener for every connection
it accepts.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import cast

from server.ports import Peer
from server.transport.counts import Turned
from server.transport.errors import BadHead
from server.transport.half_close import end_writing
from server.transport.handshake import PATH, Accepted, Gate, shake
from server.transport.head import (
    END,
    Head,
    closing_head,
    parse_head,
    plain_response,
    pointer_to_tls,
)
from server.transport.lobby import Lobby
from server.transport.usher import Usher
from server.transport.websocket import Environment, WebSocket


@dataclass(frozen=True, slots=True)
class Upgrades:
    """What becomes of those who ask for a WebSocket."""

    gate: Gate
    new_id: Callable[[], str]
    """Names a connection; chance is the caller's."""
    make_peer: Callable[[], Peer]


@dataclass(frozen=True, slots=True)
class Doorway:
    """What all doors of a listener share."""

    environment: Environment
    lobby: Lobby
    usher: Usher
    make_http: Callable[[], asyncio.Protocol]
    """The HTTP handler of one connection: aiohttp's `AppRunner.server`."""
    upgrades: Upgrades | None
    """None where nobody becomes a WebSocket; `/ws` is a path like others then."""


class Door(asyncio.Protocol):
    """A connection until it is known what it wants."""

    __slots__ = ("_belongs_to_tls", "_doorway", "_refused", "_request", "_transport")

    def __init__(self, doorway: Doorway, *, belongs_to_tls: bool = False) -> None:
        """`belongs_to_tls`: the client speaks plain HTTP to a port that is for TLS."""
        self._doorway = doorway
        self._belongs_to_tls = belongs_to_tls
        self._request = b""
        self._refused = False
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait in the lobby."""
        self._transport = cast("asyncio.Transport", transport)
        self._doorway.lobby.enter(self, self._doorway.environment.clock.monotonic_ms())

    def data_received(self, data: bytes) -> None:
        """Collect the head; hand the connection on when it is whole."""
        if self._refused or self._transport is None:
            return
        request = self._request = (self._request + data).removeprefix(b"\r\n")
        try:
            _check_start(request, "with TLS only" if self._belongs_to_tls else "without TLS")
            end = _head_end(request, self._doorway.environment.settings.max_head_bytes)
            if end is not None:
                self._route(self._transport, parse_head(request[:end]), request[end + len(END) :])
        except BadHead as bad:
            self._refuse(Turned.HEAD, plain_response(bad.status, str(bad)))

    def connection_lost(self, _exc: Exception | None) -> None:
        """Leave the lobby."""
        self._transport = None
        self._doorway.lobby.leave(self)

    def expire(self) -> None:
        """End a connection whose head did not come in time, or that does not hang up."""
        transport = self._transport
        if transport is None:
            return
        if not self._refused:
            self._note(Turned.SLOW)
        if self._refused or not self._request:
            transport.abort()
        else:
            transport.write(plain_response(HTTPStatus.REQUEST_TIMEOUT, "The request is too slow."))
            transport.close()

    def _route(self, transport: asyncio.Transport, head: Head, rest: bytes) -> None:
        if self._belongs_to_tls:
            self._refuse(Turned.PLAIN, pointer_to_tls(head, is_socket=head.path == PATH))
            return
        if head.path == PATH and self._doorway.upgrades is not None:
            self._queue(transport, partial(self._upgrade, transport, head, rest))
            return
        self._doorway.lobby.leave(self)
        handler = self._doorway.make_http()
        transport.set_protocol(handler)
        handler.connection_made(transport)
        # What follows a head without a body is the next request, which will not be answered here.
        handler.data_received(closing_head(head) + (rest if head.has_body else b""))

    def _queue(self, transport: asyncio.Transport, upgrade: Callable[[], None]) -> None:
        """Upgrade now, or when those before have been; nothing is read of who waits."""
        usher = self._doorway.usher
        if usher.has_time():
            upgrade()
            return

        def show_in() -> None:
            if self._transport is not None and not transport.is_closing():
                transport.resume_reading()
                upgrade()

        transport.pause_reading()
        usher.wait(show_in)

    def _upgrade(self, transport: asyncio.Transport, head: Head, rest: bytes) -> None:
        upgrades = self._doorway.upgrades
        assert upgrades is not None  # noqa: S101  # the caller has looked
        peer_name = transport.get_extra_info("peername")
        answer = shake(head, peer_name[0] if peer_name else "", upgrades.gate)
        if not isinstance(answer, Accepted):
            self._refuse(answer.why, answer.response)
            return
        self._doorway.lobby.leave(self)
        connection = WebSocket(
            self._doorway.environment,
            transport,
            upgrades.make_peer(),
            connection_id=upgrades.new_id(),
            codec=answer.codec,
            remote=answer.remote,
        )
        connection.open(answer.response, rest)

    def _refuse(self, why: Turned, response: bytes) -> None:
        """Answer, and wait in the lobby for the client to hang up.

        Closing at once would reset the connection while the client still sends, and it would not
        see why.
        """
        self._note(why)
        self._refused = True
        self._request = b""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(response)
            end_writing(self._transport)

    def _note(self, why: Turned) -> None:
        self._doorway.environment.counts.turned[why] += 1


def _check_start(request: bytes, how: str) -> None:
    """Refuse what is no HTTP without waiting for its end: TLS to a plain port, mostly."""
    if request and not b"A" <= request[:1] <= b"Z" and request[:1] != b"\r":
        raise BadHead(HTTPStatus.BAD_REQUEST, f"This port speaks HTTP/1.1 {how}.")


def _head_end(request: bytes, max_bytes: int) -> int | None:
    end = request.find(END)
    if (len(request) if end < 0 else end) > max_bytes:
        raise BadHead(
            HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
            f"A request's head has at most {max_bytes} bytes.",
        )
    return None if end < 0 else end
