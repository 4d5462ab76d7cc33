"""Watcher counts: tells those who watch a game how many they are.

Owns what was told last and when it is worth telling again: small crowds hear every change, large
ones only what is a hundredth of them, and the rest some rounds later. Who watches is the hub's.
Called by lifecycle.py about once a second.
"""

import asyncio
from itertools import islice

from server.audience.sessions import Sessions
from server.game.game import Games
from server.hub.hub import Hub
from server.telemetry.traffic import Flow
from server.wire import events

SHARE = 100
ROUNDS = 30
"""A difference too small to tell is told after so many rounds."""
SLICE = 500
"""Connections looked at before the loop gets its turn."""


class WatcherCounts:
    """The counts of all games."""

    def __init__(self, games: Games, hub: Hub, sessions: Sessions, sent: Flow) -> None:
        self._games = games
        self._hub = hub
        self._sessions = sessions
        self._sent = sent
        self._told: dict[str, int] = {}
        self._round = 0

    async def tell(self) -> None:
        """Tell the counts that have changed enough."""
        self._round = (self._round + 1) % ROUNDS
        frames = {name: self._frame(name) for name in self._due()}
        if frames:
            await self._write(frames)

    def _due(self) -> list[str]:
        counts = {game.name: self._hub.watchers(game.name) for game in self._games}
        return [name for name, count in counts.items() if self._is_due(name, count)]

    def _is_due(self, name: str, count: int) -> bool:
        difference = abs(count - self._told.get(name, 0))
        return difference * SHARE >= max(count, 1) or (difference > 0 and self._round == 0)

    def _frame(self, name: str) -> bytes:
        self._told[name] = self._hub.watchers(name)
        return events.watchers(name, self._told[name])

    async def _write(self, frames: dict[str, bytes]) -> None:
        members = iter(self._sessions)
        while batch := list(islice(members, SLICE)):
            for member in batch:
                connection = member.connection
                if connection.writable:
                    for name in self._hub.watching(connection) & frames.keys():
                        connection.write(frames[name])
                        self._sent.add(len(frames[name]))
            await asyncio.sleep(0)
