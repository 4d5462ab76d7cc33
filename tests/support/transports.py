"""An asyncio transport without a socket: what is written is kept, flow control is the test's."""

import asyncio
import errno
from typing import Any


class FakeSocket:
    def __init__(self) -> None:
        self.options: dict[tuple[int, int], int] = {}

    def setsockopt(self, level: int, option: int, value: int) -> None:
        self.options[level, option] = value

    def fileno(self) -> int:
        return 7


class FakeTransport(asyncio.Transport):
    """Calls `connection_lost` only when the test says so (`lose`)."""

    def __init__(self, peer_name: tuple[str, int] | None = ("192.0.2.1", 5000)) -> None:
        super().__init__()
        self.socket = FakeSocket()
        self.written = bytearray()
        self.reading = True
        self.eof_written = False
        self.is_reset = False
        """Whether the other side has reset the connection and the loop has not told yet."""
        self.closed = False
        self.aborted = False
        self.buffered_bytes = 0
        self.protocol: Any = None
        self._peer_name = peer_name

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return {"socket": self.socket, "peername": self._peer_name}.get(name, default)

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        self.protocol = protocol

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        self.high_water_bytes = high

    def get_write_buffer_size(self) -> int:
        return self.buffered_bytes

    def write(self, data: Any) -> None:
        assert not self.eof_written, "written after the end"
        self.written += data

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        assert not self.eof_written
        self.eof_written = True
        if self.is_reset:
            raise OSError(errno.ENOTCONN, "Transport endpoint is not connected")

    def pause_reading(self) -> None:
        self.reading = False

    def resume_reading(self) -> None:
        self.reading = True

    def is_closing(self) -> bool:
        return self.closed or self.aborted

    def close(self) -> None:
        self.closed = True

    def abort(self) -> None:
        self.aborted = True

    def lose(self) -> None:
        self.protocol.connection_lost(None)

    def take_written(self) -> bytes:
        written, self.written = bytes(self.written), bytearray()
        return written
