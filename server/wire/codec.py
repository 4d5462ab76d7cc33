"""What a codec tells differently: pixels, acks and snapshot bands; everything else is JSON text.

A codec returns complete WebSocket frames (unmasked, unfragmented), ready for any number of
sockets. Records are the protocol's u32: x bits 0-12, y bits 13-25, color bits 26-31.
"""

from typing import NamedTuple, Protocol


class Stream(NamedTuple):
    """Which game a frame speaks of: its name in JSON, its channel (u16) in binary."""

    game: str
    channel: int


class Codec(Protocol):
    """One form of the wire; stateless, one instance for the process."""

    subprotocol: str | None
    """The subprotocol that chooses it, echoed in the handshake (None: none was offered)."""

    def pixels(
        self,
        stream: Stream,
        generation: int,
        first: int,
        last: int,
        records: bytes,
        *,
        conflated: bool = False,
    ) -> bytes:
        """Encode a frame of records (u32 little-endian each) that covers seq first..last."""
        ...

    def band(
        self,
        stream: Stream,
        generation: int,
        seq: int,
        first_row: int,
        rows: int,
        payload: bytes,
        *,
        deflated: bool,
    ) -> bytes:
        """Encode a frame with the packed bytes of some rows."""
        ...
