"""A walk: one publication on its way to everybody who is in step, in turns that let others in.

Owns whom it has not come to yet. Who waits in it has been told nothing of what is published, so
that its acks wait too, and whoever leaves it is caught up from where the publication began. Made
by the channel for each publication; knows no timer.
"""

from collections.abc import Callable, Mapping

from server.hub.subscription import Subscription
from server.ports import Connection
from server.replica.catch_up import Part, encode
from server.wire.codec import Codec, Stream

AT_ONCE = 32
"""Connections between two looks at the clock: a quarter of a millisecond."""


class Walk:
    """The frames of one publication, and who is still to get them."""

    def __init__(
        self,
        stream: Stream,
        parts: list[Part],
        began_at: int,
        untold: Mapping[Connection, Subscription],
    ) -> None:
        self.began_at = began_at
        """Newest seq that those in it were told."""
        self._stream = stream
        self._parts = parts
        self._untold = dict(untold)
        self._frames: dict[Codec, bytes] = {}

    @property
    def done(self) -> bool:
        """Whether everybody was told."""
        return not self._untold

    def go_on(self, until: Callable[[], bool]) -> None:
        """Tell one after the other; stops early once `until` holds, having told some."""
        untold = self._untold
        while untold:
            for _ in range(min(AT_ONCE, len(untold))):
                # Not all that were counted may be left: a write can end a connection.
                if untold:
                    self._tell(untold.popitem()[0])
            if until():
                break

    def tell_now(self, connection: Connection) -> None:
        """Tell one ahead of its turn, if it is still to be told."""
        if self._untold.pop(connection, None) is not None:
            self._tell(connection)

    def awaits(self, connection: Connection) -> bool:
        """Whether a connection is still to be told."""
        return connection in self._untold

    def leave_out(self, connection: Connection) -> bool:
        """Tell it nothing; returns whether it was still to be told."""
        return self._untold.pop(connection, None) is not None

    def _tell(self, connection: Connection) -> None:
        frame = self._frames.get(connection.codec)
        if frame is None:
            frame = encode(self._parts, self._stream, connection.codec)
            self._frames[connection.codec] = frame
        if connection.acks:
            acks = connection.acks
            connection.acks = []
            connection.writelines((frame, *acks))
        else:
            connection.write(frame)
