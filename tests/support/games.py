"""Small games for tests: a replica, a head and a journal that commits when it is told to."""

import asyncio
from collections.abc import Sequence

import numpy as np

from canvas.address import AddressPolicy
from canvas.base import LaidPicture
from canvas.board import Board
from canvas.cooldown import CooldownRule
from canvas.geometry import Geometry
from canvas.growth import Lineage
from canvas.head import Head
from canvas.palette import DEFAULT
from canvas.placement import Placement
from canvas.settings import Settings
from persistence.ports import Item, Write
from server.game.game import Game
from server.replica.replica import Replica
from server.replica.ring import Ring
from server.wire.codec import Stream
from tests.support.clock import FakeClock

NAME = "place#main"


class GatedJournal:
    """A journal whose commits wait at a gate, or fail with what is scripted."""

    def __init__(self) -> None:
        self.items: list[Item] = []
        self.writes: list[Write] = []
        self.commits: list[int] = []
        """Items of each commit."""
        self.faults: list[Exception] = []
        self.gate = asyncio.Event()
        self.gate.set()

    async def commit(self, items: Sequence[Item], writes: Sequence[Write] = ()) -> None:
        await self.gate.wait()
        if self.faults:
            raise self.faults.pop(0)
        self.items += items
        self.writes += writes
        self.commits.append(len(items))


def make_settings(cooldown_ms: int = 0, max_stack: int = 1) -> Settings:
    return Settings(DEFAULT, CooldownRule(cooldown_ms, max_stack))


def make_replica(width: int = 16, height: int = 8, *, ring_events: int = 100_000) -> Replica:
    return Replica(
        Stream(NAME, 1),
        "epoch-1",
        Board(width, height),
        Lineage([Geometry(width, height)]),
        make_settings(),
        Ring(0, ring_events),
    )


def make_game(
    clock: FakeClock,
    journal: GatedJournal,
    *,
    cooldown_ms: int = 0,
    max_pending: int = 20_000,
    replica: Replica | None = None,
) -> Game:
    replica = replica or make_replica()
    head = Head(
        replica,
        make_settings(cooldown_ms),
        policy=AddressPolicy(0, 0),
        max_pending=max_pending,
    )
    return Game(replica, head, journal, 1, clock)  # type: ignore[arg-type]  # what a game uses of it


def laid_on(game: Game, rows: Sequence[Sequence[int]], x: int = 0, y: int = 0) -> LaidPicture:
    """A picture in its place on a game's board."""
    return LaidPicture.of(np.array(rows, np.uint8), x, y, game.head.geometry)


def placement(
    x: int, y: int, color: int, *, user: str = "u1", request: int | None = None, index: int = 0
) -> Placement:
    return Placement(user, "192.0.2.1", "", x, y, color, None, request, index)
