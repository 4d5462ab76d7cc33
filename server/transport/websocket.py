"""One open WebSocket: a peer on one side, an asyncio transport on the other.

Owns back-pressure (who does not take what we write is not read), the order of what is delivered,
and the end: `closing`, the close frame, a bounded wait, nothing after. Never decides what a message
means; that is the peer's, whose exceptions end here. Made by the door, kept in the listener's live
set, ended by its keepalive: it has no task, timer or queue of its own.
"""

import asyncio
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from server.clock import Clock
from server.ports import Peer
from server.transport.counts import BY_CLIENT, LOST, TransportCounts
from server.transport.errors import Violation
from server.transport.half_close import end_writing
from server.transport.inbox import END_OF_STREAM, Inbox, Message
from server.transport.keepalive import Pulse
from server.transport.settings import TransportSettings
from server.wire import events
from server.wire.codec import Codec
from server.wire.codes import CloseCode, ErrorCode

FAULT_RETRY_MS = 5_000
MESSAGES_A_TURN = 32
BYTES_A_TURN = 2_048
"""Of one connection, at most 500 placements, before the loop sees to others. A socket gives 64 KB
and more at once, 3,000 messages, for whose time nobody else would be served."""
MOST_ACKS = 256
"""Waiting for a connection's next frame; past it no further message is read until they are out.
Whoever asks for a frame a minute and places all the time would pile up a minute's."""
_MAX_REASON_BYTES = 123
"""What a close frame has room for."""


@dataclass(frozen=True, slots=True)
class Environment:
    """What all connections of a listener share."""

    settings: TransportSettings
    clock: Clock
    on_fault: Callable[[Exception], None]
    """Told of every exception of a peer; logs it."""
    call_soon: Callable[[Callable[[], None]], object]
    """Calls in a later turn of the loop."""
    live: "set[WebSocket]"
    """The connections that are open: the truth that counts are taken from."""
    counts: TransportCounts = field(default_factory=TransportCounts)


class WebSocket(asyncio.Protocol):
    """A `server.ports.Connection` on an asyncio transport."""

    __slots__ = (
        "_awaits_acks",
        "_environment",
        "_fd",
        "_holds",
        "_inbox",
        "_peer",
        "_reading",
        "_transport",
        "_turn_asked",
        "acks",
        "close_by_ms",
        "closing",
        "codec",
        "id",
        "pulse",
        "remote",
        "writable",
    )

    def __init__(
        self,
        environment: Environment,
        transport: asyncio.Transport,
        peer: Peer,
        *,
        connection_id: str,
        codec: Codec,
        remote: str,
    ) -> None:
        settings = environment.settings
        self.id = connection_id
        self.codec = codec
        self.remote = remote
        self.writable = True
        self.closing = False
        self.acks: list[bytes] = []
        self.pulse = Pulse(environment.clock.monotonic_ms(), settings.ping_ms)
        self.close_by_ms = 0
        self._environment = environment
        self._transport = transport
        self._peer = peer
        self._inbox = Inbox(settings.max_message_bytes)
        self._awaits_acks = False
        """Whether it is held until its acks are written."""
        self._fd = -1
        """Of a plain socket, from the upgrade on; over TLS nobody else may write to it."""
        self._holds = 0
        self._reading = True
        self._turn_asked = False
        """Whether a later turn of the loop reads on."""

    # What sessions and the hub may do.

    def write(self, frame: bytes) -> None:
        """Send one frame, or several already joined; dropped silently once closing."""
        if not self.closing:
            self._transport.write(frame)

    def writelines(self, frames: Sequence[bytes]) -> None:
        """Send several frames with one system call."""
        if not self.closing:
            self._transport.writelines(frames)
            if self._awaits_acks and not self.acks:
                self._awaits_acks = False
                self.release()

    def hold(self) -> None:
        """Stop reading: no further message reaches the peer until `release` (counted)."""
        self._holds += 1
        self._update_reading()

    def release(self) -> None:
        """Undo one `hold`; what was kept is delivered in a later turn of the loop."""
        self._holds -= 1
        self._update_reading()

    def close(self, code: CloseCode, reason: str, retry_after_ms: int | None = None) -> None:
        """Tell `closing`, then close with the code; harmless when closing already."""
        if not self.closing:
            self._inbox.close(code, _short(reason))
            self._begin_end(code, events.closing(code, reason, retry_after_ms))

    # What the keepalive and the listener ask.

    @property
    def held(self) -> bool:
        """Whether the peer holds it, so that its silence says nothing of the other side."""
        return self._holds > 0

    def free_fd(self) -> int:
        """Give the descriptor while nothing waits for the socket and nobody closes it; else -1."""
        transport = self._transport
        if self.closing or transport.is_closing() or transport.get_write_buffer_size():
            return -1
        return self._fd

    def buffered_bytes(self) -> int:
        """Tell how many bytes wait here for the kernel to take."""
        return self._transport.get_write_buffer_size()

    def take_odd_frames(self) -> int:
        """Return how many pings, pongs and fragments came since it was asked last."""
        count, self._inbox.odd_frames = self._inbox.odd_frames, 0
        return count

    def abort(self) -> None:
        """End it now; what was not sent is lost."""
        self._transport.abort()

    # What the door and the loop tell.

    def open(self, response: bytes, early: bytes) -> None:
        """Take over an upgraded connection: send the 101, tell the peer, read what came early."""
        settings = self._environment.settings
        self._transport.set_protocol(self)
        self._transport.set_write_buffer_limits(high=settings.write_limit_bytes)
        raw_socket = self._transport.get_extra_info("socket")
        raw_socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, settings.send_buffer_bytes)
        if self._transport.get_extra_info("sslcontext") is None:
            self._fd = raw_socket.fileno()
        self._environment.live.add(self)
        self._transport.write(response)
        self._guard(self._peer.opened, self)
        if early:
            self.data_received(early)

    def data_received(self, data: bytes) -> None:
        """Deliver the messages that are whole; the inbox keeps the rest."""
        self.pulse.heard = True
        self._environment.counts.received_bytes += len(data)
        if self._reading and (message := self._inbox.only_message(data)) is not None:
            self._deliver(message)
            return
        self._inbox.receive(data)
        if self._turn_asked:
            return
        if self.closing:
            self._read_to_end()
        elif self._reading:
            self._read()

    def eof_received(self) -> None:
        """Let the transport close: who has said the last byte is told nothing more."""
        if not self.closing:
            self._note_end(LOST)
        self.closing = True
        self._reading = False

    def pause_writing(self) -> None:
        """Stop reading too: who does not take answers gets no more questions answered."""
        self.writable = False
        self._update_reading()
        if not self.closing:
            self._guard(self._peer.writing_paused)

    def resume_writing(self) -> None:
        """Let the peer catch up first, then read again."""
        self.writable = True
        if not self.closing:
            self._guard(self._peer.writing_resumed)
        self._update_reading()

    def connection_lost(self, _exc: Exception | None) -> None:
        """Leave the live set and tell the peer, once."""
        if not self.closing:
            self._note_end(LOST)
        self.closing = True
        self._reading = False
        self._fd = -1
        live = self._environment.live
        if self in live:
            live.remove(self)
            self._guard(self._peer.closed)
            # Each knows the other: else a crowd that is gone would wait for the garbage collector.
            del self._peer

    # Reading.

    def _update_reading(self) -> None:
        reading = self.writable and not self._holds and not self.closing
        if reading == self._reading:
            return
        self._reading = reading
        if reading:
            # Not at once: `release` is called from the middle of a game's turn.
            self._read_later()
        elif not self.closing:
            self._transport.pause_reading()

    def _read_later(self) -> None:
        if not self._turn_asked:
            self._turn_asked = True
            self._environment.call_soon(self._resume_reading)

    def _resume_reading(self) -> None:
        self._turn_asked = False
        if self._reading:
            self._read()
        elif self._inbox.closing and not self._transport.is_closing():
            self._read_to_end()
        if (self._reading or self._inbox.closing) and not self._turn_asked:
            self._go_on_reading()

    def _go_on_reading(self) -> None:
        if not self._transport.is_closing():
            self._transport.resume_reading()

    def _read(self) -> None:
        inbox = self._inbox
        try:
            self._read_a_turn()
        except Violation as violation:
            self._refuse(violation)
        if inbox.closing and not self.closing:
            self._begin_end(BY_CLIENT, b"")

    def _read_a_turn(self) -> None:
        inbox = self._inbox
        left, left_bytes = MESSAGES_A_TURN, BYTES_A_TURN
        while self._reading and left > 0 < left_bytes:
            message = inbox.next_message()
            if inbox.replies:
                self._reply()
            if message is not None:
                self._deliver(message)
                left, left_bytes = left - 1, left_bytes - len(message[1])
            elif inbox.has_more:
                break
            else:
                return
        if self._reading:
            self._transport.pause_reading()
            self._read_later()

    def _deliver(self, message: Message) -> None:
        is_text, data = message
        try:
            if is_text:
                self._environment.counts.texts += 1
                self._peer.text_received(data)
            else:
                self._environment.counts.binaries += 1
                self._peer.binary_received(data)
        except Exception as fault:  # noqa: BLE001 - the edge: told once, the connection ends
            self._fault(fault)
        if len(self.acks) > MOST_ACKS and not self._awaits_acks:
            self._awaits_acks = True
            self.hold()

    def _read_to_end(self) -> None:
        self._inbox.read_to_end()
        self._reply()
        if self._inbox.has_more:
            self._transport.pause_reading()
            self._read_later()

    def _reply(self) -> None:
        replies, self._inbox.replies = self._inbox.replies, []
        for data in replies:
            if data != END_OF_STREAM:
                self._transport.write(data)
            else:
                end_writing(self._transport)

    # The end.

    def _begin_end(self, how: CloseCode | str, farewell: bytes) -> None:
        """Write the farewell and the inbox's close frame; read on only for the client's."""
        self._note_end(how)
        self.closing = True
        self._reading = False
        environment = self._environment
        self.close_by_ms = environment.clock.monotonic_ms() + environment.settings.close_wait_ms
        if farewell:
            self._transport.write(farewell)
        self._read_to_end()
        if not self._turn_asked:
            self._go_on_reading()

    def _refuse(self, violation: Violation) -> None:
        self._reply()
        reason = str(violation)
        farewell = events.closing(violation.code, reason)
        if violation.code is CloseCode.PROTOCOL:
            farewell = events.error(ErrorCode.BAD_FRAME, reason) + farewell
        self._inbox.fail(violation.code, _short(reason))
        self._begin_end(violation.code, farewell)

    def _note_end(self, how: CloseCode | str) -> None:
        self._environment.counts.closed[str(how)] += 1

    def _guard(self, notify: Callable[..., None], *arguments: object) -> None:
        try:
            notify(*arguments)
        except Exception as fault:  # noqa: BLE001 - the edge: told once, the connection ends
            self._fault(fault)

    def _fault(self, fault: Exception) -> None:
        """End a connection whose peer failed; 1012, since the client may well come back."""
        self._environment.on_fault(fault)
        self.write(events.error(ErrorCode.INTERNAL, "the server failed; it was logged"))
        self.close(CloseCode.RESTART, "internal fault", FAULT_RETRY_MS)


def _short(reason: str) -> str:
    return reason.encode()[:_MAX_REASON_BYTES].decode(errors="ignore")
