"""The host: brings games to life when somebody asks for them, and lays idle ones to rest.

Owns which games run, their tasks and their snapshotters, and how much room they may take. Reads and
writes through recovery, the committer and the snapshotter, and lets the hub serve what runs. Made
by app.py; lifecycle.py opens the first game and stops all of them.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from canvas.bans import Bans
from persistence.errors import StoreDamaged, StoreError
from persistence.ports import Store
from server.clock import Clock
from server.game.config import GameConfig
from server.game.game import Game, Games
from server.hosting.directory import Directory
from server.hub.hub import Hub
from server.recovery.reader import RecoveryEvents
from server.recovery.recovery import Recovery, RecoverySettings
from server.recovery.snapshotter import Snapshotter
from server.tasks import Tasks

GRACE_MS = 30_000
"""Whoever has just asked for a game may still be on the way in."""


@dataclass(frozen=True, slots=True)
class HostSettings:
    """How games are brought back and kept."""

    recovery: RecoverySettings
    snapshot_every_ms: int
    snapshot_every_events: int
    max_open: int
    """So many may run at a time."""
    max_bytes: int
    """So large may the boards of those that run be together, packed."""
    idle_ms: int
    """A game that nobody watches or places on for so long is laid to rest."""


@dataclass(frozen=True, slots=True)
class HostEvents:
    """What the host tells the operator."""

    row_damaged: Callable[[StoreDamaged], None]
    snapshot_damaged: Callable[[StoreDamaged], None]
    snapshot_failed: Callable[[Game, StoreError], None]
    snapshot_stored: Callable[[Game, int], None]
    opened: Callable[[Game], None]
    rested: Callable[[Game], None]


class NoRoom(Exception):  # noqa: N818 - it says what is missing
    """So much runs already that a game cannot be opened now."""


@dataclass(slots=True)
class _Running:
    """What the host has of a game that runs."""

    game: Game
    snapshotter: Snapshotter
    tasks: list[asyncio.Task[None]]
    used_ms: int
    seq: int

    @property
    def board_bytes(self) -> int:
        """Of the packed board."""
        return int(self.game.replica.board.packed.nbytes)


@dataclass(frozen=True, slots=True)
class Stores:
    """One store, as it is written and as it is read: what throttles a reading is waited out."""

    writing: Store
    reading: Store


def _unseen(_done: int, _total: int) -> None:
    """Nobody watches the progress of a game that is brought back on demand."""


class Host:
    """The running games of this process."""

    def __init__(
        self,
        stores: Stores,
        clock: Clock,
        settings: HostSettings,
        games: Games,
        hub: Hub,
        bans: Bans,
        tasks: Tasks,
        listener: HostEvents,
    ) -> None:
        self._stores = stores
        self._clock = clock
        self._settings = settings
        self._games = games
        self._hub = hub
        self._bans = bans
        self._tasks = tasks
        self._listener = listener
        self.directory = Directory(stores.writing.tables, listener.row_damaged)
        self._running: dict[str, _Running] = {}
        self._opening: dict[str, asyncio.Task[None]] = {}
        self._served: set[str] = set()
        """Games that ran before in this process, under the same fence."""
        self.fence = 0
        """Under which games are served; set once the right to write is held."""

    def recovery(self, advance: Callable[[int, int], None] = _unseen) -> Recovery:
        """Make a recovery that tells its progress."""
        stores = self._stores
        events = RecoveryEvents(advance, self._listener.snapshot_damaged)
        return Recovery(
            stores.writing, self._clock, self._settings.recovery, events, reading=stores.reading
        )

    async def recover(self, recovery: Recovery, config: GameConfig) -> Game:
        """Bring a game back; nobody is served yet. Raises StoreDamaged, StoreError."""
        own = config.game in self._served
        return await recovery.recover(config, self.fence, self._bans, own=own)

    def open(self, game: Game) -> None:
        """Serve a game from here on, and store what becomes of it."""
        self._games.add(game)
        self._hub.open(game)
        self._served.add(game.name)
        snapshotter = self._snapshotter(game)
        tasks = [
            self._tasks.spawn(game.committer.run(), f"committing {game.name}"),
            self._tasks.spawn(snapshotter.run(), f"storing snapshots of {game.name}"),
        ]
        now_ms = self._clock.monotonic_ms()
        self._running[game.name] = _Running(game, snapshotter, tasks, now_ms, game.replica.seq)

    def _snapshotter(self, game: Game) -> Snapshotter:
        return Snapshotter(
            game,
            self._stores.writing,
            self._clock,
            every_ms=self._settings.snapshot_every_ms,
            every_events=self._settings.snapshot_every_events,
            on_error=self._listener.snapshot_failed,
            on_stored=self._listener.snapshot_stored,
        )

    def snapshotters(self) -> Iterator[Snapshotter]:
        """Walk what stores the snapshots of the games that run."""
        return (one.snapshotter for one in list(self._running.values()))

    # --- on demand -----------------------------------------------------------

    async def find(self, name: str) -> Game | None:
        """Return a game that runs, or bring it to life; None where there is none to be entered.

        Raises NoRoom and StoreError. Whoever else asks meanwhile waits for the same.
        """
        game = self._games.get(name)
        if game is not None:
            if name in self._running:
                self._running[name].used_ms = self._clock.monotonic_ms()
            return game
        row = self.directory.get(name)
        if row is None or row.archived:
            return None
        opening = self._opening.get(name)
        if opening is None:
            opening = asyncio.get_running_loop().create_task(self._bring_to_life(name))
            self._opening[name] = opening
            opening.add_done_callback(lambda _: self._opening.pop(name, None))
        await asyncio.shield(opening)
        return self._games.get(name)

    def wake(self, name: str | None) -> bool:
        """Bring a game to life behind whoever cannot wait for it; whether there is such a game."""
        row = None if name is None else self.directory.get(name)
        if row is None or row.archived:
            return False
        if row.game not in self._opening:
            self._tasks.spawn(self._find_behind(row.game), f"opening {row.game}")
        return True

    async def _find_behind(self, name: str) -> None:
        with suppress(NoRoom):  # whoever asked was told to come back, and hears it then
            await self.find(name)

    async def _bring_to_life(self, name: str) -> None:
        recovery = self.recovery()
        config = await recovery.load(name)
        if config is None:
            return
        geometry = config.lineage.geometry
        await self._make_room(-(-geometry.width * geometry.height // 2))
        self.open(await self.recover(recovery, config))
        self._listener.opened(self._running[name].game)

    async def _make_room(self, needed_bytes: int) -> None:
        """Lay to rest what nobody uses, longest unused first, until one more fits."""
        idle = sorted(self._running.values(), key=lambda one: one.used_ms)
        long_ago_ms = self._clock.monotonic_ms() - GRACE_MS
        for running in [one for one in idle if self._is_unused(one) and one.used_ms <= long_ago_ms]:
            if self._has_room(needed_bytes):
                return
            await self._rest(running)
        if not self._has_room(needed_bytes):
            raise NoRoom("as many games are open as there is room for; try again in a while")

    def _has_room(self, needed_bytes: int) -> bool:
        taken = sum(one.board_bytes for one in self._running.values())
        fits = taken + needed_bytes <= self._settings.max_bytes
        return fits and len(self._running) + len(self._opening) <= self._settings.max_open

    # --- idle games ----------------------------------------------------------

    async def rest_idle(self) -> None:
        """Lay to rest the games that nobody has used for long; called about once a second."""
        now_ms = self._clock.monotonic_ms()
        for running in list(self._running.values()):
            if not self._is_unused(running):
                running.used_ms, running.seq = now_ms, running.game.replica.seq
            elif now_ms - running.used_ms >= self._settings.idle_ms:
                await self._rest(running)

    def _is_unused(self, running: _Running) -> bool:
        game = running.game
        still = game.replica.seq == running.seq and not game.is_busy
        return still and game.taking and not self._hub.watchers(game.name)

    async def _rest(self, running: _Running) -> None:
        """Store a game and let it go; it stays when that fails, or somebody comes meanwhile."""
        game = running.game
        await running.snapshotter.store_now()
        if running.snapshotter.behind or not self._is_unused(running):
            return
        del self._running[game.name]
        self._games.remove(game)
        self._hub.close(game)
        game.committer.stop()
        running.tasks[1].cancel()
        self._listener.rested(game)
