"""The host: brings games to life and lays them to rest.

Owns which games run, their tasks and their snapshotters. Reads and writes through recovery, the
committer and the snapshotter, and lets the hub serve what runs. Made by app.py; lifecycle.py opens
the first game and stops all of them.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from canvas.bans import Bans
from persistence.errors import StoreDamaged, StoreError
from persistence.ports import Store
from server.clock import Clock
from server.game.config import GameConfig
from server.game.game import Game, Games
from server.hub.hub import Hub
from server.recovery.reader import RecoveryEvents
from server.recovery.recovery import Recovery, RecoverySettings
from server.recovery.snapshotter import Snapshotter
from server.tasks import Tasks


@dataclass(frozen=True, slots=True)
class HostSettings:
    """How games are brought back and kept."""

    recovery: RecoverySettings
    snapshot_every_ms: int
    snapshot_every_events: int


@dataclass(frozen=True, slots=True)
class HostEvents:
    """What the host tells the operator."""

    snapshot_damaged: Callable[[StoreDamaged], None]
    snapshot_failed: Callable[[Game, StoreError], None]
    snapshot_stored: Callable[[Game, int], None]


@dataclass(frozen=True, slots=True)
class Stores:
    """One store, as it is written and as it is read: what throttles a reading is waited out."""

    writing: Store
    reading: Store


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
        self._snapshotters: dict[str, Snapshotter] = {}

    def recovery(self, advance: Callable[[int, int], None]) -> Recovery:
        """Make a recovery that tells its progress."""
        stores = self._stores
        events = RecoveryEvents(advance, self._listener.snapshot_damaged)
        return Recovery(
            stores.writing, self._clock, self._settings.recovery, events, reading=stores.reading
        )

    async def recover(self, recovery: Recovery, config: GameConfig, fence: int) -> Game:
        """Bring a game back; nobody is served yet. Raises StoreDamaged, StoreError."""
        return await recovery.recover(config, fence, self._bans)

    def open(self, game: Game) -> None:
        """Serve a game from here on, and store what becomes of it."""
        self._games.add(game)
        self._hub.open(game)
        snapshotter = self._snapshotters[game.name] = self._snapshotter(game)
        self._tasks.spawn(game.committer.run(), f"committing {game.name}")
        self._tasks.spawn(snapshotter.run(), f"storing snapshots of {game.name}")

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
        yield from self._snapshotters.values()
