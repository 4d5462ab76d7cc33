"""What the rooms of the server ask of each other: the seams between transport, session and hub.

`Connection` is what a session and the hub may do with a socket; `Peer` is what a socket tells the
session that belongs to it. Both sides are faked in unit tests.
"""

from collections.abc import Sequence
from typing import Protocol

from server.wire.codec import Codec
from server.wire.codes import CloseCode


class Connection(Protocol):
    """One open WebSocket. Frames are complete and prebuilt; nothing is sent after a close frame."""

    id: str
    codec: Codec
    """How pixels, acks and bands are told to this connection; chosen by its subprotocol."""
    remote: str
    """The client's address as the trusted proxies tell it (no port)."""
    writable: bool
    """False while the kernel has not taken all that was written (back-pressure)."""
    closing: bool
    """True from the moment a close was begun by either side."""
    acks: list[bytes]
    """Ack frames that the hub folds into the connection's next write."""

    def write(self, frame: bytes) -> None:
        """Send one frame, or several already joined; dropped silently once closing."""
        ...

    def writelines(self, frames: Sequence[bytes]) -> None:
        """Send several frames with one system call."""
        ...

    def free_fd(self) -> int:
        """Give the descriptor of a plain socket for which nothing waits; -1 for any other.

        Good for this turn of the loop only: whoever closes the socket frees the number.
        """
        ...

    def buffered_bytes(self) -> int:
        """Bytes written that the kernel has not taken yet."""
        ...

    def hold(self) -> None:
        """Stop reading: no further message reaches the peer until `release` (counted)."""
        ...

    def release(self) -> None:
        """Undo one `hold`; what was kept reaches the peer in a later turn of the loop."""
        ...

    def close(self, code: CloseCode, reason: str, retry_after_ms: int | None = None) -> None:
        """Tell `closing`, then close with the code; harmless when closing already."""
        ...


class Broadcast(Protocol):
    """One frame to many connections."""

    def __call__(self, connections: Sequence[Connection], frame: bytes) -> None:
        """Do what `write` does, for each."""
        ...


def write_each(connections: Sequence[Connection], frame: bytes) -> None:
    """Write to one after the other: the plain way of a broadcast."""
    for connection in connections:
        connection.write(frame)


class Peer(Protocol):
    """The session's side of a connection; called by the transport, in order."""

    def opened(self, connection: Connection) -> None:
        """Say that the upgrade is complete; `hello` is the peer's to send."""
        ...

    def text_received(self, data: bytes) -> None:
        """Take one whole text message (valid UTF-8)."""
        ...

    def binary_received(self, data: bytes) -> None:
        """Take one whole binary message."""
        ...

    def writing_paused(self) -> None:
        """`connection.writable` has just become False."""
        ...

    def writing_resumed(self) -> None:
        """`connection.writable` has just become True; what lags can be caught up."""
        ...

    def closed(self) -> None:
        """Say that the connection is gone, however it ended; called exactly once."""
        ...
