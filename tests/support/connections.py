"""Both sides of the seam between transport and session, as fakes that record."""

from collections.abc import Callable, Sequence
from typing import Any

import orjson

from server.ports import Connection
from server.wire.binary_v1 import BINARY_V1
from server.wire.codec import Codec
from server.wire.codes import CloseCode
from tests.support.wire import Frame, split_frames


class FakeConnection:
    """A `server.ports.Connection` that keeps what was written to it."""

    def __init__(
        self, connection_id: str = "c1", *, codec: Codec = BINARY_V1, remote: str = "192.0.2.1"
    ) -> None:
        self.id = connection_id
        self.codec = codec
        self.remote = remote
        self.writable = True
        self.closing = False
        self.acks: list[bytes] = []
        self.written: list[bytes] = []
        self.written_bytes = 0
        self.holds = 0
        self.close_code: CloseCode | None = None
        self.close_reason = ""
        self.retry_after_ms: int | None = None

    def write(self, frame: bytes) -> None:
        if not self.closing:
            self.written.append(frame)
            self.written_bytes += len(frame)

    def writelines(self, frames: Sequence[bytes]) -> None:
        for frame in frames:
            self.write(frame)

    def free_fd(self) -> int:
        return -1

    def buffered_bytes(self) -> int:
        return 0

    def hold(self) -> None:
        self.holds += 1

    def release(self) -> None:
        self.holds -= 1
        assert self.holds >= 0, "released more often than held"

    def close(self, code: CloseCode, reason: str, retry_after_ms: int | None = None) -> None:
        if not self.closing:
            self.closing = True
            self.close_code = code
            self.close_reason = reason
            self.retry_after_ms = retry_after_ms

    def take_frames(self) -> list[Frame]:
        """The frames written since the last call."""
        frames = split_frames(b"".join(self.written))
        self.written.clear()
        return frames

    def take_json(self) -> list[dict[str, Any]]:
        """The JSON messages written since the last call; binary frames are passed over."""
        return [orjson.loads(frame.payload) for frame in self.take_frames() if frame.opcode == 1]


Told = tuple[str, Any]


class FakePeer:
    """A `server.ports.Peer` that keeps what it was told, and reacts as a test says."""

    def __init__(self, react: Callable[["FakePeer", str, Any], None] | None = None) -> None:
        self.connection: Connection | None = None
        self.told: list[Told] = []
        self._react = react

    def opened(self, connection: Connection) -> None:
        self.connection = connection
        self._tell("opened", connection.id)

    def text_received(self, data: bytes) -> None:
        self._tell("text", data)

    def binary_received(self, data: bytes) -> None:
        self._tell("binary", data)

    def writing_paused(self) -> None:
        self._tell("paused", None)

    def writing_resumed(self) -> None:
        self._tell("resumed", None)

    def closed(self) -> None:
        self._tell("closed", None)

    def messages(self) -> list[Told]:
        """The messages among what it was told."""
        return [told for told in self.told if told[0] in {"text", "binary"}]

    def _tell(self, what: str, detail: Any) -> None:
        self.told.append((what, detail))
        if self._react is not None:
            self._react(self, what, detail)


def echo(peer: FakePeer, what: str, detail: object) -> None:
    """Send every text back."""
    if what == "text" and isinstance(detail, bytes) and peer.connection is not None:
        peer.connection.write(b"\x81" + bytes([len(detail)]) + detail)
