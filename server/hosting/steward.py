"""The steward: founds games, ends them, opens them again and puts them away.

Owns which of these steps a game may take from where it stands, and that its row and its settings
change together. Called by the operators' commands.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from canvas.settings import Settings
from server.clock import Clock
from server.game.config import GameConfig, found
from server.game.epoch import new_epoch
from server.game.game import Game
from server.hosting.directory import Directory
from server.hosting.game_rows import GameRow
from server.hosting.host import Host


class NotNow(Exception):  # noqa: N818 - it says what is wrong
    """A game cannot take this step from where it stands; the text tells which it can."""


@dataclass(frozen=True, slots=True)
class NewGame:
    """What somebody wants to found."""

    name: str
    title: str
    width: int
    height: int
    settings: Settings


class Steward:
    """What becomes of games."""

    def __init__(self, host: Host, clock: Clock, chance: random.Random, shards: int) -> None:
        """`shards`: partitions that the history of a new game is spread over."""
        self._host = host
        self._clock = clock
        self._chance = chance
        self._shards = shards

    @property
    def _directory(self) -> Directory:
        return self._host.directory

    def row(self, name: str) -> GameRow:
        """The row of a game. Raises LookupError when there is no such game."""
        row = self._directory.get(name)
        if row is None:
            raise LookupError(name)
        return row

    async def create(self, new: NewGame, by: str) -> Game:
        """Found a game and bring it to life. Raises Taken, NoRoom, ValueError, StoreError."""
        row = GameRow(new.name, new.title, self._clock.wall_ms(), by)

        def make(channel: int) -> GameConfig:
            return found(
                new.name,
                width=new.width,
                height=new.height,
                settings=new.settings,
                epoch=new_epoch(self._chance),
                channel=channel,
                shards=self._shards,
            )

        await self._directory.create(row, make)
        return await self._running(new.name)

    async def end(self, name: str) -> GameRow:
        """End a game now: nothing is placed any more, and everybody may look on.

        Raises LookupError, NotNow, NoRoom, StoreError.
        """
        row = self.row(name)
        if row.completed:
            raise NotNow(f"{name} has ended already; it can be reopened or archived")
        now_ms = self._clock.wall_ms()
        return await self._turn(row.ended(now_ms), {"endsAt": now_ms})

    async def reopen(self, name: str) -> GameRow:
        """Let a game that has ended, or was archived, go on where it was. Raises as `end`."""
        row = self.row(name)
        if not row.completed:
            raise NotNow(f"{name} has not ended; it is open")
        if row.archived:
            await self._directory.change(row := row.taken_out())
        return await self._turn(row.reopened(), {"endsAt": None})

    async def archive(self, name: str) -> GameRow:
        """Put away a game that has ended: nobody is let in any more, and all is kept.

        Raises LookupError, NotNow, StoreError.
        """
        row = self.row(name)
        if not row.completed:
            raise NotNow(f"{name} is open; end it first")
        if not row.archived:
            await self._directory.change(row := row.put_away())
        return row

    async def _turn(self, row: GameRow, changes: Mapping[str, Any]) -> GameRow:
        """Change the settings of a game and its row, both in one transaction."""
        game = await self._running(row.game)
        # Looked at again in the turn that decides: somebody else may have been faster.
        if self.row(row.game).completed == row.completed:
            raise NotNow(f"{row.game} was changed just now; look at it again")
        event = game.change(changes, self._directory.steps(row))
        self._directory.know(row)
        await game.published(event)
        return row

    async def _running(self, name: str) -> Game:
        game = await self._host.find(name)
        if game is None:
            raise LookupError(name)
        return game
