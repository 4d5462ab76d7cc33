"""A walk: one publication on its way to everybody who is in step, in turns that let others in.

Owns whom it has not come to yet. Who waits in it has been told nothing of what is published, so
that its acks wait too, and whoever leaves it is caught up from where the publication began. Made
by the channel for each publication; knows no timer.
"""

from collections.abc import Callable, Mapping

from server.hub.subscription import Subscription
from server.ports import Broadcast, Connection
from server.replica.catch_up import Part, encode
from server.telemetry.traffic import Traffic
from server.wire.codec import Codec, Stream

AT_ONCE = 128
"""Connections between two looks at the clock: a millisecond, and one submission."""


class Walk:
    """The frames of one publication, and who is still to get them."""

    def __init__(
        self,
        stream: Stream,
        parts: list[Part],
        began_at: int,
        untold: Mapping[Codec, Mapping[Connection, Subscription]],
        traffic: Traffic,
        broadcast: Broadcast,
    ) -> None:
        self.began_at = began_at
        """Newest seq that those in it were told."""
        self._stream = stream
        self._parts = parts
        self._untold = {codec: dict(group) for codec, group in untold.items()}
        self._frames: dict[Codec, bytes] = {}
        self._traffic = traffic
        self._broadcast = broadcast

    @property
    def done(self) -> bool:
        """Whether everybody was told."""
        return not any(self._untold.values())

    def go_on(self, until: Callable[[], bool]) -> None:
        """Tell one after the other; stops early once `until` holds, having told some."""
        for codec, untold in self._untold.items():
            while untold:
                self._tell_some(untold, self._frame(codec))
                if until():
                    return

    def tell_now(self, connection: Connection) -> None:
        """Tell one ahead of its turn, if it is still to be told."""
        if self.leave_out(connection):
            frame = self._frame(connection.codec)
            self._tell(connection, frame)
            self._traffic.pixels.add(len(frame))

    def awaits(self, connection: Connection) -> bool:
        """Whether a connection is still to be told."""
        return connection in self._untold.get(connection.codec, ())

    def leave_out(self, connection: Connection) -> bool:
        """Tell it nothing; returns whether it was still to be told."""
        group = self._untold.get(connection.codec)
        return group is not None and group.pop(connection, None) is not None

    def _frame(self, codec: Codec) -> bytes:
        frame = self._frames.get(codec)
        if frame is None:
            frame = self._frames[codec] = encode(self._parts, self._stream, codec)
        return frame

    def _tell_some(self, untold: dict[Connection, Subscription], frame: bytes) -> None:
        some: list[Connection] = []
        told = 0
        # Not all that are there now may be left: a write can end a connection.
        while untold and told < AT_ONCE:
            connection = untold.popitem()[0]
            told += 1
            if connection.acks:
                self._tell(connection, frame)
            else:
                some.append(connection)
        self._broadcast(some, frame)
        self._traffic.pixels.add(len(frame), told)

    def _tell(self, connection: Connection, frame: bytes) -> None:
        if connection.acks:
            acks = connection.acks
            connection.acks = []
            connection.writelines((frame, *acks))
            self._traffic.acks.add_all(acks)
        else:
            connection.write(frame)
