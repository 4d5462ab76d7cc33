"""One WebSocket to the server: the only module that knows the websockets library.

Owns the socket, the upgrade and the watch for a dead line. Messages are handed to the receiver in
the turn in which their bytes come (no queue, so nothing piles up here); sending never waits, since
what may be outstanding is bounded by its senders. Called by the keeper.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any, Literal, Protocol, cast
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidProxy, InvalidStatus, InvalidURI, WebSocketException
from websockets.frames import CTRL_OPCODES, Frame, Opcode
from websockets.protocol import Event, State
from websockets.typing import Subprotocol

from tesserae_client.address import told
from tesserae_client.errors import HandshakeRefused
from tesserae_client.splitter import Payload, Splitter

SUBPROTOCOLS = {"binary": Subprotocol("tesserae.v1"), "json": Subprotocol("tesserae.v1.json")}
MAX_MESSAGE_BYTES = 64 * 1024 * 1024
"""A whole 8000 x 8000 board in one band, even in base64, fits."""
OPEN_TIMEOUT_S = 10.0
CLOSE_TIMEOUT_S = 2.0

_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_TOO_MANY_REQUESTS, _SERVER_ERROR = 429, 500
_RETRY_DIGITS = 9


class Receiver(Protocol):
    """Who the messages are for."""

    def text_received(self, line: "Line", data: bytes | bytearray) -> None:
        """Take a whole text message."""
        ...

    def binary_received(self, line: "Line", data: bytes | bytearray) -> None:
        """Take a whole binary message."""
        ...


class Unopened(Exception):  # noqa: N818 - no error to anyone but the keeper
    """The line could not be opened now; later it may."""

    def __init__(self, reason: str, retry_after_ms: int | None = None) -> None:
        super().__init__(reason)
        self.retry_after_ms = retry_after_ms


class Line(ClientConnection):
    """One connection; `fault` is what the receiver raised, `dead` that no bytes came in time."""

    def __init__(self, receiver: Receiver, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fault: Exception | None = None
        self.dead = False
        self._receiver = receiver
        self._heard_at_s = self.loop.time()
        self._watch: asyncio.TimerHandle | None = None
        self._opcode = Opcode.TEXT
        self._parts = bytearray()
        self._splitter = Splitter()

    def send_now(self, data: bytes, *, text: bool) -> None:
        """Send one message without waiting; dropped when the line is closing (a cut follows)."""
        if self.protocol.state is not State.OPEN:
            return
        (self.protocol.send_text if text else self.protocol.send_binary)(data)
        self.send_data()

    def abort(self) -> None:
        """Drop the line without ceremony."""
        self.transport.abort()

    def watch(self, silence_s: float) -> None:
        """Drop the line when no byte comes for so long."""
        if self._watch is not None:
            self._watch.cancel()
        left_s = self._heard_at_s + silence_s - self.loop.time()
        if left_s > 0:
            self._watch = self.loop.call_later(left_s, self.watch, silence_s)
        else:
            self.dead = True
            self.abort()

    def data_received(self, data: bytes) -> None:
        """Note that the line lives, then take plain messages and leave the rest to the library."""
        self._heard_at_s = self.loop.time()
        for piece in self._splitter.feed(data):
            if not isinstance(piece, Payload):
                super().data_received(piece)
            elif self.protocol.state is State.OPEN:
                self._deliver(piece.data, text=piece.text)

    def process_event(self, event: Event) -> None:
        """Take what the library parsed: put fragments together, and large messages."""
        if not isinstance(event, Frame) or event.opcode in CTRL_OPCODES:
            super().process_event(event)
        else:
            self._message(event)

    def _message(self, frame: Frame) -> None:
        data: Any = frame.data
        opcode = frame.opcode
        if opcode is Opcode.CONT or not frame.fin:
            if opcode is not Opcode.CONT:
                self._opcode = opcode
            self._parts += data
            if not frame.fin:
                return
            data, opcode, self._parts = self._parts, self._opcode, bytearray()
        self._deliver(data, text=opcode is Opcode.TEXT)

    def _deliver(self, data: bytes | bytearray, *, text: bool) -> None:
        if self.fault is not None:
            return
        receive = self._receiver.text_received if text else self._receiver.binary_received
        try:
            receive(self, data)
        except Exception as fault:  # noqa: BLE001 - kept, and raised by the keeper
            self.fail(fault)

    def fail(self, fault: Exception) -> None:
        """Drop the line for this reason."""
        self.fault = fault
        self.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """End the watch with the line."""
        if self._watch is not None:
            self._watch.cancel()
        super().connection_lost(exc)


async def open_line(url: str, codec: str, receiver: Receiver) -> Line:
    """Open a line. Raises HandshakeRefused when there is no use in trying again, else Unopened."""
    subprotocol = SUBPROTOCOLS[codec]
    factory: Callable[..., ClientConnection] = partial(Line, receiver)
    try:
        line = await connect(
            url,
            subprotocols=[subprotocol],
            compression=None,
            proxy=_proxy(url),
            open_timeout=OPEN_TIMEOUT_S,
            ping_interval=None,
            close_timeout=CLOSE_TIMEOUT_S,
            max_size=MAX_MESSAGE_BYTES,
            create_connection=cast("type[ClientConnection]", factory),  # a wrapper will do
        )
    except (InvalidURI, InvalidProxy, ValueError) as fault:
        raise HandshakeRefused(str(fault)) from fault
    except InvalidStatus as fault:
        raise _by_status(fault) from fault
    except (OSError, TimeoutError, EOFError, WebSocketException) as fault:
        # WebSocketException: also a cut in the moment before the request is written.
        raise Unopened(told(fault, url)) from fault
    if not isinstance(line, Line) or line.subprotocol != subprotocol:
        line.transport.abort()
        raise HandshakeRefused(f"the server does not speak {subprotocol}")
    return line


def _proxy(url: str) -> Literal[True] | None:
    return None if urlsplit(url).hostname in _LOOPBACK else True


def _by_status(fault: InvalidStatus) -> Exception:
    status = fault.response.status_code
    if status != _TOO_MANY_REQUESTS and status < _SERVER_ERROR:
        body = bytes(fault.response.body or b"").decode(errors="replace").strip()
        return HandshakeRefused(f"HTTP {status}: {body[:200]}", status)
    retry_after = fault.response.headers.get("Retry-After", "")
    is_seconds = retry_after.isdecimal() and len(retry_after) <= _RETRY_DIGITS
    return Unopened(f"HTTP {status}", int(retry_after) * 1000 if is_seconds else None)
