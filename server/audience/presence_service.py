"""The presence service: tells who came and went, in numbered deltas.

Owns the presence number and the debounce. The number is raised in the store before a delta carries
it, so it never goes back, not over kill -9 either; while the store is away deltas wait and merge.
Who is here is the Tracker's to know. Told by sessions; `run` is its only task.
"""

import asyncio
from collections.abc import Callable
from itertools import islice
from typing import Any

from persistence.errors import ConditionFailed, StoreError
from persistence.ports import Condition, Key, Tables, Update
from persistence.tables import MAIN
from presence.tracker import Diff, Tracker
from server.access.identity import Identity
from server.audience.sessions import Member, Sessions
from server.telemetry.traffic import Flow
from server.wire import events
from server.wire.json_text import event_frame

NUMBER_KEY = Key("wsMeta", "presenceSeq")
VISIBLE = 100
"""Most people named in a snapshot."""
MAX_CHANGES = 200
"""A delta with more joins and leaves is told as a snapshot: bytes go by viewers times changes."""
SLICE = 500
"""Connections written to before the loop gets its turn."""
CROWD_SECONDS = 0.0005
"""A delta costs some microseconds a connection: crowds of thousands hear them less often."""
RETRY = 1.0


class PresenceService:
    """Presence of this process."""

    def __init__(
        self,
        tables: Tables,
        sessions: Sessions,
        debounce: float,
        on_fault: Callable[[str, Exception], None],
        told: Flow,
    ) -> None:
        self._tracker = Tracker()
        self._tables = tables
        self._sessions = sessions
        self._debounce = debounce
        self._on_fault = on_fault
        self._told = told
        self._changed = asyncio.Event()
        self._shared: dict[str, Any] | None = None
        """A snapshot for all who ask within a window; the next flush makes up for its age."""
        self._seq = 0
        """What connections were told last."""
        self._stored = 0
        """The number in the store; above `_seq` when it was raised for a delta still to be sent."""

    async def start(self) -> None:
        """Go on from the stored number; before any connection is told one. Raises StoreError."""
        self._stored = self._seq = await self._read_number()

    # --- what sessions say ---------------------------------------------------

    def connect(self, connection_id: str) -> None:
        """Count a connection, as a spectator for now."""
        self._tracker.connect(connection_id, None)
        self._changed.set()

    def change(self, connection_id: str, identity: Identity | None, *, invisible: bool) -> None:
        """Say who a connection is."""
        user, name = (None, "") if identity is None else (identity.id, identity.name)
        self._tracker.change(connection_id, user, name, invisible=invisible)
        self._changed.set()

    def rename(self, user_id: str, name: str) -> None:
        """Give somebody another name, on all their connections."""
        self._tracker.rename(user_id, name)
        self._changed.set()

    def disconnect(self, connection_id: str) -> None:
        """Forget a connection."""
        self._tracker.disconnect(connection_id)
        self._changed.set()

    # --- what connections are told -------------------------------------------

    def totals(self) -> tuple[int, int]:
        """How many users and how many spectators are here now."""
        snapshot = self._tracker.snapshot(0)
        return snapshot.total, snapshot.spectators

    def snapshot(self) -> dict[str, Any]:
        """Describe who is here now, under the number that was told last.

        Some of it may come again in the next delta, which does no harm.
        """
        visible, more, total, spectators = self._tracker.snapshot(VISIBLE)
        return events.presence_snapshot(
            self._seq, total=total, spectators=spectators, visible=visible, more=more
        )

    def shared_snapshot(self) -> dict[str, Any]:
        """Describe who was here when somebody first asked after the last flush.

        The next delta follows it as it follows a fresh one: who has come or gone since is in it.
        """
        if self._shared is None:
            self._shared = self.snapshot()
        return self._shared

    def snapshot_frame(self) -> bytes:
        """Encode a snapshot as an event, for a connection that missed deltas."""
        return event_frame("presence", **self.shared_snapshot())

    async def run(self) -> None:
        """Tell changes, at most once a debounce, until cancelled."""
        while True:
            await self._changed.wait()
            await asyncio.sleep(max(self._debounce, len(self._sessions) * CROWD_SECONDS))
            await self.flush()

    async def flush(self) -> None:
        """Tell what has changed; waits as long as the store is away."""
        self._changed.clear()
        await self._raise_number()
        diff = self._tracker.flush()
        self._shared = None
        if diff is None:
            return  # it came and went meanwhile; the number waits for the next delta
        self._seq = self._stored
        await self._tell(self._frame(diff))

    def _frame(self, diff: Diff) -> bytes:
        if len(diff.joins) + len(diff.leaves) > MAX_CHANGES:
            return event_frame("presence", **self.snapshot())
        return events.presence_delta(
            self._seq,
            joins=diff.joins,
            leaves=diff.leaves,
            total=diff.total,
            spectators=diff.spectators,
        )

    async def _tell(self, frame: bytes) -> None:
        members = iter(self._sessions)
        while batch := list(islice(members, SLICE)):
            told = sum(_tell_one(member, frame) for member in batch)
            self._told.add(len(frame), told)
            await asyncio.sleep(0)

    # --- the number ----------------------------------------------------------

    async def _raise_number(self) -> None:
        if self._stored > self._seq:
            return
        away = False
        while True:
            try:
                await self._try_to_raise()
            except StoreError as fault:
                if not away:
                    self._on_fault("raising the presence number", fault)
                away = True
                await asyncio.sleep(RETRY)
            else:
                return

    async def _try_to_raise(self) -> None:
        raised = self._stored + 1
        unchanged = (
            Condition(equals={"seq": self._stored}) if self._stored else Condition(exists=False)
        )
        try:
            await self._tables.write(
                Update(MAIN, NUMBER_KEY, set={"seq": raised}, condition=unchanged)
            )
        except ConditionFailed:
            # Our own write whose answer was lost, or somebody else's: what is stored settles it.
            self._stored = max(raised, await self._read_number())
        else:
            self._stored = raised

    async def _read_number(self) -> int:
        item = await self._tables.get(MAIN, NUMBER_KEY)
        return 0 if item is None else int(item["seq"])


def _tell_one(member: Member, frame: bytes) -> bool:
    """Tell one who wants to know; whether it was told."""
    if not member.wants_presence:
        return False
    if member.connection.writable:
        member.connection.write(frame)
        return True
    member.presence_due = True
    return False
