"""From bytes to messages, for one connection: takes what the socket gave, tells whole messages.

A sans-IO object in front of websockets' own. It keeps bytes until a frame is whole, so that whole,
masked, unfragmented frames need no parser, and the parser, handed only whole frames, lives no
longer than a fragmented message or a close: an idle spectator has none. Called by the connection,
which asks for one message at a time and can stop at any point without losing or reordering any.
"""

import logging
from typing import Final, NoReturn

from websockets.exceptions import PayloadTooBig
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.server import ServerProtocol

from server.transport.errors import Violation
from server.transport.framing import (
    BINARY,
    OPCODE,
    PING,
    PONG,
    REFUSED,
    TEXT,
    frame_end,
    is_one_small_frame,
    is_plain,
    plain_payload,
)
from server.wire.codes import CloseCode

Message = tuple[bool, bytes]
"""Whether it is text (then valid UTF-8), and its bytes."""

ODD_AT_ONCE = 32
"""Pings, pongs and fragments that are looked at before others have their turn."""
SKIPPED_AT_ONCE = 512
"""Frames after our close that are passed over before others have their turn: a third of a
millisecond. The parser would take 0.3 s for what one read of a socket can bring."""
END_OF_STREAM: Final = b""
"""In `replies`: half-close the socket."""

quiet = logging.getLogger("server.transport.websockets")
"""For the library, which tells every opening and closing; only its own faults pass."""
quiet.setLevel(logging.ERROR)


class Inbox:
    """What has come from one client and is not delivered yet."""

    __slots__ = (
        "_data",
        "_ended",
        "_fragments",
        "_fragments_are_text",
        "_max_bytes",
        "_parser",
        "_position",
        "closing",
        "has_more",
        "odd_frames",
        "replies",
    )

    def __init__(self, max_bytes: int) -> None:
        self.closing = False
        """From the first close frame of either side on; no message follows it."""
        self.has_more = False
        """Whether there is more to look at in a later turn, since this one has looked at many."""
        self.odd_frames = 0
        """Pings, pongs and fragments since somebody set it to 0."""
        self.replies: list[bytes] = []
        """What must be written: pongs, the close frame, END_OF_STREAM. Emptied by the caller."""
        self._max_bytes = max_bytes
        self._data = b""
        self._position = 0
        self._fragments: bytearray | None = None
        self._fragments_are_text = False
        self._parser: ServerProtocol | None = None
        self._ended = False

    def only_message(self, data: bytes) -> Message | None:
        """Return the message when `data` is one small frame and nothing waits before it.

        The usual case, at half the cost of `receive` and `next_message`, which take all others.
        """
        if self._data or self._fragments is not None or not is_one_small_frame(data):
            return None
        if data[0] == BINARY:
            return False, plain_payload(data)
        if data[0] == TEXT:
            payload = plain_payload(data)
            return (True, payload) if payload.isascii() else None
        return None

    def receive(self, data: bytes) -> None:
        """Take bytes of the client."""
        if self._ended:
            return
        if self._data:
            data = self._data[self._position :] + data
        self._data = data
        self._position = 0

    def next_message(self) -> Message | None:
        """Return the next whole message, None when there is none yet or `has_more`.

        Raises Violation.
        """
        message = None
        odd_until = self.odd_frames + ODD_AT_ONCE
        self.has_more = False
        while message is None and not self.closing:
            if self.odd_frames >= odd_until:
                self.has_more = True
                return None
            frame = self._next_frame()
            if frame is None:
                return None
            plain = self._fragments is None and is_plain(frame)
            message = self._plain_message(frame) if plain else self._parse(frame)
        if self.closing:
            self.read_to_end()
        return message

    def read_to_end(self) -> None:
        """Once `closing`, pass over what comes until the client's close frame, some in a turn."""
        self.has_more = False
        for _ in range(SKIPPED_AT_ONCE):
            frame = None if self._ended else self._frame_after_close()
            if frame is None:
                return
            if frame[0] & OPCODE == Opcode.CLOSE:
                parser = self._the_parser()
                parser.receive_data(frame)
                parser.events_received()
                self._reply(parser)
                self._end()
        self.has_more = bool(self._data)

    def _frame_after_close(self) -> bytes | None:
        try:
            return self._next_frame()
        except Violation:
            self._end()
            return None

    def _end(self) -> None:
        """Listen no more: what comes from here on has no meaning."""
        self._ended = True
        self._data, self._position = b"", 0

    def close(self, code: CloseCode, reason: str) -> None:
        """Put a close frame into `replies`; only the client's own is waited for after it."""
        parser = self._the_parser()
        parser.send_close(code, reason)
        self.closing = True
        self._reply(parser)

    def fail(self, code: CloseCode, reason: str) -> None:
        """Close without listening any more: what comes after a violation has no meaning."""
        self._parser = None
        self.close(code, reason)
        self.replies.append(END_OF_STREAM)
        self._end()

    def _next_frame(self) -> bytes | None:
        data, position = self._data, self._position
        end = frame_end(data, position, self._max_bytes)
        if end == REFUSED:
            self._refuse(data[position:])
        if end > len(data):
            return None
        if end == len(data):
            self._data, self._position = b"", 0
        else:
            self._position = end
        return data[position:end]

    def _plain_message(self, frame: bytes) -> Message | None:
        first, payload = frame[0], plain_payload(frame)
        if first in (TEXT, BINARY):
            return _checked(first == TEXT, payload)
        self.odd_frames += 1
        if first == PING:
            self.replies.append(bytes((PONG, len(payload))) + payload)
        return None

    def _parse(self, frame: bytes) -> Message | None:
        self.odd_frames += 1
        parser = self._the_parser()
        parser.receive_data(frame)
        if parser.parser_exc is not None:
            raise _violation(parser.parser_exc, self._max_bytes)
        message = None
        for event in parser.events_received():
            message = self._assemble(event) if isinstance(event, Frame) else None
        self._reply(parser)
        self.closing = parser.state is not State.OPEN
        if self.closing:
            self._end()
        if self._fragments is None and not self.closing:
            self._parser = None
        return message

    def _refuse(self, rest: bytes) -> NoReturn:
        parser = self._the_parser()
        parser.receive_data(rest)
        if parser.parser_exc is None:
            raise AssertionError("the parser takes what frame_end refuses")
        raise _violation(parser.parser_exc, self._max_bytes)

    def _assemble(self, frame: Frame) -> Message | None:
        if frame.opcode is Opcode.CONT and self._fragments is not None:
            self._fragments += frame.data
        elif frame.opcode is Opcode.TEXT or frame.opcode is Opcode.BINARY:
            self._fragments = bytearray(frame.data)
            self._fragments_are_text = frame.opcode is Opcode.TEXT
        else:
            return None
        if not frame.fin:
            return None
        data, self._fragments = bytes(self._fragments), None
        return _checked(self._fragments_are_text, data)

    def _the_parser(self) -> ServerProtocol:
        if self._parser is None:
            self._parser = ServerProtocol(state=State.OPEN, max_size=self._max_bytes, logger=quiet)
        return self._parser

    def _reply(self, parser: ServerProtocol) -> None:
        self.replies.extend(parser.data_to_send())


def _checked(is_text: bool, data: bytes) -> Message:
    if is_text and not data.isascii():
        try:
            data.decode()
        except UnicodeDecodeError as error:
            raise Violation(CloseCode.PROTOCOL, "text must be UTF-8") from error
    return is_text, data


def _violation(cause: Exception, max_bytes: int) -> Violation:
    if isinstance(cause, PayloadTooBig):
        return Violation(CloseCode.TOO_BIG, f"a message has at most {max_bytes} bytes")
    return Violation(CloseCode.PROTOCOL, str(cause))
