"""The first board by HTTP, tried until it comes; the stream is kept by the follower meanwhile.

Owns the one task that a fetch needs. Called by the link.
"""

import asyncio
from collections.abc import Awaitable, Callable
from http.client import HTTPException
from random import Random

from tesserae_client.backoff import Backoff
from tesserae_client.errors import BadFrame
from tesserae_client.fetch import Fetch
from tesserae_client.snapshot import SnapshotHead

Arrived = Callable[[SnapshotHead, bytes], None]


class BoardFetch:
    """At most one fetch at a time; a new one ends the one before."""

    def __init__(
        self, fetch: Fetch, arrived: Arrived, rng: Random, sleep: Callable[[float], Awaitable[None]]
    ) -> None:
        self._fetch = fetch
        self._arrived = arrived
        self._rng = rng
        self._sleep = sleep
        self._task: asyncio.Task[None] | None = None

    def start(self, url: str) -> None:
        """Fetch until it comes; `arrived` is called with it."""
        self.end()
        self._task = asyncio.create_task(self._run(url), name="tesserae-fetch")

    def end(self) -> None:
        """Give up the fetch under way."""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _run(self, url: str) -> None:
        backoff = Backoff(self._rng)
        while True:
            try:
                self._arrived(*await self._fetch(url))
            except (OSError, HTTPException, ValueError, BadFrame):
                await self._sleep(backoff.next_s())
            else:
                return
