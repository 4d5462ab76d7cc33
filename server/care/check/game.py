"""Checking one game: its config, its blobs, its history from the first row to the newest.

Owns the order that makes a check right beside a running server: blobs before the history that is
then newer, and the config read again until no control event came between. Writes nothing. Called
by store.py.
"""

import asyncio
from dataclasses import asdict, dataclass

from canvas.packing import Cells
from persistence.errors import StoreDamaged, TransientFault
from persistence.ports import Item, Store
from persistence.tables import CONFIG
from server.care.advance import Advance
from server.care.check.findings import PUT_BLOB_BACK, Findings
from server.care.check.judgement import Judgement
from server.care.check.snapshots import Snapshots
from server.care.check.tables import given_fence
from server.care.check.walk import Walk
from server.game.base_blob import read_blob
from server.game.config import GameConfig, changing_attributes, key_of
from server.game.names import blob_folder
from server.game.partitions import first_partitions
from server.game.rows import place_of

MAX_READINGS = 5
"""Control events are rare: even two within one reading of the end are a coincidence."""
MAX_LATE_LOOKS = 100
"""Holes that are looked into once more, for rows that were on their way."""
PAGE = 5000


@dataclass(frozen=True, slots=True)
class GameSummary:
    """What a game is, as far as it could be read."""

    game: str
    seq: int
    width: int
    height: int
    crc32: int | None
    """Of the board; None where it could not be followed."""
    snapshots: int
    pictures: int

    def to_json(self) -> dict[str, str | int | None]:
        """Under the names of the fields."""
        return asdict(self)


class GameCheck:
    """One check of one game."""

    def __init__(self, store: Store, game: str, findings: Findings) -> None:
        self._store = store
        self._game = game
        self._findings = findings
        self._late_looks = 0

    async def run(self, advance: Advance) -> GameSummary | None:
        """Check everything of it; None when nothing can be said. Raises StoreError."""
        config = await self._config()
        if config is None:
            return None
        snapshots = Snapshots(self._store.blobs, self._game, self._findings)
        await snapshots.read(lambda done, total: advance("Reading blobs", done, total))
        walk = Walk(config, snapshots.checkpoints, self._findings)
        config = await self._walk_to_the_end(config, walk, snapshots, advance)
        ordered = self._store.ordered
        judged = Judgement(config, walk, snapshots, self._findings, ordered=ordered)
        judged.tell(await given_fence(self._store.tables))
        geometry = walk.lineage.geometry
        return GameSummary(
            self._game,
            judged.end,
            geometry.width,
            geometry.height,
            None if walk.board is None else walk.board.crc32(),
            len(snapshots.checkpoints),
            len(walk.pictures),
        )

    # --- reading -------------------------------------------------------------

    async def _config(self) -> GameConfig | None:
        place = f"config {' / '.join(key_of(self._game))}"
        item = await self._store.tables.get(CONFIG, key_of(self._game))
        if item is None:
            await self._look_for_rest(place)
            return None
        try:
            config = GameConfig.from_item(self._game, item)
        except StoreDamaged as damage:
            self._findings.damage("config", place, f"{damage}")
            return None
        for name in _contradictions(config, item):
            what = f"its {name} is {item.get(name)!r}, and its growths and settings say otherwise"
            self._findings.damage("config", place, what)
        return config

    async def _look_for_rest(self, place: str) -> None:
        rows = await self._store.journal.count(first_partitions(self._game))
        blobs = await self._store.blobs.list(f"{blob_folder(self._game)}/canvas.bin")
        if rows or blobs:
            what = f"it is missing, and there are {rows} rows of history and {len(blobs)} snapshots"
            self._findings.damage("config", place, what)

    async def _walk_to_the_end(
        self, config: GameConfig, walk: Walk, snapshots: Snapshots, advance: Advance
    ) -> GameConfig:
        """Follow the history until the config that it goes with stands still."""
        for _ in range(MAX_READINGS):
            await self._follow(config, walk, snapshots, advance)
            again = await self._config()
            if again is None or _is_other(config, again):
                break
            if _same(config, again):
                return config  # whose seq is from before the end was read
            config = again
        raise TransientFault(
            f"{self._game} was changed each time while it was read", "check it again in a moment"
        )

    async def _follow(
        self, config: GameConfig, walk: Walk, snapshots: Snapshots, advance: Advance
    ) -> None:
        """Take the rows after the newest that was taken."""
        journal, after = self._store.journal, walk.last_sk
        total, done = await journal.count(config.partitions, after=after), 0
        async for page in journal.read(config.partitions, after=after, page=PAGE):
            rows = page
            while rows := rows[walk.feed(rows) :]:
                rows = await self._pass(rows, config, walk, snapshots)
            await self._find_board(walk, snapshots)
            done += len(page)
            advance("Following history", done, max(done, total))

    async def _pass(
        self, rows: list[Item], config: GameConfig, walk: Walk, snapshots: Snapshots
    ) -> list[Item]:
        """Get over what the walk stopped at; returns the rows that are left."""
        if walk.awaited is not None:
            await self._find_board(walk, snapshots)
            return rows
        row = rows[0]
        if not walk.leaves_hole(row):
            walk.lay(row, await self._cells(row))
            await self._find_board(walk, snapshots)
            return rows[1:]
        late = await self._late(row, config, walk)
        if not late:
            walk.pass_hole(row)
        return late + rows

    async def _late(self, row: Item, config: GameConfig, walk: Walk) -> list[Item]:
        """Read what came into a hole since its page was read."""
        self._late_looks += 1
        if self._late_looks > MAX_LATE_LOOKS:
            return []
        pages = self._store.journal.read(config.partitions, after=walk.last_sk, up_to=row["SK"])
        return [each async for page in pages for each in page if walk.misses(each, row)]

    async def _cells(self, row: Item) -> Cells | None:
        key = row["blob"]
        try:
            blob = await self._store.blobs.get(key)
            size = row["width"], row["height"]
            return await asyncio.to_thread(read_blob, key, blob, *size, row["crc32"])
        except StoreDamaged as damage:
            what = f"{damage}; {place_of(row)} needs it"
            self._findings.damage("base picture", key, what, PUT_BLOB_BACK)
            return None

    async def _find_board(self, walk: Walk, snapshots: Snapshots) -> None:
        """Behind damage a sound snapshot lets the rows after it be followed again."""
        if walk.awaited is not None:
            walk.go_on_from(await snapshots.board(walk.awaited))


def _contradictions(config: GameConfig, item: Item) -> list[str]:
    """Name what an item tells twice, and not the same."""
    told = changing_attributes(config.seq, config.settings, config.lineage)
    return [name for name, value in told.items() if item.get(name) != value]


def _is_other(before: GameConfig, after: GameConfig) -> bool:
    """Whether another server took the game, or its history was replaced."""
    return (before.epoch, before.writers, before.partitions) != (
        after.epoch,
        after.writers,
        after.partitions,
    )


def _same(before: GameConfig, after: GameConfig) -> bool:
    """Whether no control event has come between; snapshots, too, raise the seq of a config."""
    return (before.lineage.frames, before.settings) == (after.lineage.frames, after.settings)
