"""Runs of a game over a store that outlives them: start, place, die, start again."""

import asyncio
from collections.abc import Mapping
from typing import Any

from canvas.address import AddressPolicy
from canvas.bans import Bans
from canvas.cooldown import CooldownRule
from canvas.events import PixelPlaced
from canvas.placement import Placement
from canvas.refusals import Refusal
from persistence.errors import StoreDamaged, StoreError
from persistence.ports import Store
from server.game.config import found
from server.game.game import Game
from server.recovery.fences import last_fence
from server.recovery.reader import RecoveryEvents
from server.recovery.recovery import Recovery, RecoverySettings
from server.recovery.snapshotter import Snapshotter
from tests.support.clock import FakeClock
from tests.support.games import NAME, make_settings


class Ear:
    """An asker without a connection: keeps what it is told."""

    def __init__(self) -> None:
        self.accepted_events: list[PixelPlaced] = []
        self.refusals: list[Refusal] = []

    connection: Any = None
    gone = False

    def accepted(self, event: PixelPlaced, tag: object) -> None:
        self.accepted_events.append(event)

    def refused(self, refusal: Refusal, placement: Placement, tag: object) -> None:
        self.refusals.append(refusal)


class Run:
    """One life of a game."""

    def __init__(self, store: Store, game: Game, clock: FakeClock) -> None:
        self.store = store
        self.game = game
        self.clock = clock
        self.ear = Ear()
        self._committing = asyncio.create_task(game.committer.run())

    async def place(
        self, x: int, y: int, color: int, *, user: str = "u1", **more: Any
    ) -> PixelPlaced | Refusal:
        """Place one pixel and publish it; give what the player was told."""
        told = Ear()
        asked = Placement(
            user,
            "192.0.2.1",
            more.get("address_key", ""),
            x,
            y,
            color,
            None,
            more.get("request"),
            more.get("index", 0),
        )
        self.game.submit(asked, told)
        await self.publish()
        outcomes: list[PixelPlaced | Refusal] = [*told.accepted_events, *told.refusals]
        return outcomes[0]

    async def publish(self) -> None:
        await self.game.committer.drained()
        for answer in self.game.publish().answers:
            answer.asker.accepted(answer.event, answer.tag)

    async def snapshot(self) -> None:
        errors: list[StoreError] = []
        await Snapshotter(
            self.game,
            self.store,
            self.clock,
            every_ms=0,
            every_events=0,
            on_error=lambda _game, error: errors.append(error),
            on_stored=lambda _game, _ms: None,
        ).store_now()
        assert errors == []

    async def die(self) -> None:
        """Be killed: nothing is said to the store any more."""
        self._committing.cancel()
        await asyncio.gather(self._committing, return_exceptions=True)


class Lives:
    """Starts games on one store, each with the next fence."""

    def __init__(self, store: Store, clock: FakeClock | None = None) -> None:
        self.store = store
        self.clock = clock or FakeClock()
        self.damages: list[StoreDamaged] = []
        self.progress: list[tuple[int, int]] = []
        self.fence = 0

    async def start(self, **options: Any) -> Run:
        """Start once more; with `fence` under one that was there before, perhaps."""
        self.fence = max(self.fence, await last_fence(self.store.tables)) + 1
        recovery = Recovery(
            self.store,
            self.clock,
            RecoverySettings(
                ring_events=options.get("ring_events", 10_000),
                max_pending=1000,
                policy=AddressPolicy(0, options.get("address_budget", 0)),
                page=options.get("page", 7),
                history_shards=options.get("history_shards"),
            ),
            RecoveryEvents(
                lambda done, all_: self.progress.append((done, all_)), self.damages.append
            ),
            reading=options.get("reading"),
        )
        config = await recovery.load_or_found(_founding(options))
        game = await recovery.recover(config, options.get("fence", self.fence), Bans())
        return Run(self.store, game, self.clock)


def _founding(options: Mapping[str, Any]) -> Any:
    width, height = options.get("size", (20, 10))
    rule = CooldownRule(options.get("cooldown_ms", 0), options.get("max_stack", 1))
    settings = make_settings(rule.ms, rule.max_stack)
    return found(NAME, width=width, height=height, settings=settings, epoch="e1", channel=1)


def same_board(before: Run, after: Run) -> None:
    """Fail unless a game came back as it was."""
    one, other = before.game.replica, after.game.replica
    assert (other.seq, other.epoch) == (one.seq, one.epoch)
    assert other.lineage.geometry == one.lineage.geometry
    assert other.crc32() == one.crc32()
    assert other.settings == one.settings
