"""A game as it was at one of its numbers: from the nearest keyframe, or from its blank first board.

Owns which keyframe may be begun from: one whose own event the history still holds, of whatever
epoch, since the numbering goes on over them. Writes nothing and needs no lock. Called by whoever
looks back: `tesserae restore`.
"""

from persistence.errors import StoreDamaged
from persistence.ports import Lookback, Store
from server.game.config import GameConfig
from server.game.history import time_key
from server.game.names import blob_folder
from server.game.writers import Writers
from server.recovery.reader import RecoveryEvents, RecoveryReader, blank_board, board_of
from server.recovery.replay import Base, Outcome
from server.recovery.stored_snapshot import StoredSnapshot, newest_key, seq_of

LOOKED_AT = 100
"""Items that one look for the newest of a time reads; those of superseded writers are few."""


async def read_past(
    store: Store, config: GameConfig, seq: int, listener: RecoveryEvents
) -> Outcome:
    """Read the game as it was at `seq`; its settings are the present ones.

    Raises StoreDamaged when the history does not lead there.
    """
    base = await _base(store, config, seq, listener)
    outcome = await RecoveryReader(store, listener).up_to(config, base, seq)
    if outcome.replica.seq != seq or not outcome.holds_base:
        raise StoreDamaged(
            f"the history of {config.game} does not lead to seq {seq}: it breaks off at"
            f" {outcome.replica.seq}",
            "`tesserae store check` tells what is missing; nothing was changed",
        )
    return outcome


async def seq_at(store: Store, config: GameConfig, at_ms: int, newest: int) -> int:
    """Return the newest seq at the end of that millisecond; 0 when there was none yet.

    `newest` is the newest that was published at all.
    """
    writers, cursor = Writers(config.writers), None
    up_to = time_key(at_ms + 1)
    while True:
        look = Lookback(up_to=up_to, limit=LOOKED_AT, cursor=cursor)
        page = await store.journal.newest(config.partitions, look)
        for item in page.items:
            if writers.published(item, newest):
                return int(item["seq"])
        cursor = page.cursor
        if cursor is None:
            return 0


async def _base(store: Store, config: GameConfig, seq: int, listener: RecoveryEvents) -> Base:
    archives = await store.blobs.list(f"{blob_folder(config.game)}/archive/")
    early = [key for key in archives if (at := seq_of(key)) is not None and at <= seq]
    for key in (newest_key(config.game), *reversed(early)):
        try:
            blob = await store.blobs.get(key)
            snapshot = None if blob is None else StoredSnapshot.from_blob(key, blob)
            if (
                snapshot is not None
                and snapshot.seq <= seq
                and await _belongs(store, snapshot, config)
            ):
                return board_of(config, snapshot)
        except StoreDamaged as damage:
            listener.damaged(damage)
    return blank_board(config)


async def _belongs(store: Store, snapshot: StoredSnapshot, config: GameConfig) -> bool:
    """Whether the history holds the very event at which it was taken: key and number."""
    look = Lookback(up_to=snapshot.last_sk, limit=1)
    found = (await store.journal.newest(config.partitions, look)).items
    return [(item["SK"], item.get("seq")) for item in found] == [(snapshot.last_sk, snapshot.seq)]
