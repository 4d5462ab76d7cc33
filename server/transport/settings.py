"""The bounds of the transport: sizes in bytes, times in milliseconds, frozen at the start.

Filled by the composition root from the configuration; the defaults are the protocol's.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TransportSettings:
    """What a connection may cost, at the door and after it."""

    ping_ms: int = 20_000
    max_message_bytes: int = 16_384
    max_head_bytes: int = 16_384
    head_timeout_ms: int = 10_000
    """From accepting a connection until its request is complete."""
    max_waiting: int = 4_096
    """Connections at the door whose request is not complete; past it the oldest one goes.

    More than a crowd that was cut comes back with in one instant: at 1,024 a third of 2,000 who
    dialled at once were sent away before their requests were read.
    """
    write_limit_bytes: int = 16_384
    """What may wait in this process for one socket before it counts as not writable.

    A frame that waits costs uvloop 0.8 KB beside its bytes. Frames of one pixel, until a reader was
    full at 65,536, cost 1.5 MB; at 16,384 370 KB (`bench/memory.py` has frames of fifty).
    """
    send_buffer_bytes: int = 131_072
    """`SO_SNDBUF` of an upgraded socket: with the kernel's default a client lags by 4 MB unseen."""
    close_wait_ms: int = 5_000
    """How long the other side may take to end a connection that we have closed."""
