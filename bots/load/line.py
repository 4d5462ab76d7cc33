"""One bare connection to the server: as cheap as asyncio allows, since thousands share a process.

Owns the socket, the upgrade, pongs and the watch for a dead line; no meaning of a message. Who is
told is a `Member`. Called by the member, which opens one line after the other.
"""

import asyncio
import os
import ssl
from dataclasses import dataclass
from typing import Protocol, cast
from urllib.parse import urlsplit

from tesserae_client.address import told
from tesserae_client.errors import BadFrame

from bots.load import frames

SUBPROTOCOL = "tesserae.v1"
OPEN_TIMEOUT_S = 10.0
_SWITCHING = 101
_LONGEST_RETRY = 9
"""Digits of a Retry-After that is believed."""


class Unopened(Exception):  # noqa: N818 - the member tries again
    """The line could not be opened; `status` when the server answered with another one than 101."""

    def __init__(self, reason: str, status: int | None = None, retry_after_ms: int = 0) -> None:
        super().__init__(reason)
        self.status = status
        self.retry_after_ms = retry_after_ms


@dataclass(frozen=True, slots=True)
class Address:
    """Where lines go to."""

    url: str
    host: str
    port: int
    path: str
    """With the query."""
    tls: ssl.SSLContext | None

    @classmethod
    def of(cls, url: str) -> "Address":
        """Read a socket's address; raises ValueError."""
        parts = urlsplit(url)
        if not parts.hostname:
            raise ValueError(f"{url!r} names no host")
        secure = parts.scheme == "wss"
        port = parts.port or (443 if secure else 80)
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        context = ssl.create_default_context() if secure else None
        return cls(url, parts.hostname, port, path, context)

    @property
    def authority(self) -> str:
        """The header Host."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


class Receiver(Protocol):
    """Who the messages are for."""

    def opened(self, line: "Line") -> None:
        """Hear that the line is open, before the first message on it."""
        ...

    def text(self, payload: bytes) -> None:
        """Take a text message."""
        ...

    def binary(self, payload: bytes) -> None:
        """Take a binary message."""
        ...

    def received(self, size_bytes: int) -> None:
        """Hear that bytes came, before what they mean."""
        ...


class Line(asyncio.Protocol):
    """One connection; `ended` is set when it is gone, `opened` when the upgrade is answered."""

    def __init__(self, receiver: Receiver, address: Address) -> None:
        loop = asyncio.get_running_loop()
        self.opened: asyncio.Future[None] = loop.create_future()
        self.ended: asyncio.Future[None] = loop.create_future()
        self.close_code: int | None = None
        self.reason = ""
        self._receiver = receiver
        self._address = address
        self._key = os.urandom(16)
        self._head: bytes | None = b""
        self._frames = frames.Frames()
        self._transport: asyncio.Transport | None = None
        self._heard = True

    # --- called by the member -----------------------------------------------------------------

    def send(self, opcode: int, payload: bytes) -> None:
        """Send a message; dropped when the line is gone, which the member hears of."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(frames.encode(opcode, payload))

    def hang_up(self, reason: str) -> None:
        """Drop the line."""
        self.reason = self.reason or reason
        if self._transport is not None:
            self._transport.abort()

    def close(self) -> None:
        """End the line as a browser does that leaves the page."""
        self.send(frames.CLOSE, (1001).to_bytes(2))
        if self._transport is not None:
            self._transport.close()

    def check_silence(self) -> None:
        """Drop the line if nothing came since the last call."""
        if not self._heard:
            self.hang_up("the line is dead: nothing came for two ping periods")
        self._heard = False

    # --- called by the loop -------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for the upgrade."""
        # uvloop's are no subclass.
        self._transport = cast("asyncio.Transport", transport)
        address = self._address
        self._transport.write(
            frames.upgrade(address.authority, address.path, SUBPROTOCOL, self._key)
        )

    def data_received(self, data: bytes) -> None:
        """Cut it into frames, each of them handled in this turn."""
        self._heard = True
        try:
            if self._head is not None:
                data = self._upgraded(self._head + data)
            self._receiver.received(len(data))
            for opcode, payload in self._frames.feed(data):
                self._take(opcode, payload)
        except BadFrame as bad:
            self.hang_up(f"the server does not keep to the protocol: {bad}")

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell the member."""
        self.reason = self.reason or ("" if exc is None else told(exc, self._address.url))
        if not self.opened.done():
            self.opened.set_exception(Unopened(self.reason or "the server hung up"))
        self.ended.set_result(None)

    def _take(self, opcode: int, payload: bytes) -> None:
        if opcode == frames.BINARY:
            self._receiver.binary(payload)
        elif opcode == frames.TEXT:
            self._receiver.text(payload)
        elif opcode == frames.PING:
            self.send(frames.PONG, payload)
        elif opcode == frames.CLOSE:
            self.close_code, reason = frames.closed_by(payload)
            self.reason = self.reason or reason
            self.send(frames.CLOSE, payload[:2])

    def _upgraded(self, head: bytes) -> bytes:
        """Take the answer to the upgrade; returns what came behind it."""
        end = head.find(b"\r\n\r\n")
        if end < 0:
            if len(head) > frames.MAX_HEAD_BYTES:
                raise BadFrame("an endless answer to the upgrade")
            self._head = head
            return b""
        self._head = None
        status, headers = frames.read_head(head[:end])
        if status != _SWITCHING:
            self._refused(status, headers)
            return b""
        if headers.get("sec-websocket-accept") != frames.accepting(self._key):
            raise BadFrame("a wrong Sec-WebSocket-Accept; is that a WebSocket server?")
        if headers.get("sec-websocket-protocol") != SUBPROTOCOL:
            raise BadFrame(f"it does not speak {SUBPROTOCOL}")
        self._receiver.opened(self)
        self.opened.set_result(None)
        return head[end + 4 :]

    def _refused(self, status: int, headers: dict[str, str]) -> None:
        after = headers.get("retry-after", "")
        known = after.isdecimal() and len(after) <= _LONGEST_RETRY
        retry_after_ms = int(after) * 1000 if known else 0
        self.opened.set_exception(Unopened(f"HTTP {status}", status, retry_after_ms))
        self.hang_up(f"HTTP {status}")


async def open_line(receiver: Receiver, address: Address) -> Line:
    """Open a line; raises Unopened."""
    loop = asyncio.get_running_loop()
    line = Line(receiver, address)
    try:
        async with asyncio.timeout(OPEN_TIMEOUT_S):
            await loop.create_connection(lambda: line, address.host, address.port, ssl=address.tls)
            await line.opened
    except (OSError, TimeoutError) as fault:
        line.hang_up("not opened")
        raise Unopened(told(fault, address.url)) from fault
    return line
