"""The session: one connection's identity, what it may, and the way of its messages.

Owns who is connected, the connection's allowance, and when it has to be held or closed. Messages go
on to the dispatcher (text) and to placing.py (binary); it decides no placement and reads no socket.
Called by the transport, in order, as its `Peer`.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from typing import Any

from canvas.placement import Placement
from canvas.refusals import Refusal
from server.access.admission import Rejection, admit
from server.access.identity import Identity, Role
from server.audience.connection_rows import NEWCOMER, Entry
from server.phase import Stage
from server.ports import Connection
from server.session.allowance import Allowance, Bucket
from server.session.placing import Placing
from server.session.services import Services
from server.wire import events
from server.wire.binary_v1 import decode_place
from server.wire.codes import CloseCode, ErrorCode
from server.wire.errors import Malformed

TextTaker = Callable[["Session", bytes], None]
FLOOD_RETRY_MS = 30_000
_new_tuple = tuple.__new__
"""A NamedTuple's own constructor costs half a microsecond more, for every placement."""


class Session:
    """Implements Peer; `connection` is there from `opened` on."""

    __slots__ = (
        "_address_key",
        "_admitted",
        "_pauses",
        "_placing",
        "_take_text",
        "_task",
        "allowance",
        "connection",
        "identity",
        "interval_ms",
        "invisible",
        "presence_due",
        "services",
        "user_id",
        "wants_presence",
    )

    def __init__(self, services: Services, take_text: TextTaker) -> None:
        self.connection: Connection
        self.services = services
        self.identity: Identity | None = None
        self.user_id: str | None = None
        """Who may place here; None for a spectator."""
        self.allowance = Allowance(services.rules.credits, services.clock)
        self.interval_ms = 0
        """The shortest time between two frames that the client asked for."""
        self.invisible = False
        self.wants_presence = False
        self.presence_due = False
        """A delta was left out while the socket was full; a snapshot will make up for it."""
        self._take_text = take_text
        self._address_key = ""
        self._placing: Placing | None = None
        self._admitted = False
        self._pauses = 0
        self._task: asyncio.Task[None] | None = None

    @property
    def roles(self) -> frozenset[Role]:
        """Roles of the identity; none for a spectator."""
        return frozenset() if self.identity is None else self.identity.roles

    @property
    def remote(self) -> str:
        """The client's address, as the trusted proxies tell it."""
        return self.connection.remote

    @property
    def placing(self) -> Placing:
        """The placements of this connection; made with the first one."""
        if self._placing is None:
            self._placing = Placing(self)
        return self._placing

    # --- opening and closing -------------------------------------------------

    def opened(self, connection: Connection) -> None:
        """Greet the client, or tell it why it cannot stay."""
        self.connection = connection
        services = self.services
        phase = services.phase
        self._tell(self._hello())
        if phase.stage is Stage.STARTING:
            connection.write(events.starting(phase.retry_after_ms))
            connection.close(CloseCode.STARTING, phase.reason, phase.retry_after_ms)
            return
        if phase.stage is Stage.DRAINING:
            connection.close(CloseCode.RESTART, phase.reason, phase.retry_after_ms)
            return
        limits, wall_ms = services.connection_limits, services.clock.wall_ms()
        rejection = admit(connection.remote, limits, services.bans, wall_ms)
        if rejection is not None:
            self.reject(rejection)
            return
        self._join()

    def _tell(self, frame: bytes) -> None:
        self.connection.write(frame)
        self.services.metrics.traffic.events.add(len(frame))

    def _hello(self) -> bytes:
        rules = self.services.rules
        return events.hello(
            rules.server,
            self.connection.id,
            time_ms=self.services.clock.wall_ms(),
            ping_ms=rules.ping_ms,
            max_message_bytes=rules.max_message_bytes,
        )

    def _join(self) -> None:
        self._admitted = True
        self._address_key = self.services.address_key(self.connection.remote)
        self.services.sessions.add(self)
        self.services.presence.connect(self.connection.id)
        self.services.connection_registry.note(self.connection.id, NEWCOMER)

    def closed(self) -> None:
        """Take the connection out of everything that it was in."""
        if not self._admitted:
            return
        services = self.services
        services.hub.detach(self.connection)
        services.sessions.discard(self)
        services.presence.disconnect(self.connection.id)
        services.connection_registry.forget(self.connection.id)
        services.connection_limits.leave(self.connection.remote)
        if self.identity is not None and self.identity.guest:
            services.guest_limit.leave(self.connection.remote, self.identity.id)
        self._placing = None  # it knows us, too; who has still to answer it has it

    def reject(self, rejection: Rejection) -> None:
        """Close the connection for one of the reasons that admission knows."""
        self.connection.close(rejection.code, rejection.reason, rejection.retry_after_ms)

    def close_if_expired(self, wall_ms: int) -> bool:
        """Close the connection when its token has run out; returns whether it had."""
        identity = self.identity
        if identity is None or wall_ms < identity.expires_at_ms:
            return False
        self.connection.close(CloseCode.TOKEN, "the token has expired; sign in again")
        return True

    # --- who and how ---------------------------------------------------------

    def become(self, identity: Identity | None, *, invisible: bool) -> None:
        """Be somebody from here on; only a spectator becomes somebody else."""
        if self.identity is None and identity is not None and identity.guest:
            self.services.guest_limit.join(self.connection.remote, identity.id)
        self.identity = identity
        self.user_id = None if identity is None else identity.id
        self.invisible = invisible
        self.services.presence.change(self.connection.id, identity, invisible=invisible)

    def register(self, watching: Iterable[str]) -> None:
        """Let the store know who this is, and the games that are watched from here on."""
        hinted = self.services.hub.is_hinted(self.connection)
        entry = Entry(
            self.user_id,
            self.invisible,
            self.wants_presence,
            watch_version=0 if hinted else 1,
            watching=frozenset(watching),
        )
        self.services.connection_registry.note(self.connection.id, entry)

    def set_interval(self, interval_ms: int) -> None:
        """Set the shortest time between two frames, for what is watched already, too."""
        if interval_ms != self.interval_ms:
            self.interval_ms = interval_ms
            self.services.hub.pace(self.connection, interval_ms)

    def placement(
        self, x: int, y: int, color: int, generation: int | None, request: int | None, index: int
    ) -> Placement:
        """Say who asks for a pixel, and from where; a spectator asks in vain."""
        address, key = self.connection.remote, self._address_key
        who = self.user_id or ""
        return _new_tuple(Placement, (who, address, key, x, y, color, generation, request, index))

    # --- messages ------------------------------------------------------------

    def text_received(self, data: bytes) -> None:
        """Take a command."""
        if self._may_speak():
            self._take_text(self, data)

    def binary_received(self, data: bytes) -> None:
        """Take a frame of placements."""
        if not self._may_speak():
            return
        try:
            frame = decode_place(data)
        except Malformed as malformed:
            self.bad_frame(str(malformed))
        else:
            (self._placing or self.placing).take_frame(frame)

    def _may_speak(self) -> bool:
        if not self._admitted or self.connection.closing:
            return False
        identity = self.identity
        if identity is None:
            return True
        wall_ms = self.services.clock.wall_ms()
        return wall_ms < identity.expires_at_ms or not self.close_if_expired(wall_ms)

    def bad_frame(self, message: str) -> None:
        """Tell that a message broke the protocol, and close."""
        self._tell(events.error(ErrorCode.BAD_FRAME, message))
        self.connection.close(CloseCode.PROTOCOL, message)

    def charge(self, cost: int, bucket: Bucket = Bucket.MESSAGES) -> Refusal | None:
        """Pay for a message; a client that goes on when refused is closed at last."""
        refusal = self.allowance.charge(cost, bucket)
        if refusal is not None and self.allowance.flooding:
            reason = "too many messages in spite of refusals; honour retryAfterMs"
            self.connection.close(CloseCode.RATE, reason, FLOOD_RETRY_MS)
        return refusal

    def hold_while(self, work: Coroutine[Any, Any, None]) -> None:
        """Run what a command awaits; later messages of the connection wait for it."""
        self.connection.hold()
        self._task = asyncio.get_running_loop().create_task(work)
        self._task.add_done_callback(self._worked)

    def _worked(self, _task: asyncio.Task[None]) -> None:
        self._task = None
        self.connection.release()

    # --- back-pressure -------------------------------------------------------

    def writing_paused(self) -> None:
        """Leave the streams out of the ticks: the socket is full."""
        self.pause_streams()

    def writing_resumed(self) -> None:
        """Catch up, streams first."""
        self.resume_streams()
        if self.presence_due:
            self.presence_due = False
            self._tell(self.services.presence.snapshot_frame())

    def pause_streams(self) -> None:
        """Stop the hub's writes to this connection until as many `resume_streams`."""
        self._pauses += 1
        if self._pauses == 1:
            self.services.hub.pause(self.connection)

    def resume_streams(self) -> None:
        """Undo one `pause_streams`."""
        self._pauses -= 1
        if not self._pauses:
            self.services.hub.resume(self.connection)
