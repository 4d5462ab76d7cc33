"""Broadcast: one frame to many connections, with one system call where the kernel lets us.

Owns which way is taken: the ring of io_uring.py where its self-test passes, plain writes otherwise.
A socket goes by the ring only while nothing waits for it and nobody closes it, and only in the turn
in which that was seen, so that its descriptor is surely its own; what it does not take whole is
the transport's to finish, in order. Chosen by the composition root, called by the hub.
"""

import errno
import socket
from collections.abc import Sequence

import numpy as np

from server.ports import Broadcast, Connection, write_each
from server.transport.io_uring import Ring

WORTH = 4
"""Sockets from which on a submission costs less than as many writes."""
_TEST = b"tesserae"


class RingBroadcast:
    """Writes to as many as it can with one submission."""

    def __init__(self, ring: Ring) -> None:
        self._ring = ring

    def __call__(self, connections: Sequence[Connection], frame: bytes) -> None:
        """Write a frame to connections; like `write` on each."""
        ready: list[Connection] = []
        fds: list[int] = []
        for connection in connections:
            fd = connection.free_fd()
            if fd < 0:
                connection.write(frame)
            else:
                ready.append(connection)
                fds.append(fd)
        if len(ready) < WORTH or self._ring.broken:
            write_each(ready, frame)
            return
        for start in range(0, len(ready), self._ring.entries):
            end = start + self._ring.entries
            self._submit(ready[start:end], fds[start:end], frame)

    def _submit(self, connections: list[Connection], fds: list[int], frame: bytes) -> None:
        taken = self._ring.send(fds, frame)
        # A full socket, or a dead one: its transport waits for room, or finds out what is wrong.
        for at in np.flatnonzero(taken != len(frame)):
            connections[at].write(frame[max(0, int(taken[at])) :])


def choose_broadcast(*, wanted: bool) -> tuple[Broadcast, str]:
    """Choose the way for this process; returns it and, in words, which one and why.

    To be called in the thread of the loop, which alone may use it.
    """
    if not wanted:
        return write_each, "plain writes, as configured"
    try:
        ring = Ring()
    except (OSError, AttributeError, ValueError) as error:
        return write_each, f"plain writes; io_uring is not to be had here: {error}"
    wrong = self_test(ring)
    if wrong:
        ring.close()
        return write_each, f"plain writes; io_uring {wrong}"
    return RingBroadcast(ring), "io_uring"


def self_test(ring: Ring) -> str:
    """Say what a ring does wrong with sockets that take all, some and nothing; empty: nothing."""
    pairs = [socket.socketpair() for _ in range(3)]
    try:
        return _what_is_wrong(ring, pairs)
    finally:
        for pair in pairs:
            for one in pair:
                one.close()


def _what_is_wrong(ring: Ring, pairs: list[tuple[socket.socket, socket.socket]]) -> str:
    (good, good_end), (full, _), (dead, dead_end) = pairs
    full.setblocking(False)
    try:
        while full.send(_TEST * 1000):
            pass
    except BlockingIOError:
        dead_end.close()
    taken = ring.send([good.fileno(), full.fileno(), dead.fileno()], _TEST)
    if list(taken) != [len(_TEST), -errno.EAGAIN, -errno.EPIPE] or ring.broken:
        return f"answers {list(taken)} for a socket that takes all, a full one and a dead one"
    good_end.setblocking(False)
    try:
        received = good_end.recv(2 * len(_TEST))
    except BlockingIOError:
        received = b""
    return "" if received == _TEST else f"sends {received!r} instead of {_TEST!r}"
