"""A client that notes everything it was told, so that it can be held against the history."""

import asyncio
from collections import Counter
from random import Random

from tesserae_client import (
    BoardReplaced,
    Client,
    Connected,
    Event,
    Lost,
    Outcome,
    PixelsChanged,
    Placed,
    PlacementUnknown,
    PresenceChanged,
    Told,
    Unknown,
)

SIDE = 256
COLORS = 15
"""Without the empty one, so that a lost pixel always shows."""
BACK_WITHIN_S = 1.0
VERIFY_WITHIN_S = 60.0


class Witness:
    """A bot that places at random, or a spectator; `complaints` is empty when all was well."""

    def __init__(self, url: str, number: int, *, plays: bool) -> None:
        self.name = f"{'bot' if plays else 'spectator'} {number}"
        self.placed: list[tuple[str, Placed]] = []
        self.not_placed: list[tuple[str, Outcome]] = []
        self.seen: list[PixelsChanged] = []
        self.resumes: Counter[str] = Counter()
        """How it came back each time that it had a board already."""
        self.unknown = 0
        self.epochs: set[str] = set()
        self.presence_seq = 0
        self.told: list[str] = []
        """Names of events about the line, such as `going`."""
        self.losses: list[Lost] = []
        self.complaints: list[str] = []
        self._plays = plays
        self._seq = 0
        self._has_board = False
        self._rng = Random(self.name)
        self.client = Client(
            url,
            guest=plays,
            codec="json" if number % 4 == 3 else "binary",
            snapshot="http" if number % 4 == 2 else "inline",
            wants_presence=not plays,
            max_delay_s=BACK_WITHIN_S,
            on_event=self._heard,
            on_pixels=self._saw,
            rng=self._rng,
        )

    async def live(self, over: asyncio.Event) -> None:
        """Place now and then until it is over; the last placement is waited for."""
        await self.client.ready()
        while self._plays and not over.is_set():
            rng = self._rng
            cell = (rng.randrange(SIDE), rng.randrange(SIDE), rng.randrange(COLORS))
            self._note(await self.client.place(*cell))
            await wait_for(over, rng.uniform(0.2, 1.8))

    async def agrees(self) -> bool:
        """Whether the board is the server's, by a checksum at the very same seq."""
        async with asyncio.timeout(VERIFY_WITHIN_S):
            return await self.client.verify()

    @property
    def seen_pixels(self) -> int:
        return sum(change.last + 1 - change.first for change in self.seen)

    def _note(self, outcome: Outcome) -> None:
        you = self.client.you
        assert you is not None
        assert you.id is not None
        if isinstance(outcome, Placed):
            self.placed.append((you.id, outcome))
        else:
            self.not_placed.append((you.id, outcome))
        if isinstance(outcome, Unknown):
            self.complaints.append(f"{self.name} was never told what became of {outcome}")

    def _saw(self, change: PixelsChanged) -> None:
        # A merged frame may reach back behind what was seen, since it is made once for many.
        follows = change.first == self._seq + 1 or (change.conflated and change.first <= self._seq)
        if not follows or change.last <= self._seq:
            self.complaints.append(
                f"{self.name} saw {change.first} to {change.last} after {self._seq}"
            )
        self._seq = change.last
        self.seen.append(change)

    def _heard(self, event: Event) -> None:
        if isinstance(event, Connected):
            self._connected(event)
        elif isinstance(event, BoardReplaced):
            self._replaced(event.seq)
        elif isinstance(event, PlacementUnknown):
            self.unknown += 1
        elif isinstance(event, PresenceChanged):
            self._presence()
        elif isinstance(event, Told):
            self.told.append(event.event)
        elif isinstance(event, Lost):
            self.losses.append(event)

    def _connected(self, event: Connected) -> None:
        if self._has_board:
            self.resumes[event.game.resume] += 1
        self.epochs.add(event.game.epoch)
        self._presence()

    def _replaced(self, seq: int) -> None:
        if seq < self._seq:
            self.complaints.append(f"{self.name} went back from {self._seq} to {seq}")
        self._seq = seq
        self._has_board = True

    def _presence(self) -> None:
        seq = self.client.presence.seq or 0
        if seq < self.presence_seq:
            self.complaints.append(f"{self.name}: presence from {self.presence_seq} to {seq}")
        self.presence_seq = seq


async def wait_for(event: asyncio.Event, seconds: float) -> None:
    """Wait for an event, but no longer than so many seconds."""
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return
