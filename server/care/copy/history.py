"""Histories made alike: both read in order, side by side; what is missing is written.

The same pass goes on with a copy that broke off, and, with `writes` off, proves it: nothing of how
far it had come is kept anywhere. Memory is bounded by two pages. Called by copying.py.
"""

from bisect import bisect_right
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from persistence.ports import Item, Journal, Key
from server.care.advance import Advance
from server.care.copy.tally import Tally
from server.recovery.reader import one_ahead

PAGE = 2000
"""Items of each side in memory at once, and written in one go."""


@dataclass(frozen=True, slots=True)
class History:
    """One partition, and which of its items count."""

    partition: str
    counts: Callable[[Item], bool]


@dataclass(frozen=True, slots=True)
class HistoryPass:
    """One pass from a source to a target."""

    source: Journal
    target: Journal
    advance: Advance
    writes: bool

    async def over(self, history: History) -> Tally:
        """Make the target's partition like the source's, or only compare them."""
        partition, tally = history.partition, Tally(f"history {history.partition}")
        total, done = await self.source.count((partition,)), 0
        there = _Ordered(self.target.read((partition,), page=PAGE))
        reading = one_ahead(self.source.read((partition,), page=PAGE))
        async with aclosing(reading) as pages:
            async for page in pages:
                wanted = [item for item in page if history.counts(item)]
                await self._make_alike(wanted, await there.up_to(page[-1]["SK"]), tally)
                done += len(page)
                self.advance(tally.what, done, total)
        async for items in there.rest():
            await self._make_alike([], items, tally)
        return tally

    async def _make_alike(
        self, wanted: Sequence[Item], there: Sequence[Item], tally: Tally
    ) -> None:
        known = {item["SK"]: item for item in there}
        missing = []
        for item in wanted:
            tally.count(item)
            if known.pop(item["SK"], None) != item:
                missing.append(item)
                tally.write(f"{item['PK']} / {item['SK']}")
        extra = [Key(item["PK"], item["SK"]) for item in known.values()]
        for key in extra:
            tally.delete(" / ".join(key))
        if self.writes:
            await self._write(missing)
            if extra:
                await self.target.delete(extra)

    async def _write(self, items: Sequence[Item]) -> None:
        """Pixels together; what is none by itself, as a store takes few of those in one go."""
        pixels = [item for item in items if "x_original" in item]
        if pixels:
            await self.target.commit(pixels)
        for item in items:
            if "x_original" not in item:
                await self.target.commit([item])


class _Ordered:
    """Items in order of their keys, taken up to one key after the other."""

    def __init__(self, pages: AsyncIterator[list[Item]]) -> None:
        self._pages = pages
        self._held: list[Item] = []
        self._ended = False

    async def up_to(self, sort: str) -> list[Item]:
        """Return the next items whose sort key is at most `sort`.

        Reads no further than it has to: what is written meanwhile lies before what is read next.
        """
        while not self._ended and (not self._held or self._held[-1]["SK"] <= sort):
            await self._fetch()
        place = bisect_right(self._held, sort, key=lambda item: str(item["SK"]))
        taken = self._held[:place]
        del self._held[:place]
        return taken

    async def rest(self) -> AsyncIterator[list[Item]]:
        """Yield what is left, page by page."""
        while self._held or not self._ended:
            taken, self._held = self._held, []
            if taken:
                yield taken
            await self._fetch()

    async def _fetch(self) -> None:
        page = await anext(self._pages, None)
        self._ended = page is None
        self._held += page or []
